package dev.ropewalk.fibers;

import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/** The registration of an {@linkplain Fiber#onEnd on-end hook}. */
public final class Monitor implements EndListener {
    private final FiberImpl<?> fiber;
    private final Consumer<? super Fiber<?>> hook;

    Monitor(FiberImpl<?> fiber, Consumer<? super Fiber<?>> hook) {
        this.fiber = fiber;
        this.hook = hook;
    }

    /** {@return the fiber that is monitored} */
    public Fiber<?> fiber() {
        return fiber;
    }

    /**
     * Takes the hook out. From the fiber's own cord it is not called any more; from elsewhere it
     * may be, if the fiber ends meanwhile. Works from any thread; no effect after the end.
     */
    public void cancel() {
        FiberAwait.unlisten(fiber, this);
    }

    @Override
    public boolean ended(Fiber<?> ended) {
        VarHandle.fullFence(); // of two hooks that look for each other's fiber one sees the end
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
