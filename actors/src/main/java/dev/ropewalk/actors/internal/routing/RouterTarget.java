package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.AskMany;
import dev.ropewalk.actors.internal.Caller;
import dev.ropewalk.actors.routing.NoMembersException;
import dev.ropewalk.actors.routing.WhenEmpty;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.Target;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * The target of the address of a router: it hands messages on to the members that its choice says,
 * on the sender's thread, and keeps nothing.
 */
public final class RouterTarget<M> extends Target<M> {
    /** Of routers that no system knows; below zero, so that no actor has one of them. */
    private static final AtomicLong NUMBERS = new AtomicLong();

    private final String name;
    private final Choice<M> choice;

    /** The choice itself if it chooses all members; null if it chooses one. */
    private final @Nullable ToAll<M> toAll;

    private final WhenEmpty whenEmpty;

    /** Null if the members do not change. */
    private final @Nullable GroupCell<M> group;

    /** The members if there is no group; otherwise empty. */
    private final Roster<M> fixed;

    private RouterTarget(
            String name,
            Choice<M> choice,
            WhenEmpty whenEmpty,
            @Nullable GroupCell<M> group,
            Roster<M> fixed) {
        this.name = name;
        this.choice = choice;
        this.toAll = choice.toAll();
        this.whenEmpty = whenEmpty;
        this.group = group;
        this.fixed = fixed;
    }

    public static <M> ActorRef<M> over(
            String kind, Choice<M> choice, WhenEmpty whenEmpty, GroupCell<M> group) {
        String name = "the " + kind + " router of " + group;
        return ref(new RouterTarget<>(name, choice, whenEmpty, group, Roster.empty()));
    }

    public static <M> ActorRef<M> over(
            String kind, Choice<M> choice, Collection<ActorRef<M>> actors) {
        if (actors.isEmpty()) {
            throw new IllegalArgumentException(
                    "a router over no actors has none to send to, now or later; to let them join,"
                            + " put it over a group");
        }
        Roster<M> fixed = new Roster<>(actors.stream().map(Member::here).toList(), false);
        String name = "the " + kind + " router of " + fixed.actors();
        return ref(new RouterTarget<>(name, choice, WhenEmpty.fail(), null, fixed));
    }

    private static <M> ActorRef<M> ref(RouterTarget<M> target) {
        return ActorRef.to("routers", target.name, NUMBERS.decrementAndGet(), target);
    }

    private Roster<M> now() {
        return group == null ? fixed : group.roster();
    }

    // ---------------------------------------------------------------- telling

    @Override
    public void tell(M message) {
        Roster<M> roster = now();
        if (roster.size() == 0) {
            if (Calls.holds(new Later<>(this), message)) {
                return;
            }
            roster = whenEmpty(message);
        }
        if (toAll != null) {
            tellAll(roster, message);
        } else if (roster.size() > 0) {
            Member<M> chosen = chooseFor(roster, message);
            if (chosen != null) {
                chosen.tell(name, message);
            }
        }
    }

    /**
     * Null if the choice failed, which no actor does by a router that it did not make: a dead
     * letter is made then. Other senders get it.
     */
    private @Nullable Member<M> chooseFor(Roster<M> roster, M message) {
        try {
            return choice.choose(roster, message);
        } catch (RuntimeException | Error failure) {
            if (Waits.isSignal(failure)) {
                throw failure;
            }
            if (!Calls.holds(new Later<>(this), message)) {
                refuse(message, failure);
            }
            return null;
        }
    }

    private void refuse(M message, Throwable failure) {
        DeadLetter.Reason reason =
                failure instanceof NoMembersException
                        ? DeadLetter.Reason.NO_MEMBERS
                        : DeadLetter.Reason.FAILED;
        if (!Caller.isInActor() || !report(new DeadLetter(message, name, reason, failure))) {
            Refusals.throwIfAny(failure);
        }
    }

    /** For a message that is told to it again, because it has found no member yet. */
    private record Later<M>(RouterTarget<M> router) implements Recipient<M> {
        @Override
        public void tell(M message) {
            router.tell(message);
        }

        /** Behind a tell that was broken off: some members may have it. */
        @Override
        public TellResult tryTell(M message) {
            return TellResult.ENDED;
        }

        @Override
        public void fail(Throwable failure) {
            router.fail(failure);
        }

        @Override
        public String toString() {
            return router.name;
        }
    }

    private void tellAll(Roster<M> roster, M message) {
        Throwable broken = null;
        for (int i = 0; i < roster.size(); i++) {
            try {
                roster.get(i).tell(name, message);
            } catch (RuntimeException | Error refused) {
                ActorRef<M> member = roster.get(i).actor();
                broken = Refusals.add(broken, refused, member, message, name);
            }
        }
        Refusals.throwIfAny(broken);
    }

    /** Still empty if the message was reported. */
    private Roster<M> whenEmpty(M message) {
        if (!(whenEmpty instanceof WhenEmpty.ToDeadLetters)) {
            try {
                return awaitMembers(Long.MAX_VALUE);
            } catch (NoMembersException none) {
                refuse(message, none);
                return Roster.empty();
            }
        }
        report(new DeadLetter(message, name, DeadLetter.Reason.NO_MEMBERS, null));
        return Roster.empty();
    }

    /** A switchpoint if it may wait, which it does no longer than the asker. */
    private Roster<M> awaitMembers(long limitNs) {
        if (whenEmpty instanceof WhenEmpty.Await rule && group != null) {
            long mostNs = Math.min(limitNs, Waits.nanos(rule.limit()));
            long endNs = Waits.nanoTime() + Math.min(mostNs, Long.MAX_VALUE / 4);
            for (long leftNs = endNs - Waits.nanoTime();
                    leftNs >= 0 && group.awaitMember(leftNs);
                    leftNs = endNs - Waits.nanoTime()) {
                Roster<M> roster = now();
                if (roster.size() > 0) {
                    return roster;
                }
            }
            if (group.isOver()) {
                throw new NoMembersException(
                        name + " has no member, and its system is over; nothing was sent");
            }
            if (mostNs == limitNs) {
                throw new AskTimeoutException(
                        name + " has had no member within the limit of the ask; nothing was sent");
            }
            throw new NoMembersException(
                    name + " has had no member within " + rule.limit() + "; nothing was sent");
        }
        throw none();
    }

    private NoMembersException none() {
        return new NoMembersException(name + " has no member; nothing was sent");
    }

    @Override
    public TellResult tryTell(M message) {
        Roster<M> roster = now();
        if (roster.size() == 0) {
            return TellResult.ENDED;
        }
        if (toAll == null) {
            Member<M> chosen = chooseFor(roster, message);
            return chosen == null ? TellResult.ACCEPTED : chosen.tryTell(name, message);
        }
        TellResult worst = TellResult.ACCEPTED;
        for (int i = 0; i < roster.size(); i++) {
            TellResult result = roster.get(i).tryTell(name, message);
            worst = result == TellResult.ACCEPTED ? worst : result;
        }
        return worst;
    }

    @Override
    public void fail(Throwable failure) {
        if (Calls.holdsFailure(new Later<>(this), failure)) {
            return;
        }
        report(new DeadLetter(failure, name, DeadLetter.Reason.FAILURE, failure));
    }

    /** To the system of its group, or of its first member that has one in this process. */
    @Override
    public boolean report(DeadLetter letter) {
        if (group != null) {
            group.deadLetters().report(letter);
            return true;
        }
        for (int i = 0; i < fixed.size(); i++) {
            Routee<?> cell = fixed.get(i).cell();
            if (cell != null) {
                cell.deadLetters().report(letter);
                return true;
            }
            if (fixed.get(i).actor().target().report(letter)) {
                return true;
            }
        }
        return false;
    }

    // ---------------------------------------------------------------- asking

    @Override
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        Roster<M> roster = now();
        Duration left = limit;
        if (roster.size() == 0) {
            long limitNs = Caller.inherited(Waits.nanos(limit));
            long beganNs = Waits.nanoTime();
            try {
                roster = awaitMembers(limitNs);
            } catch (NoMembersException none) {
                throw noReply(none);
            }
            if (limitNs != Long.MAX_VALUE) {
                long leftNs = limitNs - (Waits.nanoTime() - beganNs);
                left = Duration.ofNanos(Math.max(0, leftNs));
            }
        }
        if (toAll != null) {
            return AskMany.first(takingFirst(toAll, roster), message, left);
        }
        if (!choice.needsMessage()) {
            return choice.choose(roster, null).actor().ask(message, left);
        }
        BoundReply<R> reply = new BoundReply<>();
        M made = Objects.requireNonNull(message.apply(reply), "message");
        Member<M> chosen;
        try {
            chosen = choice.choose(roster, made);
        } catch (RuntimeException failure) {
            throw noReply(failure);
        }
        return chosen.actor().ask(bound(reply, made), left);
    }

    private AskFailedException noReply(RuntimeException why) {
        return new AskFailedException(
                name + " was asked and gives no reply: " + why.getMessage(), why);
    }

    private List<ActorRef<M>> takingFirst(ToAll<M> all, Roster<M> roster) {
        if (!all.takesFirstReply()) {
            throw new UnsupportedOperationException(
                    name
                            + " sends to all, and an ask takes one reply; use Routing.first(), or"
                            + " ActorRef.askAll with the members of the group");
        }
        return roster.actors();
    }

    private static <M, R> Function<Recipient<R>, M> bound(BoundReply<R> reply, M made) {
        return ask -> {
            reply.bind(ask);
            return made;
        };
    }

    @Override
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        Roster<M> roster = now();
        if (roster.size() == 0) {
            return CompletableFuture.failedStage(noReply(none()));
        }
        if (toAll != null) {
            return AskMany.firstLater(takingFirst(toAll, roster), message, limit);
        }
        if (!choice.needsMessage()) {
            return choice.choose(roster, null).actor().askLater(message, limit);
        }
        BoundReply<R> reply = new BoundReply<>();
        M made = Objects.requireNonNull(message.apply(reply), "message");
        Member<M> chosen;
        try {
            chosen = choice.choose(roster, made);
        } catch (RuntimeException failure) {
            return CompletableFuture.failedStage(noReply(failure));
        }
        return chosen.actor().askLater(bound(reply, made), limit);
    }

    // ---------------------------------------------------------------- what it is not

    private UnsupportedOperationException noActor(String call) {
        return new UnsupportedOperationException(
                call + " of " + name + ": it is no actor; use its members");
    }

    @Override
    public void stop() {
        throw noActor("stop");
    }

    @Override
    public void terminate() {
        throw noActor("terminate");
    }

    @Override
    public void kill() {
        throw noActor("kill");
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        throw noActor("awaitEnd");
    }

    @Override
    public void watch(DownListener listener, boolean ofEach) {
        throw noActor("a monitor");
    }

    @Override
    public void unwatch(DownListener listener) {
        // It was never watched.
    }

    @Override
    public MailboxSnapshot mailbox() {
        throw noActor("mailbox");
    }

    @Override
    public String toString() {
        return name;
    }
}
