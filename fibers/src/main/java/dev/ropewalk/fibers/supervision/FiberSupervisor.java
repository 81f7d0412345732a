package dev.ropewalk.fibers.supervision;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.VoidScopeBlock;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.EndListener;
import dev.ropewalk.fibers.internal.fiber.FiberAwait;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.FiberMessages;
import dev.ropewalk.fibers.internal.fiber.Unwind;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SequencedSet;
import java.util.concurrent.Callable;

/**
 * Keeps fibers running: starts those that ended again, by the rules of a {@link FiberSupervision}.
 *
 * {@snippet file="dev/ropewalk/fibers/SnippetsTest.java" region="supervise"}
 *
 * <p>{@link #run} is a blocking call of the supervising fiber, the supervisor's owner. Its block
 * spins or adopts the first fibers; when the block is done supervision begins, and more may be spun
 * and adopted by hooks and other fibers of the cord. The call ends when all fibers have ended for
 * good; when their restarts are too many; or when the owner is terminated, cancelled or raised
 * into. However it ends, it leaves no fiber behind: those that are left are terminated one after
 * the other, the last first, each awaited before the next, all within the stop limit; one that does
 * not end is abandoned with a report.
 *
 * <p>A failure of a supervised fiber is the supervisor's: it goes to the hook and not to the
 * parent. A supervisor is confined to its owner's cord, its fibers are not.
 */
public final class FiberSupervisor {
    /*
     * A member is one supervised body; its fibers follow each other.
     *
     *   ALIVE   -> ENDED     its fiber is over; on the fiber's cord, told by message if need be
     *   ENDED   -> ALIVE     the owner took the event and started the next fiber
     *   ENDED   -> DELAYED   the owner took the event, and the back-off is not zero
     *   DELAYED -> ALIVE     the delay is over
     *   ENDED   -> (gone)    not to be started again
     *
     * Invariant: "members" are all that are not gone, in the order in which they came; "events" are
     * the ENDED ones in the order of their ends, "delayed" the DELAYED ones by time.
     *
     * The owner alone decides, in its own turn, so an end during a hook or another restart waits
     * for its own turn. Rejected: awaitAny over the fibers, which takes a list for each wait and
     * does not hear of new ones.
     */
    private final FiberImpl<?> owner = FiberImpl.current();
    private final FiberSupervision rules;
    private final RestartWindow restarts;
    private final SequencedSet<Member> members = new LinkedHashSet<>();
    private final ArrayDeque<Member> events = new ArrayDeque<>();
    private final PriorityQueue<Member> delayed =
            new PriorityQueue<>(
                    Comparator.comparingLong((Member member) -> member.dueNs)
                            .thenComparingLong(member -> member.endNumber));
    private boolean isClosed;
    private long ends;

    /** Number of the owner's last wait for an event; -1 before the first. */
    private long waitNumber = -1;

    private FiberSupervisor(FiberSupervision rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
        this.restarts = new RestartWindow(rules.intensity(), rules.period());
    }

    /**
     * Runs the block and then supervises, in this fiber, until all supervised fibers have ended for
     * good. A switchpoint. A termination or cancellation of this fiber ends them first.
     *
     * @param <X> what the block throws
     * @param rules when and how fibers are started again
     * @param block spins or adopts the first fibers; supervision begins when it is done
     * @throws TooManyRestartsException if there were more restarts than the rules allow
     * @throws CordClosedException if a fiber was to be started again on a cord that has ended
     * @throws X what the block threw
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <X extends Exception> void run(
            FiberSupervision rules, VoidScopeBlock<FiberSupervisor, X> block) throws X {
        Objects.requireNonNull(block, "block");
        FiberSupervisor supervisor = new FiberSupervisor(rules);
        try {
            block.run(supervisor);
            supervisor.supervise();
        } finally {
            supervisor.isClosed = true;
            if (!supervisor.members.isEmpty()) {
                Cancellation.shielded(FiberImpl.of(supervisor.owner), supervisor::endMembers);
            }
        }
    }

    // ---------------------------------------------------------------- its fibers

    /**
     * Spins a supervised fiber on the owner's cord, as a child of the owner.
     *
     * @param name the name of the fiber and of those that follow it
     * @param body what they run
     * @return the first fiber
     * @throws IllegalStateException if the supervisor is over
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public Fiber<?> spin(String name, Callable<?> body) {
        return spinOn(owner.cord, name, body);
    }

    /**
     * Like {@link #spin(String, Callable)}, without a result.
     *
     * @param name the name of the fiber and of those that follow it
     * @param body what they run
     * @return the first fiber
     * @throws IllegalStateException if the supervisor is over
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public Fiber<?> spin(String name, Action body) {
        return spinOn(owner.cord, name, Callables.of(body));
    }

    /**
     * Like {@link #spin(String, Callable)}, on a cord of choice.
     *
     * @param cord where the fiber and those that follow it run
     * @param name the name of the fiber and of those that follow it
     * @param body what they run
     * @return the first fiber
     * @throws IllegalStateException if the supervisor is over
     * @throws WrongThreadException if called on another cord than the owner's
     * @throws CordClosedException if the cord has ended
     * @throws TooManyFibersException if the cord has as many fibers as it may
     */
    public Fiber<?> spinOn(Cord cord, String name, Callable<?> body) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(body, "body");
        checkOpen(name);
        Member member = new Member(CordImpl.of(cord), name, body);
        Fiber<?> fiber = member.start();
        members.add(member);
        return fiber;
    }

    /**
     * Supervises a fiber that exists: it becomes a child of the owner and ends with the supervisor.
     * A fiber that is over already counts as an end now; on another cord it may also end while it
     * is adopted, and then a failure may be told to its old parent too. The successors of a task
     * run on the cord that started it.
     *
     * @param fiber on any cord
     * @throws IllegalArgumentException if the fiber is a {@link Handler}'s, a cord's root fiber,
     *     the owner or one above it, or is supervised here already
     * @throws IllegalStateException if the supervisor is over
     * @throws WrongThreadException if called on another cord than the owner's
     */
    public void adopt(Fiber<?> fiber) {
        checkOpen(fiber);
        FiberImpl<?> adopted = FiberImpl.of(fiber);
        Callable<?> body = adopted.body();
        if (body == null) {
            throw new IllegalArgumentException(
                    fiber + " runs a handler, which cannot be started again; spin it elsewhere");
        }
        if (members.stream().anyMatch(each -> each.fiber == fiber)) {
            throw new IllegalArgumentException(fiber + " is supervised by " + this + " already");
        }
        adopted.checkAttach(owner);
        if (adopted.parentOrNull() == owner) {
            adopted.isAwaitedByParent =
                    true; // on another cord it may fail before it is listened to
        }
        Member member = new Member(adopted.cordOrNull(), fiber.name(), body);
        members.add(member);
        member.follow(adopted);
        fiber.attachTo(owner); // now: a failure without a listener would cancel the owner
    }

    private void checkOpen(Object what) {
        owner.checkCord("spin under the supervisor in");
        if (isClosed) {
            throw new IllegalStateException(this + " is over; " + what + " was not taken");
        }
    }

    // ---------------------------------------------------------------- supervising

    private void supervise() {
        while (!members.isEmpty() || rules.isEndless()) {
            Member ended = events.poll();
            Member due = delayed.peek();
            if (ended != null) {
                tellHook(ended);
                startAgain(ended);
            } else if (due != null && due.dueNs - now() <= 0) {
                delayed.remove(due);
                due.start();
            } else {
                await(due == null ? Long.MAX_VALUE : due.dueNs - now());
            }
        }
    }

    /** False if the limit passed first. */
    private boolean await(long limitNs) {
        waitNumber = owner.nextWaitNumber();
        return owner.parkFor(WaitKind.LIBRARY, this, limitNs) != Waits.TIMED_OUT;
    }

    private void startAgain(Member ended) {
        Throwable failure = ended.fiber.failure();
        if (!rules.restart().restartsAfter(failure)) {
            members.remove(ended);
            return;
        }
        if (!restarts.allow(now())) {
            members.remove(ended);
            throw new TooManyRestartsException(
                    this + " gives up after the end of " + ended.fiber + ": " + restarts, failure);
        }
        long delayNs = ended.delays.next(now(), owner.cord::nextInt);
        if (delayNs == 0) {
            ended.start();
        } else {
            ended.dueNs = now() + delayNs;
            delayed.add(ended);
        }
    }

    private void tellHook(Member ended) {
        FiberImpl<?> fiber = ended.fiber;
        Throwable failure = fiber.failure();
        try {
            if (failure == null) {
                rules.onResult().ended(fiber, FiberAwait.takeEnded(fiber));
            } else if (RestartRule.isFailure(failure)) {
                rules.onFailure().failed(fiber, failure);
            }
        } catch (Throwable broken) {
            if (Waits.isSignal(broken) && Cancellation.due(owner) instanceof Unwind) {
                // The hook has waited, against the rule, and this fiber is to end.
                members.remove(ended);
                throw broken;
            }
            owner.cord.reportUncaught(owner, broken);
        }
    }

    private long now() {
        return owner.cord.nanoTime();
    }

    // ---------------------------------------------------------------- ending

    /** The last first; one that ends meanwhile is told to the hooks and not started again. */
    private boolean endMembers() {
        long limitNs = Waits.nanos(rules.stopLimit());
        long startNs = now();
        members.removeAll(delayed);
        delayed.clear();
        takeEvents();
        boolean inTime = true;
        while (inTime && !members.isEmpty()) {
            Member last = members.getLast();
            last.fiber.terminate();
            while (inTime && members.contains(last)) {
                inTime = await(Math.max(0, limitNs - (now() - startNs)));
                takeEvents();
            }
        }
        if (!members.isEmpty()) {
            abandonMembers();
        }
        return true;
    }

    private void takeEvents() {
        for (Member ended = events.poll(); ended != null; ended = events.poll()) {
            tellHook(ended);
            members.remove(ended);
        }
    }

    /** The fibers that come first have not been terminated yet: they get one turn. */
    private void abandonMembers() {
        members.reversed().forEach(member -> member.fiber.terminate());
        for (boolean more = true; more; ) {
            more = await(0);
            takeEvents();
        }
        List<Fiber<?>> left = new ArrayList<>();
        members.reversed().forEach(member -> left.add(member.fiber));
        Abandonment.abandonChildren(
                owner, left, this + " ended, and its limit of " + rules.stopLimit());
        takeEvents();
        members.clear();
    }

    // ---------------------------------------------------------------- members

    /** One supervised body; all but {@link #ended} is confined to the owner's cord. */
    private final class Member implements EndListener {
        /** Null for an adopted task that had no cord yet: its successors run where it ran. */
        private final @Nullable CordImpl cord;

        private final String name;
        private final Callable<?> body;
        private final RestartDelays delays = new RestartDelays(rules.backOff());

        /** The fiber there is, or the last one there was. */
        private FiberImpl<?> fiber;

        private long dueNs;
        private long endNumber;

        Member(@Nullable CordImpl cord, String name, Callable<?> body) {
            this.cord = cord;
            this.name = name;
            this.body = body;
            this.fiber = owner;
        }

        Fiber<?> start() {
            CordImpl here = cord == null ? fiber.home() : cord;
            FiberImpl<?> next = new FiberImpl<@Nullable Object>(here, owner, name, body, null);
            // On another cord it may fail before its listener is there: the owner ignores that.
            next.isAwaitedByParent = true;
            try {
                here.spinBelow(owner, next);
            } catch (CordClosedException | TooManyFibersException refused) {
                members.remove(this);
                throw refused;
            }
            follow(next);
            return next;
        }

        void follow(FiberImpl<?> next) {
            fiber = next;
            FiberAwait.listen(next, this);
        }

        /** The failure is the supervisor's. */
        @Override
        public boolean ended(Fiber<?> dead) {
            if (owner.cord.isCurrent()) {
                enterEvent();
            } else {
                owner.cord.send(FiberMessages.quiet(this::enterEvent));
            }
            return true;
        }

        private void enterEvent() {
            endNumber = ends++;
            events.add(this);
            owner.resume(waitNumber, null);
        }
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        if (!members.containsAll(events) || !members.containsAll(delayed)) {
            throw new IllegalStateException(
                    "events or delayed hold one that is no member of " + this);
        }
        for (Member member : members) {
            boolean isOver = member.fiber.outcome() != null;
            boolean isKnown = events.contains(member) || delayed.contains(member);
            if (member.fiber.cord == owner.cord && isOver != isKnown) {
                throw new IllegalStateException("over=" + isOver + ": " + member.fiber);
            }
        }
    }

    @Override
    public String toString() {
        return "the supervisor in " + owner;
    }
}
