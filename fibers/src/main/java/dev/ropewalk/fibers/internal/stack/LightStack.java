package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.StackPinnedException;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

import org.jspecify.annotations.Nullable;

/** A stack that is a raw continuation: only Ropewalk's own calls yield on it. */
public final class LightStack extends Continuation implements Stack {
    private static final ContinuationScope SCOPE = new ContinuationScope("ropewalk");

    /** Entered and not left. */
    private boolean isMounted;

    public final StackOwner owner;

    public LightStack(StackOwner owner, Runnable worker) {
        super(SCOPE, worker);
        this.owner = owner;
    }

    /** The innermost that is entered on this thread; null if none is. */
    public static @Nullable LightStack current() {
        return (LightStack) getCurrentContinuation(SCOPE);
    }

    /** For late unmount, where others may be on top of it. */
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
        throw new StackPinnedException(textOf(reason));
    }

    public static String textOf(Pinned reason) {
        String remedy =
                switch (reason) {
                    case NATIVE -> PinnedRemedies.NATIVE_FRAME;
                    case MONITOR -> PinnedRemedies.MONITOR;
                    case CRITICAL_SECTION -> PinnedRemedies.PINNED_CODE;
                    case EXCEPTION -> PinnedRemedies.NO_ROOM;
                };
        return "cannot wait here: the stack is pinned, reason=" + reason + ". " + remedy;
    }
}
