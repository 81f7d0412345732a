package dev.ropewalk.actors.spi;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The limit of an ask for whose reply nobody waits: an alarm of the asker's cord. A plain thread
 * has no cord, and a cord may end before the limit; then the timer of the JDK serves it, which is
 * one thread for all.
 *
 * <p>Rejected: the asked actor's cord, which was that of the fewest messages. The limit guards
 * against the case that this cord does not go on.
 */
public final class AskLimit {
    private final Runnable code;

    /** Null if no cord serves it. */
    private final @Nullable Cord cord;

    /** Of the cord. */
    private final @Nullable Alarm alarm;

    /** Null while the cord serves it. */
    private volatile @Nullable CompletableFuture<@Nullable Object> timer;

    private volatile boolean isOver;

    private AskLimit(long nanos, Runnable code) {
        this.code = code;
        this.cord = Cord.currentOrNull();
        if (cord == null) {
            this.alarm = null;
            byTimer(nanos);
        } else {
            long endNs = Waits.nanoTime() + Math.min(nanos, Long.MAX_VALUE / 2);
            this.alarm =
                    Alarm.after(
                            nanos,
                            this::goOff,
                            () -> byTimer(Math.max(0, endNs - Waits.nanoTime())));
        }
    }

    /**
     * {@return a limit that runs the code when the time is over, on the current cord if there is
     * one}
     *
     * @param nanos the time, from now on
     * @param code what it runs; must not wait
     */
    public static AskLimit after(long nanos, Runnable code) {
        return new AskLimit(nanos, code);
    }

    private void goOff() {
        if (!isOver) {
            isOver = true;
            code.run();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the code does not throw
    private void byTimer(long nanos) {
        CompletableFuture<@Nullable Object> due = new CompletableFuture<>();
        due.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
        due.thenRun(this::goOff);
        timer = due;
        if (isOver) {
            due.cancel(false);
        }
    }

    /** Takes it back; no effect if it has gone off. From any thread. */
    public void cancel() {
        if (isOver) {
            return;
        }
        isOver = true;
        CompletableFuture<@Nullable Object> due = timer;
        if (due != null) {
            due.cancel(false);
        } else if (cord != null && cord.isCurrent()) {
            cancelAlarm();
        } else if (cord != null) {
            cord.post(new Cancel(this));
        }
    }

    private void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel();
        }
    }

    /** On its way to the cord of the alarm. */
    private static final class Cancel extends CordMessage {
        private final AskLimit limit;

        Cancel(AskLimit limit) {
            this.limit = limit;
        }

        @Override
        public void onCord() {
            limit.cancelAlarm();
        }

        @Override
        public void onClosed() {
            // Its alarms have gone with it.
        }
    }
}
