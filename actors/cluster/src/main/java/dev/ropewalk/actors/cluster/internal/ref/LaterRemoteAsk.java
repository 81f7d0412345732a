package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.spi.AskLimit;
import dev.ropewalk.actors.spi.AskStage;

import java.util.concurrent.CompletableFuture;

/** One whose reply completes a stage. Its limit is served on the asker's side. */
final class LaterRemoteAsk<R> extends RemoteAsk<R> {
    private final Stage stage = new Stage();

    /** Another actor has replied first: the reply is dropped. */
    private volatile boolean isLost;

    /** The stage that the reply completes. */
    private final class Stage extends CompletableFuture<R> implements AskStage {
        @Override
        public void lose() {
            isLost = true;
        }
    }

    LaterRemoteAsk(Home home, ActorRef<?> target, long limitNanos) {
        super(home, target, limitNanos);
    }

    CompletableFuture<R> stage() {
        return stage;
    }

    @Override
    boolean take(R reply) {
        return stage.complete(reply) || isLost;
    }

    @Override
    boolean fails(AskFailedException failure) {
        return stage.completeExceptionally(failure) || isLost;
    }

    /** Never waits. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is the one that was given out
    void send(Conversation now, RemoteTarget<?> to) {
        long id = now.asks().open(this, now, to.peer());
        if (limitNanos != Long.MAX_VALUE) {
            AskLimit limit =
                    AskLimit.after(
                            limitNanos,
                            () -> {
                                stage.completeExceptionally(timeout());
                                now.asks().close(id);
                            });
            stage.whenComplete(
                    (_, _) -> {
                        if (!isLost) {
                            limit.cancel();
                        }
                    });
        }
        stage.whenComplete(
                (_, _) -> {
                    if (!isLost) { // otherwise its reply, or the limit, closes it
                        now.asks().close(id);
                    }
                });
        boolean isSent = false;
        try {
            switch (now.askNow(to, id, this)) {
                case FULL ->
                        fails(failed("the queue to its node is full", now.full(to, message())));
                case OVER -> fails(unreachable(to.peer()));
                case YES -> {}
            }
            isSent = true;
        } finally {
            if (!isSent) {
                now.asks().close(id);
                stage.cancel(false);
            }
        }
    }
}
