package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.StackPinnedException;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

import org.jspecify.annotations.Nullable;

/** A stack that is a raw continuation: only Ropewalk's own calls yield on it. */
final class LightStack extends Continuation implements Stack {
    private static final ContinuationScope SCOPE = new ContinuationScope("ropewalk");

    /** Entered and not left. */
    private boolean isMounted;

    final StackOwner owner;

    LightStack(StackOwner owner, Runnable worker) {
        super(SCOPE, worker);
        this.owner = owner;
    }

    /** The innermost stack that is entered on this thread, or null. */
    static @Nullable LightStack current() {
        return (LightStack) getCurrentContinuation(SCOPE);
    }

    @Override
    public boolean isMounted() {
        return isMounted;
    }

    @Override
    public void enter() {
        isMounted = true;
        WideRegisters.giveUp();
        try {
            run();
        } finally {
            isMounted = false;
        }
    }

    @Override
    public void yieldControl() {
        Continuation.yield(SCOPE);
    }

    @Override
    public StackTraceElement[] trace() {
        return getStackTrace();
    }

    @Override
    protected void onPinned(Pinned reason) {
        throw new StackPinnedException(PinnedRemedies.textOf(reason));
    }
}
