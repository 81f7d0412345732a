package dev.ropewalk.fibers.spi;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.timer.Timer;

import org.jspecify.annotations.Nullable;

/**
 * Code that runs once on a cord after a while, without a fiber: for builders of timers and limits
 * of their own. Confined to its cord. A pending alarm keeps no cord alive: when the cord ends, the
 * alarm does not go off.
 */
public final class Alarm {
    private static final Log LOG = Logs.logger(Alarm.class);

    private final CordImpl cord;
    private final Timer timer;

    private Alarm(
            CordImpl cord, long delayNanos, Runnable action, @Nullable Runnable whenCordEnds) {
        this.cord = cord;
        this.timer = cord.armAlarm(delayNanos, new Task(cord, action), whenCordEnds);
    }

    /**
     * {@return an alarm on the current cord}
     *
     * @param delayNanos after how many nanoseconds it goes off; 0 or less at the next look at the
     *     timers
     * @param action what it runs, as no fiber; must not wait; its exceptions are logged
     * @throws IllegalStateException if this thread is no cord
     */
    public static Alarm after(long delayNanos, Runnable action) {
        return make(delayNanos, action, null);
    }

    /**
     * {@return an alarm on the current cord, for an action that has to come even if the cord ends
     * before}
     *
     * @param delayNanos after how many nanoseconds it goes off; 0 or less at the next look at the
     *     timers
     * @param action what it runs, as no fiber; must not wait; its exceptions are logged
     * @param whenCordEnds runs if the cord has ended and the alarm is pending, on the thread that
     *     was the cord; must neither wait nor throw. Not on a virtual clock, whose time is over
     *     then
     * @throws IllegalStateException if this thread is no cord
     */
    public static Alarm after(long delayNanos, Runnable action, Runnable whenCordEnds) {
        return make(delayNanos, action, whenCordEnds);
    }

    private static Alarm make(long delayNanos, Runnable action, @Nullable Runnable whenCordEnds) {
        CordImpl cord = CordImpl.currentOrNull();
        if (cord == null) {
            throw new IllegalStateException(
                    "an alarm was set on " + Thread.currentThread() + ", which is no cord");
        }
        return new Alarm(cord, delayNanos, action, whenCordEnds);
    }

    /** No effect if it has gone off. On its cord. */
    public void cancel() {
        cord.cancelTimer(timer);
    }

    /** Of the timer alone, so that one that is over holds nothing. */
    private record Task(CordImpl cord, Runnable action) implements Runnable {
        @Override
        public void run() {
            cord.loop.asNoFiber(this::act);
        }

        private void act() {
            try {
                action.run();
            } catch (StackOverflowError tooDeep) {
                throw tooDeep; // it goes off again, from less deep
            } catch (Throwable broken) {
                Logs.tellBroken(LOG, broken, "the alarm {} failed", action);
            }
        }

        /** For a report; calls no code of a program. */
        @Override
        public String toString() {
            return Lines.ofOwn(action);
        }
    }
}
