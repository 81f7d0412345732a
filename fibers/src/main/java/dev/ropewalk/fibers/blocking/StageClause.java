package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The completion of a stage in a select. It has no guard: the stage tells its listeners. */
final class StageClause<T extends @Nullable Object, R extends @Nullable Object>
        implements Clause<R> {
    private final CompletableFuture<? extends T> stage;
    private final Function<? super T, ? extends R> taken;

    StageClause(CompletionStage<? extends T> stage, Function<? super T, ? extends R> taken) {
        this.stage = stage.toCompletableFuture();
        this.taken = taken;
    }

    /**
     * One wait of a select. It hangs on the first of two futures, the stage's and one of its own:
     * completing its own is the only way to take it out of the stage's list (rule F5).
     */
    private final class Listener {
        private final CompletableFuture<@Nullable Object> left = new CompletableFuture<>();

        void listen(WaitNode.Place<Listener> place) {
            CompletableFuture<?> first = CompletableFuture.anyOf(stage, left);
            CompletionStage<?> _ =
                    first.whenComplete(
                            (_, _) -> {
                                if (!left.isDone() && place.claim(stage)) {
                                    place.wake();
                                }
                            });
        }
    }

    @Override
    public @Nullable Exclusion guard() {
        return null;
    }

    @Override
    public boolean isLocal() {
        return false;
    }

    @Override
    public boolean isReady() {
        return stage.isDone();
    }

    @Override
    public Object take(Selection<?> by) {
        return stage.isDone() ? stage : NOT_READY;
    }

    @Override
    public WaitNode.Place<?> stand(WaitNode<?> wait) {
        Listener listener = new Listener();
        WaitNode.Place<Listener> place = wait.place(listener);
        listener.listen(place);
        return place;
    }

    @Override
    public void leave(WaitNode.Place<?> place) {
        if (place.element() instanceof StageClause<?, ?>.Listener listener) {
            listener.left.complete(null);
        }
    }

    @Override
    public R result(@Nullable Object given) {
        return taken.apply(Futures.result(stage));
    }

    @Override
    public String toString() {
        return "the end of " + stage;
    }
}
