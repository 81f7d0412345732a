package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.sending.Gate;
import dev.ropewalk.actors.spi.AskLimit;
import dev.ropewalk.actors.spi.AskStage;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * An ask whose reply completes a stage. Its limit is served on the asker's side, because the asked
 * actor may be what does not go on; and it goes when the stage is completed, in whatever way, since
 * it would keep the question until then.
 */
final class LaterAsk<M, R> extends Ask<M, R> {
    private final long limitNanos;
    private final Stage stage = new Stage();

    /** Another ask has been answered in its place: what comes late is dropped. */
    private volatile boolean isLost;

    /** Set by the asker before it looks whether the stage is over, which is what cancels it. */
    private volatile @Nullable AskLimit limit;

    /** The stage that the reply completes. */
    final class Stage extends CompletableFuture<R> implements AskStage {
        @Override
        public void lose() {
            isLost = true;
        }

        boolean reply(R reply) {
            return over(super.complete(reply));
        }

        boolean failure(Failed failed) {
            return over(super.completeExceptionally(LaterAsk.this.failure(failed)));
        }

        @Override
        public boolean complete(R value) {
            return givenUp(super.complete(value));
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            return givenUp(super.completeExceptionally(failure));
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean wasDone = isDone();
            boolean isCancelled = super.cancel(mayInterruptIfRunning);
            givenUp(!wasDone && isCancelled);
            return isCancelled;
        }
    }

    LaterAsk(ActorCell<M> target, long limitNanos) {
        super(target, limitNanos, Caller.incarnation());
        this.limitNanos = limitNanos;
    }

    /** See {@link dev.ropewalk.actors.ActorRef#askLater}. */
    static <M, R> CompletionStage<R> ask(
            ActorCell<M> target, Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        LaterAsk<M, R> ask = new LaterAsk<>(target, Caller.inherited(Waits.nanos(limit)));
        ask.setMessage(Objects.requireNonNull(message.apply(ask), "message"));
        Gate<M> gate = target.gate();
        if (gate == null) {
            target.deliver(ask);
        } else if (gate.trySend(ask, null) == TellResult.FULL) {
            if (target.definition().mailbox.options().overflow() == Overflow.DROP_NEW) {
                target.drop(ask, DeadLetter.Reason.REFUSED, null);
            } else {
                ask.noReply(Dropped.why(DeadLetter.Reason.REFUSED), gate.full(ask));
            }
            return ask.stage;
        }
        ask.isSent();
        ask.beginLimit();
        return ask.stage;
    }

    /** With room that was taken in advance. */
    static <M, R> CompletionStage<R> askWithPermit(
            ActorCell<M> target,
            Gate<M> gate,
            Function<Recipient<R>, ? extends M> message,
            Duration limit) {
        LaterAsk<M, R> ask = new LaterAsk<>(target, Waits.nanos(limit));
        ask.setMessage(Objects.requireNonNull(message.apply(ask), "message"));
        gate.sendWithPermit(ask);
        ask.beginLimit();
        return ask.stage;
    }

    @Override
    @SuppressWarnings("unchecked") // nothing but R and Failed is given
    boolean take(Object result) {
        return result instanceof Failed failed ? stage.failure(failed) : stage.reply((R) result);
    }

    @Override
    public boolean isOpen() {
        return !stage.isDone();
    }

    @Override
    boolean isReportedLate() {
        return !isLost;
    }

    /** By the asker, once the question is sent. */
    private void beginLimit() {
        if (limitNanos == Long.MAX_VALUE || !isOpen()) {
            return;
        }
        AskLimit begun =
                AskLimit.after(leftNanos(), () -> stage.completeExceptionally(timeout(limitNanos)));
        limit = begun;
        if (!isOpen()) {
            begun.cancel();
        }
    }

    private boolean over(boolean isNow) {
        AskLimit begun = limit;
        if (isNow && begun != null) {
            begun.cancel();
        }
        return isNow;
    }

    /** The actor may have taken the question, and need not remember it. */
    private boolean givenUp(boolean isNow) {
        if (isNow) {
            target().onCord(() -> target().answered(this));
        }
        return over(isNow);
    }
}
