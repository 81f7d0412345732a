package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.report.WaitCycle;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Selection;
import dev.ropewalk.fibers.spi.WaitNode;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/**
 * The end of a fiber in a select. It has no guard: the fiber's cord tells its listeners.
 *
 * <p>While a parent selects on its child the child counts as awaited, so a failure is not raised in
 * the parent; if another clause takes effect, it is, afterwards.
 */
public final class EndClause<T extends @Nullable Object, R extends @Nullable Object>
        implements Clause<R> {
    private final FiberImpl<T> target;
    private final Function<? super Fiber<T>, ? extends R> taken;

    public EndClause(FiberImpl<T> target, Function<? super Fiber<T>, ? extends R> taken) {
        this.target = target;
        this.taken = taken;
    }

    /** {@return the fiber whose end it is} */
    public FiberImpl<T> target() {
        return target;
    }

    /** Claims the place when the fiber ends. */
    private static final class Listener implements EndListener {
        private WaitNode.@Nullable Place<Listener> place;

        @Override
        public boolean ended(Fiber<?> fiber) {
            WaitNode.Place<Listener> standing = place;
            if (standing == null || !standing.claim(fiber)) {
                return false;
            }
            standing.wake();
            return true;
        }
    }

    @Override
    public void begin() {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        if (me != null) {
            WaitCycle.check(me, target, 0); // oneself; another clause may end a longer cycle
            FiberAwait.claim(target);
        }
    }

    @Override
    public void end(boolean isTaken) {
        FiberImpl<?> me = FiberImpl.currentOrNull();
        if (me != null && me != target && target.parentOrNull() == me) {
            Family.stopAwaiting(me, target, isTaken);
        }
    }

    @Override
    public @Nullable Exclusion guard() {
        return null;
    }

    @Override
    public boolean isLocal() {
        return target.isHere();
    }

    @Override
    public boolean isReady() {
        return target.outcome() != null;
    }

    @Override
    public Object take(Selection<?> by) {
        return target.outcome() == null ? NOT_READY : target;
    }

    @Override
    public WaitNode.Place<?> stand(WaitNode<?> wait) {
        Listener listener = new Listener();
        WaitNode.Place<Listener> place = wait.place(listener);
        listener.place = place;
        FiberAwait.listen(target, listener);
        return place;
    }

    @Override
    public void leave(WaitNode.Place<?> place) {
        if (place.element() instanceof Listener listener) {
            FiberAwait.unlisten(target, listener);
        }
    }

    @Override
    public R result(@Nullable Object given) {
        target.home().noteTaken(target);
        return taken.apply(target);
    }

    @Override
    public String toString() {
        return "the end of " + target;
    }
}
