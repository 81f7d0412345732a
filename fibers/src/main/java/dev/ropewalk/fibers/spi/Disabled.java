package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.Nullable;

/** The alternative that is never ready; a {@link Selection} leaves it out. */
final class Disabled implements Clause<Object> {
    private static final Disabled INSTANCE = new Disabled();

    private Disabled() {}

    @SuppressWarnings("unchecked") // it never has a result
    static <R extends @Nullable Object> Clause<R> clause() {
        return (Clause<R>) (Clause<?>) INSTANCE;
    }

    @Override
    public @Nullable Exclusion guard() {
        return null;
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public boolean isReady() {
        return false;
    }

    @Override
    public Object take(Selection<?> by) {
        return NOT_READY;
    }

    @Override
    public WaitNode.Place<?> stand(WaitNode<?> wait) {
        throw new UnsupportedOperationException("a disabled clause stands nowhere");
    }

    @Override
    public Object result(@Nullable Object given) {
        throw new UnsupportedOperationException("a disabled clause has no result");
    }

    @Override
    public String toString() {
        return "disabled";
    }
}
