package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.observe.ActorEvents;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.supervision.Restarts;
import dev.ropewalk.actors.internal.supervision.Start;
import dev.ropewalk.actors.internal.supervision.SupervisorEvent;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * How an actor ends, on its cord. An incarnation is over; its supervisor decides, and either starts
 * another one, has a fiber do what a kept state has left to do, or says that it is not started
 * again. Then all that it was told becomes dead letters, and those that wait for its end hear of
 * it. The fields are those of the cell.
 */
final class CellEnd {
    private CellEnd() {}

    /** The incarnation is over, if it ever was; the supervisor decides what follows. */
    static <M> void over(
            ActorCell<M> cell,
            Incarnation<M> ended,
            Fiber<?> fiber,
            ExitReason reason,
            @Nullable FailureReport report,
            @Nullable Start start) {
        boolean began = ended == cell.incarnation;
        Extras<M> own = cell.extras;
        // Those that are told of each end hear of the last one when its groups know.
        boolean isToldLater = own != null && own.isInGroup() && isLast(cell, reason, false);
        boolean hasNotCome = !began || cell.isStarting();
        boolean startFailed = reason.isFailure() && !cell.wasUp && hasNotCome;
        if (own != null) {
            own.taps().forEach(Tap::abandoned);
        }
        if (began) {
            cell.isDown(ended, reason);
            if (own != null && !isToldLater) {
                own.tellOfIncarnation(new Down(cell.ref(), reason));
            }
        }
        if (reason.isFailure()) {
            ActorEvents.failed(cell.ref(), cell.cord(), reason);
        }
        boolean isAtEnd =
                hasNotCome && cell.child().isDraining() && cell.mailboxNow().messages() == 0;
        SupervisorEvent.Phase ranAtAll =
                began ? SupervisorEvent.Phase.RAN : SupervisorEvent.Phase.NEVER_RAN;
        cell.child()
                .supervisor()
                .post(
                        new SupervisorEvent.Ended(
                                cell.child(),
                                fiber,
                                startFailed ? SupervisorEvent.Phase.FIRST_START : ranAtAll,
                                reason,
                                report,
                                start,
                                isStateLeft(cell),
                                isAtEnd));
        if (began && cell.child().supervisor().endsForGood() && !isStateLeft(cell)) {
            cell.child().supervisor().releaseName(cell.child());
            forGood(cell, reason); // nothing is left to decide
        }
    }

    /**
     * Whether no other incarnation can follow. A supervisor that fails may start it again; what is
     * left then is done by {@link #ofState}.
     *
     * @param isOwn whether the reason is its own, or its link's, and not its supervisor's
     */
    static boolean isLast(ActorCell<?> cell, ExitReason reason, boolean isOwn) {
        RestartRule rule = cell.child().restartRule();
        if (cell.stopAsked || rule == RestartRule.TEMPORARY) {
            return true;
        }
        if (cell.child().isDraining() && !reason.isFailure()) {
            return true;
        }
        boolean isWithSupervisor =
                reason instanceof ExitReason.Shutdown && !isOwn && !cell.terminateAsked;
        return !isWithSupervisor && !Restarts.follow(rule, reason);
    }

    /** It is not started again. */
    static <M> void forGood(ActorCell<M> cell, ExitReason reason) {
        if (cell.isEndedNow()) {
            ActorEvents.ended(cell.ref(), cell.cord(), reason);
        }
        Extras<M> own = cell.extras;
        if (own != null) {
            own.endKept(cell, reason);
        }
        Postponing.resume(cell);
        Throwable startFailure =
                !cell.wasUp && reason instanceof ExitReason.Failed(Throwable cause) ? cause : null;
        for (Object queued = cell.poll(); queued != null; queued = cell.poll()) {
            Dropped.drop(cell, queued, DeadLetter.Reason.ENDED, startFailure);
        }
        cell.dropsMailbox();
        if (own != null) {
            own.over(cell, reason); // last: then all that it was told is accounted for
        }
    }

    /** True if it is over; false if the limit passed. From any fiber or thread but its own. */
    static boolean await(ActorCell<?> cell, Duration limit) {
        long limitNanos = Waits.nanos(limit);
        Incarnation<?> caller = Caller.incarnation();
        if (caller != null && caller.cell() == cell) {
            throw new IllegalStateException(cell.ref() + " would wait for its own end");
        }
        Waits.switchpoint();
        WaitCell over = new WaitCell();
        DownListener listener = over::give;
        cell.watch(listener, false);
        boolean isOver = false;
        try {
            isOver = over.await("the end of " + cell.ref(), limitNanos) != Waits.TIMED_OUT;
        } finally {
            if (!isOver) {
                cell.unwatch(listener);
            }
        }
        return isOver;
    }

    // ---------------------------------------------------------------- kept states

    private static boolean isStateLeft(ActorCell<?> cell) {
        Belongings<?> kept = cell.extras == null ? null : cell.extras.kept;
        return kept != null && kept.hasHooks();
    }

    /** Does the work that the kept state has left, in a fiber of its own. */
    static <M> void ofState(ActorCell<M> cell, Fiber<?> fiber, ExitReason reason) {
        Extras<M> own = cell.extras;
        Belongings<M> kept = own == null ? null : own.kept;
        if (own == null || kept == null) {
            return;
        }
        cell.isBeingStopped = true;
        StopLimit limit = StopLimit.beginning(fiber, cell.stopLimit());
        cleanedUp(cell, kept.endOfState(reason), null);
        limit.cancel();
        own.kept = null;
    }

    static void stateEnded(ActorCell<?> cell, Fiber<?> fiber, ExitReason reason) {
        cell.child()
                .supervisor()
                .post(
                        new SupervisorEvent.Ended(
                                cell.child(),
                                fiber,
                                SupervisorEvent.Phase.STATE_ENDED,
                                reason,
                                null,
                                false));
    }

    /** Adds the failures of end hooks to the actor's own failure; reports them if it has none. */
    static void cleanedUp(
            ActorCell<?> cell, List<Throwable> failures, @Nullable Throwable failure) {
        for (Throwable broken : failures) {
            if (RestartRule.isFailure(failure) && broken != failure) {
                Objects.requireNonNull(failure).addSuppressed(broken);
            } else if (broken != failure) {
                cell.child().supervisor().report(Restarts.report(cell, broken));
            }
        }
    }
}
