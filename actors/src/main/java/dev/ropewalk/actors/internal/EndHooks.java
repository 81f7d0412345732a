package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ExitReason;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What is to be done when an incarnation is over, the last made first. Each hook is taken out
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
}
