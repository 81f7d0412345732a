package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.EndHook;
import dev.ropewalk.fibers.Fiber;

import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/** A hook of the user that is told of a fiber's end, and takes nothing. */
public final class FiberEndHook extends EndHook implements EndListener {
    private final FiberImpl<?> fiber;
    private final Consumer<? super Fiber<?>> hook;

    FiberEndHook(FiberImpl<?> fiber, Consumer<? super Fiber<?>> hook) {
        this.fiber = fiber;
        this.hook = hook;
    }

    @Override
    public Fiber<?> fiber() {
        return fiber;
    }

    @Override
    public void cancel() {
        FiberAwait.unlisten(fiber, this);
    }

    @Override
    public boolean ended(Fiber<?> ended) {
        VarHandle.fullFence(); // of two hooks that check each other's fiber one sees the end
        try {
            hook.accept(ended);
        } catch (Throwable broken) {
            FiberImpl.of(ended).cord.reportUncaught(FiberImpl.of(ended), broken);
        }
        return false;
    }

    @Override
    public String toString() {
        return "monitor of " + fiber;
    }
}
