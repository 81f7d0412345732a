package dev.ropewalk.actors.internal;

import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/** An ask whose reply completes a stage; its limit is an alarm of the asked actor's cord. */
final class LaterAsk<M, R> extends Ask<M, R> {
    private final long limitNanos;
    private final Stage stage = new Stage();

    /** Another ask has been answered in its place: what comes late is dropped. */
    private volatile boolean isLost;

    /** Set and cancelled on the actor's cord only. */
    private @Nullable Alarm alarm;

    /** What the reply completes. */
    final class Stage extends CompletableFuture<R> {
        /** No reply is wanted any more, and one that comes is no dead letter. */
        void lose() {
            isLost = true;
        }
    }

    LaterAsk(ActorCell<M> target, long limitNanos) {
        super(target, limitNanos);
        this.limitNanos = limitNanos;
    }

    CompletableFuture<R> stage() {
        return stage;
    }

    @Override
    @SuppressWarnings("unchecked") // nothing but R and Failed is given
    boolean take(Object result) {
        boolean taken =
                result instanceof Failed failed
                        ? stage.completeExceptionally(failure(failed))
                        : stage.complete((R) result);
        if (taken) {
            target().onCord(this::cancelAlarm);
        }
        return taken;
    }

    @Override
    boolean isOpen() {
        return !stage.isDone();
    }

    @Override
    boolean isReportedLate() {
        return !isLost;
    }

    /** On the actor's cord. */
    void beginLimit() {
        if (limitNanos != Long.MAX_VALUE && isOpen()) {
            alarm =
                    Alarm.after(
                            leftNanos(), () -> stage.completeExceptionally(timeout(limitNanos)));
        }
    }

    private void cancelAlarm() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }
}
