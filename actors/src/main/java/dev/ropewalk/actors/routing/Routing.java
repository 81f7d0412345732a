package dev.ropewalk.actors.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.routing.Choice;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.internal.routing.HashRing;
import dev.ropewalk.actors.internal.routing.LeastMailbox;
import dev.ropewalk.actors.internal.routing.RoundRobin;
import dev.ropewalk.actors.internal.routing.RouterTarget;
import dev.ropewalk.actors.internal.routing.ToAll;

import java.util.Collection;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How a router chooses among the members of a group; immutable. A router is no actor: it chooses on
 * the sender's thread, from a list that the group replaces when it changes, and holds no message.
 * So what one sender sends to one member arrives in order, and the bounded mailbox of a member acts
 * on the sender. A message to a member that has just ended is a dead letter that names both.
 *
 * <p>A router is told and asked by its address, like an actor; it cannot be stopped, monitored, or
 * linked to: end its members.
 *
 * @param <M> the type of the messages
 */
public final class Routing<M> {
    private final String name;

    /** Made for each router: it keeps where that is. */
    private final Supplier<Choice<M>> choice;

    private final WhenEmpty whenEmpty;

    private Routing(String name, Supplier<Choice<M>> choice, WhenEmpty whenEmpty) {
        this.name = name;
        this.choice = choice;
        this.whenEmpty = whenEmpty;
    }

    // ---------------------------------------------------------------- how to choose

    /**
     * {@return the members in turn}
     *
     * @param <M> the type of the messages
     */
    public static <M> Routing<M> roundRobin() {
        return make("round robin", RoundRobin::new);
    }

    /**
     * {@return the member that has the fewest messages} Each member says after each message how
     * many it has; the messages that this router has told it since are added. So a member that is
     * busy with one message is passed by, and messages of other senders are seen when it is done
     * with that. The numbers of actors of other nodes are up to 50 ms old, and all that this node
     * has told them since is added.
     *
     * @param <M> the type of the messages
     */
    public static <M> Routing<M> leastMailbox() {
        return make("least mailbox", LeastMailbox::new);
    }

    /**
     * {@return one member for each key, as long as the members do not change} When one joins n
     * others, about one key in n + 1 moves to it, and no other; when one leaves, its keys move. The
     * same members give the same choice, in each process, by their paths, and on each node.
     *
     * @param <M> the type of the messages
     * @param key of a message, by {@code hashCode}; not null. In a group that several nodes share
     *     it is text, a number, a boolean, a {@code UUID}, {@code byte[]}, a constant of an enum,
     *     or a record of these, and an {@code IllegalArgumentException} names another one.
     *     Exceptions it throws propagate to the sender, to an asker as the cause of an {@link
     *     dev.ropewalk.actors.AskFailedException}; the message of an actor becomes a dead letter
     */
    public static <M> Routing<M> hash(Function<? super M, ?> key) {
        Objects.requireNonNull(key, "key");
        return make("hash", () -> new HashRing<>(key));
    }

    /**
     * {@return all members} A member that refuses a message keeps no other from it: if its mailbox
     * is full and would fail the sender, the message is a dead letter that names both. An ask is an
     * error, because it takes one reply: see {@link #first}.
     *
     * @param <M> the type of the messages
     */
    public static <M> Routing<M> broadcast() {
        return make("broadcast", () -> new ToAll<>(false));
    }

    /**
     * {@return all members, where an ask takes the first reply} The other replies are dropped. If
     * all of them fail, it fails with the last failure, the others suppressed.
     *
     * @param <M> the type of the messages
     */
    public static <M> Routing<M> first() {
        return make("first", () -> new ToAll<>(true));
    }

    private static <M> Routing<M> make(String name, Supplier<Choice<M>> choice) {
        return new Routing<>(name, choice, WhenEmpty.deadLetter());
    }

    /**
     * {@return the same with another rule for a router without members} Otherwise what it is sent
     * is a dead letter.
     *
     * @param rule the rule
     */
    public Routing<M> whenEmpty(WhenEmpty rule) {
        return new Routing<>(name, choice, Objects.requireNonNull(rule, "rule"));
    }

    // ---------------------------------------------------------------- among whom

    /**
     * {@return the address of a new router over the members of a group} A tell may throw {@link
     * dev.ropewalk.actors.MailboxFullException}, as that to its member does, and {@link
     * NoMembersException}; an actor gets neither, and the message is a dead letter. An ask fails
     * with {@link dev.ropewalk.actors.AskFailedException} in each case.
     *
     * @param group its members may change
     */
    public ActorRef<M> over(Group<M> group) {
        GroupCell<M> cell = (GroupCell<M>) Objects.requireNonNull(group, "group");
        return RouterTarget.over(name, choice.get(), whenEmpty, cell);
    }

    /**
     * {@return the address of a new router over these actors} An actor that has ended stays among
     * them, and messages to it are dead letters.
     *
     * @param actors do not change
     * @throws IllegalArgumentException if there is none
     */
    public ActorRef<M> over(Collection<ActorRef<M>> actors) {
        return RouterTarget.over(name, choice.get(), actors);
    }

    @Override
    public String toString() {
        return name;
    }
}
