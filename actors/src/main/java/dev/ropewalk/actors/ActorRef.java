package dev.ropewalk.actors;

import dev.ropewalk.actors.internal.AskMany;
import dev.ropewalk.actors.spi.Target;
import dev.ropewalk.fibers.supervision.RestartRule;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The address of an actor; valid for ever, across restarts and after its end. All methods work from
 * any thread. Messages from one sender arrive in the order in which they were told.
 *
 * <p>Two refs are equal if they are the address of the same actor, which names and numbers do not
 * tell: a name is used again, and another system of the same name has the same numbers.
 *
 * @param <M> the type of the messages that the actor takes
 */
public final class ActorRef<M> implements Recipient<M> {
    /** How long an ask waits when no limit is given. */
    public static final Duration ASK_LIMIT = Duration.ofSeconds(5);

    private final String parentPath;
    private final String name;
    private final long number;
    private final Target<M> target;

    private ActorRef(String parentPath, String name, long number, Target<M> target) {
        this.parentPath = Objects.requireNonNull(parentPath, "parentPath");
        this.name = Objects.requireNonNull(name, "name");
        this.number = number;
        this.target = Objects.requireNonNull(target, "target");
    }

    /**
     * {@return an address} For builders of targets.
     *
     * @param <M> the type of the messages that the actor takes
     * @param parentPath the path of its supervisor, which begins with the name of the system
     * @param name the actor's name
     * @param number the actor's number, unique in its system
     * @param target where messages go; refs with equal targets, and the same name and number, are
     *     equal
     */
    public static <M> ActorRef<M> to(
            String parentPath, String name, long number, Target<M> target) {
        return new ActorRef<>(parentPath, name, number, target);
    }

    // ---------------------------------------------------------------- messages

    /**
     * Sends the message. Never throws for a dead actor: a message that can no longer be processed
     * becomes a {@link DeadLetter}. Never waits, unless the actor has a bounded mailbox, which its
     * {@link Actor#mailbox} says: then {@link Overflow} says what a full one does.
     *
     * @param message the message
     * @throws MailboxFullException if the mailbox is full, its rule is {@link Overflow#FAIL}, and
     *     the sender is a plain thread, or a fiber that is not below an actor. An actor is not
     *     failed by the mailbox of another one: its message becomes a dead letter then. So does a
     *     message of its last end hooks, and of code that a cord runs outside its fibers, such as a
     *     stage of {@link #askLater} at its limit; {@link #tryTell} says beforehand that there is
     *     no room
     * @throws IllegalStateException if an actor would wait for room in its own mailbox
     */
    @Override
    public void tell(M message) {
        target.tell(Objects.requireNonNull(message, "message"));
    }

    /**
     * Sends the message if there is room for it. Never waits and never throws for a dead actor. An
     * actor whose end this thread has not heard of yet still accepts, and the message becomes a
     * {@link DeadLetter}.
     *
     * @param message the message
     * @return whether it was accepted, or why not
     */
    @Override
    public TellResult tryTell(M message) {
        return target.tryTell(Objects.requireNonNull(message, "message"));
    }

    /**
     * Becomes a {@link DeadLetter}, because an actor takes only messages.
     *
     * @param failure why there is no message
     */
    @Override
    public void fail(Throwable failure) {
        target.fail(Objects.requireNonNull(failure, "failure"));
    }

    /**
     * Sends a message that asks for a reply, and waits for it {@link #ASK_LIMIT} at most. A
     * switchpoint even if the actor has ended: if the fiber is terminated or cancelled before it
     * asks, this throws and no message is sent.
     *
     * @param <R> the type of the reply
     * @param message makes the message around the address for the reply
     * @return the reply
     * @throws AskTimeoutException if the limit passed; a late reply becomes a dead letter
     * @throws AskFailedException if the actor failed the ask, ended, or gave the message up, before
     *     it replied, or the mailbox is full and its rule is not to wait
     * @throws AskCycleException if actors would wait for each other's replies in a circle
     */
    public <R> R ask(Function<Recipient<R>, ? extends M> message) {
        return target.ask(message, ASK_LIMIT);
    }

    /**
     * Like {@link #ask(Function)}, with a limit. An actor that asks while it handles an ask waits
     * no longer than its own asker does.
     *
     * @param <R> the type of the reply
     * @param message makes the message around the address for the reply
     * @param limit how long to wait at most
     * @return the reply
     * @throws AskTimeoutException if the limit passed; a late reply becomes a dead letter
     * @throws AskFailedException if the actor failed the ask, ended, or gave the message up, before
     *     it replied, or the mailbox is full and its rule is not to wait
     * @throws AskCycleException if actors would wait for each other's replies in a circle
     */
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        return target.ask(message, limit);
    }

    /**
     * Sends a message that asks for a reply, which completes a stage: for code that may not wait.
     * Never waits itself. To have the reply as a message, give the stage to {@link
     * ActorContext#pipe}, or use {@link ActorContext#adapt} in place of an ask; to have it in a
     * select, give the stage to {@link dev.ropewalk.fibers.blocking.Futures#onResult}.
     *
     * @param <R> the type of the reply
     * @param message makes the message around the address for the reply
     * @param limit how long the stage stays open at most
     * @return the stage; it fails with an {@link AskTimeoutException}, or an {@link
     *     AskFailedException}, also if a bounded mailbox has no room now. It is completed on the
     *     thread that replies, at its limit on the cord of the asker (a plain thread has a timer of
     *     the JDK for it), so functions attached to it must not wait. If it is cancelled, a later
     *     reply is a dead letter
     */
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        return target.askLater(message, limit);
    }

    /**
     * Asks several actors at once and waits until all have replied. A switchpoint.
     *
     * @param <M> the type of their messages
     * @param <R> the type of the replies
     * @param actors which are asked
     * @param message makes each message around its own address for the reply
     * @param limit how long to wait at most, for all together
     * @return the replies in the order of the actors
     * @throws AskTimeoutException if the limit passed
     * @throws AskFailedException as soon as one cannot reply, or has no room in its mailbox; later
     *     replies become dead letters
     * @throws AskCycleException if an actor asks itself; nothing is sent then. A circle over other
     *     actors is not seen here: it ends with the limit
     */
    public static <M, R> List<R> askAll(
            Collection<ActorRef<M>> actors,
            Function<Recipient<R>, ? extends M> message,
            Duration limit) {
        return AskMany.all(actors, message, limit);
    }

    /**
     * Asks several actors at once and waits for the first reply. A switchpoint. The other replies
     * are dropped.
     *
     * @param <M> the type of their messages
     * @param <R> the type of the replies
     * @param actors which are asked, at least one
     * @param message makes each message around its own address for the reply
     * @param limit how long to wait at most
     * @return the first reply
     * @throws AskTimeoutException if the limit passed
     * @throws AskFailedException if no actor can reply: the failure of the last one, in which those
     *     of the others are suppressed
     * @throws AskCycleException if an actor asks itself; nothing is sent then
     * @throws IllegalArgumentException if there is no actor
     */
    public static <M, R> R askFirst(
            Collection<ActorRef<M>> actors,
            Function<Recipient<R>, ? extends M> message,
            Duration limit) {
        return AskMany.first(actors, message, limit);
    }

    // ---------------------------------------------------------------- its end

    /**
     * Ends the actor normally after the messages that were told before. If it has actors of its
     * own, these come to the end of their mailboxes first, and it handles messages that come
     * meanwhile. Later messages become dead letters, unless the actor is {@link
     * RestartRule#PERMANENT}: it is started again, and goes on with them.
     */
    public void stop() {
        target.stop();
    }

    /**
     * Ends the actor at its next switchpoint, before it handles the queued messages. An actor that
     * is {@link RestartRule#PERMANENT} is started again, and goes on with its mailbox.
     */
    public void terminate() {
        target.terminate();
    }

    /**
     * Kills the incarnation that runs: it ends at its next switchpoint, before the queued messages,
     * whatever it traps, and its message in hand has the stop limit of its supervisor; then it is
     * abandoned. This counts as a failure, so its supervisor may start it again, and it goes on
     * with its mailbox. No effect while no incarnation runs.
     */
    public void kill() {
        target.kill();
    }

    /**
     * Waits until the actor is over and will not be started again. A switchpoint.
     *
     * @param limit how long to wait at most
     * @return false if the limit passed
     * @throws IllegalStateException if an actor would wait for its own end
     */
    public boolean awaitEnd(Duration limit) {
        return target.awaitEnd(limit);
    }

    // ---------------------------------------------------------------- looking

    /** {@return the actor's name} */
    public String name() {
        return name;
    }

    /** {@return the names from the system down to the actor, with a {@code /} between} */
    public String path() {
        return parentPath + "/" + name;
    }

    /** {@return the actor's number, unique in its system} */
    public long number() {
        return number;
    }

    /**
     * {@return what waits in the mailbox} A look for people and tests: it may be over when it
     * returns. From elsewhere than the actor's cord a switchpoint, because the cord is asked.
     */
    public MailboxSnapshot mailbox() {
        return target.mailbox();
    }

    /** {@return where messages go; for builders of targets} */
    public Target<M> target() {
        return target;
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || (other instanceof ActorRef<?> ref
                        && number == ref.number
                        && target.equals(ref.target)
                        && name.equals(ref.name));
    }

    /** Of what two runs of a program have in common, so that they go through a set in one order. */
    @Override
    public int hashCode() {
        return 31 * Long.hashCode(number) + name.hashCode();
    }

    /** The path and the number. */
    @Override
    public String toString() {
        return path() + "#" + number;
    }
}
