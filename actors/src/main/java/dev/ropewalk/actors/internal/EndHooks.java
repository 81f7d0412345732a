package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The hooks that run when an incarnation is over, the last made first. Each hook is taken out
 * before it runs, so it runs once, whoever goes on with the rest. Confined to the actor's cord.
 */
final class EndHooks {
    /** A hook. */
    @FunctionalInterface
    interface Hook {
        void run(ExitReason reason) throws Exception;
    }

    private final ArrayDeque<Hook> hooks = new ArrayDeque<>();

    void add(Consumer<? super ExitReason> hook) {
        hooks.push(hook::accept);
    }

    void add(AutoCloseable resource) {
        hooks.push(_ -> resource.close());
    }

    boolean isEmpty() {
        return hooks.isEmpty();
    }

    /** Runs what is left; returns what failed. */
    List<Throwable> runAll(ExitReason reason) {
        List<Throwable> failures = new ArrayList<>();
        for (Hook hook = hooks.poll(); hook != null; hook = hooks.poll()) {
            try {
                hook.run(reason);
            } catch (Throwable failure) {
                failures.add(failure); // of any kind: the other hooks run all the same
            }
        }
        return failures;
    }

    /**
     * The body of a fiber that runs the hooks of a kept state, when the supervisor has decided that
     * no incarnation goes on with that. An incarnation whose end is known to be the last runs them
     * itself.
     */
    static final class LateRun<M> implements Handler {
        private final ActorCell<M> cell;
        private final ExitReason reason;

        LateRun(ActorCell<M> cell, ExitReason reason) {
            this.cell = cell;
            this.reason = reason;
        }

        ActorCell<M> cell() {
            return cell;
        }

        @Override
        public Object handle(@Nullable Object value) {
            return Handler.END;
        }

        @Override
        public void cleanUp(Fiber<?> fiber, @Nullable Throwable failure) {
            CellEnd.ofState(cell, fiber, reason);
        }

        @Override
        public boolean onEnd(Fiber<?> fiber, @Nullable Throwable failure) {
            CellEnd.stateEnded(cell, fiber, reason);
            return true;
        }

        @Override
        public String toString() {
            return "the end hooks of " + cell.ref();
        }
    }
}
