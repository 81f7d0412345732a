package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * How single children of a supervisor end in one life of it: each is asked to, and its end is an
 * event. After that it is to come up again, stays known as stopped, or is forgotten; where its kept
 * state has something left to do, that is done first. Confined to the supervisor's cord.
 */
final class ChildEnds {
    /** More than a limit, so that the child's own cord is the first to give it up. */
    static final long GRACE_NS = Duration.ofSeconds(1).toNanos();

    private static final Log LOG = Logs.logger(Supervisor.class);

    private final SupervisorLife life;
    private final SupervisorCell cell;
    private final NamedChildren children;

    /** A significant child ended by itself: to be looked at when all others are up. */
    private boolean isEndDue;

    ChildEnds(SupervisorLife life) {
        this.life = life;
        this.cell = life.cell();
        this.children = cell.namedChildren();
    }

    /** Whether it is the end of the incarnation that runs, not of an earlier one. */
    static boolean isOf(SupervisorEvent.Ended ended) {
        Child child = ended.child();
        return child.fiber == ended.fiber()
                && (child.isAlive() || child.state() == Child.State.DOWN);
    }

    static ExitReason withSupervisor() {
        return new ExitReason.Shutdown("its supervisor has ended");
    }

    // ---------------------------------------------------------------- asking

    void askToStop(Child child, boolean isLast) {
        if (child.state() == Child.State.UP || child.state() == Child.State.STARTING) {
            child.state(child.state(), Child.State.STOPPING);
            Fiber<?> running = Objects.requireNonNull(child.fiber, "fiber");
            if (child.isKilled()) {
                child.what.kill();
            }
            stopBegins(child);
            child.what.stop(running, isLast);
        }
    }

    /** From now on its stop limit counts. */
    private void stopBegins(Child child) {
        Child.Past past = child.past();
        past.stopBeganNs = cell.cord().nanoTime();
        Fiber<?> running = Objects.requireNonNull(child.fiber, "fiber");
        long limitNs = Waits.nanos(child.stopLimit(cell.rules()));
        boolean isByEvent = !life.isStopping() && limitNs < Long.MAX_VALUE / 2;
        if (isByEvent) {
            child.stopLimitEnds();
            past.stopLimit =
                    life.alarmAfter(
                            Duration.ofNanos(limitNs + GRACE_NS),
                            new SupervisorEvent.StopLimit(child, running));
        }
    }

    /** It did not end within its limit. */
    void giveUpOn(Child child) {
        LOG.warn("{} did not end within {}", child.what, child.stopLimit(cell.rules()));
        child.state(Child.State.STOPPING, Child.State.DOWN);
        child.fiber = null; // its end does not count any more
        child.stopLimitEnds();
    }

    /** It ends for itself, and is not started again; that it holds is the answer. */
    void end(Child child, String why, @Nullable WaitCell answer) {
        Departure leaving = child.departs();
        if (answer != null) {
            leaving.await(answer);
        }
        child.past().isUnwanted = true;
        if (child.state() == Child.State.STOPPING) {
            return; // it is told when it has ended
        }
        if (child.isAlive()) {
            askToStop(child, true);
        } else if (child.state() != Child.State.STOPPED || child.isToForget()) {
            ExitReason last = child.lastReason();
            forgetOrKeep(child, last == null ? new ExitReason.Shutdown(why) : last);
        } else {
            child.hasLeft(new ExitReason.Shutdown(why));
        }
    }

    // ---------------------------------------------------------------- what follows

    /** The incarnation is over, and why is told. */
    void isDown(Child child, SupervisorEvent.Ended ended) {
        boolean wasAsked = child.state() == Child.State.STOPPING;
        child.state(child.state(), Child.State.DOWN);
        child.stopLimitEnds();
        FailureReport report = Restarts.report(ended);
        if (report != null && !(wasAsked && child.isKilled())) {
            cell.report(report);
        }
    }

    /** It is over for good. */
    void forget(Child child, ExitReason reason) {
        isOver(child, reason, false);
    }

    void forgetOrKeep(Child child, ExitReason reason) {
        boolean isKept =
                child.spec != null
                        && !child.isToForget()
                        && child.restartRule() != RestartRule.TEMPORARY;
        isOver(child, reason, isKept);
    }

    /** When what its kept state has left to do is done, for which only the last turn waits. */
    void isOver(Child child, ExitReason reason, boolean isKept) {
        if (!beginStateEnd(child, reason)) {
            leave(child, reason, isKept);
            return;
        }
        child.departs().decide(reason, isKept);
        if (life.isStopping()) {
            life.awaitEnd(child);
        }
    }

    /**
     * The work that the child's kept state has left is done in a fiber of its own, whose end is an
     * event. False if nothing is left.
     */
    boolean beginStateEnd(Child child, ExitReason reason) {
        if (!child.isStateLeft()) {
            return false;
        }
        child.past().isStateLeft = false;
        try {
            Handler last = child.what.stateEnd(reason);
            child.fiber = child.what.cord().spinHandler(child.what.name(), last);
        } catch (CordClosedException | TooManyFibersException e) {
            LOG.debug("the end hooks of {} run where no fiber does", child.what, e);
            return false; // when it is told of its end
        }
        child.state(child.state(), Child.State.STOPPING);
        stopBegins(child);
        return true;
    }

    void afterStateEnd(Child child) {
        child.stopLimitEnds();
        Departure leaving = child.departure();
        ExitReason reason = leaving == null ? null : leaving.reason();
        if (leaving == null || reason == null) {
            child.state(child.state(), Child.State.DOWN); // its supervisor decides on it later
        } else {
            leave(child, reason, leaving.isKept());
        }
    }

    /** Its name is free, or it can be restarted, before anybody hears of it. */
    private void leave(Child child, ExitReason reason, boolean isKept) {
        if (isKept) {
            child.state(child.state(), Child.State.STOPPED);
        } else {
            children.remove(child);
        }
        child.what.end(reason);
        Departure leaving = child.departure();
        isEndDue |= leaving != null && leaving.isCounted();
        child.hasLeft(reason);
    }

    /** Whether a significant child has ended by itself since the last question. */
    boolean takeEndDue() {
        boolean was = isEndDue;
        isEndDue = false;
        return was;
    }
}
