package dev.ropewalk.fibers;

import dev.ropewalk.fibers.scheduler.Dag;

import org.jspecify.annotations.Nullable;

/**
 * Tells an awaiter, a parent or a scope that a fiber failed. Each awaiter gets a fresh one; the
 * cause is the exception of the fiber's body. If that is another such exception, the failure came
 * from below or from a fiber that it awaited, and the innermost one names the fiber where it began,
 * with those above it.
 */
public class FiberFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A fiber cannot be serialised. */
    private final transient @Nullable Fiber<?> fiber;

    /**
     * Of something that is no single fiber; made by the library.
     *
     * @param message what failed
     * @param cause what it threw
     */
    public FiberFailedException(String message, @Nullable Throwable cause) {
        this(null, message, cause);
    }

    /**
     * Made by the library.
     *
     * @param fiber what failed; null if it is no single fiber
     * @param message what failed
     * @param cause what it threw
     */
    public FiberFailedException(
            @Nullable Fiber<?> fiber, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.fiber = fiber;
    }

    /**
     * {@return the fiber that failed; null if it was no single fiber (a stage of a {@code
     * CompletableFuture}, a node of a {@link Dag}, all fibers of a scope), and after the exception
     * was serialised}
     *
     * <p>The exception keeps the fiber in memory, with the objects that its body captured, its
     * outcome and its parents; its stack and its fiber-locals are gone.
     */
    public @Nullable Fiber<?> fiber() {
        return fiber;
    }
}
