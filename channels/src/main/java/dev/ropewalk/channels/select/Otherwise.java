package dev.ropewalk.channels.select;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * The action of a select if no alternative was ready within the limit, or at once. It is no
 * alternative for a {@link Selection}: the select takes it out, and turns it into the limit of the
 * wait.
 */
record Otherwise<R extends @Nullable Object>(long limitNanos, Supplier<? extends R> value)
        implements Clause<R> {
    boolean isDefault() {
        return limitNanos == Selection.NO_WAIT;
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
        throw new UnsupportedOperationException("a limit stands nowhere");
    }

    @Override
    public R result(@Nullable Object given) {
        return value.get();
    }

    @Override
    public String toString() {
        return isDefault() ? "otherwise" : "after " + Duration.ofNanos(limitNanos);
    }
}
