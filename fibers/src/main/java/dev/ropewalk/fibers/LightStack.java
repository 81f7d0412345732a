package dev.ropewalk.fibers;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

import org.jspecify.annotations.Nullable;

/** A stack that is a raw continuation: only Ropewalk's own calls yield on it. */
final class LightStack extends Continuation implements Stack {
    private static final ContinuationScope SCOPE = new ContinuationScope("ropewalk");

    /** Entered and not left. */
    private boolean isMounted;

    final CordImpl cord;

    LightStack(CordImpl cord, Runnable worker) {
        super(SCOPE, worker);
        this.cord = cord;
    }

    /** The innermost that is entered on this thread; null if none is. */
    static @Nullable LightStack current() {
        return (LightStack) getCurrentContinuation(SCOPE);
    }

    /** For late unmount, where others may be on top of it. */
    boolean isMounted() {
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

    static String textOf(Pinned reason) {
        String remedy =
                switch (reason) {
                    case NATIVE -> StackPinnedException.NATIVE_FRAME;
                    case MONITOR -> StackPinnedException.MONITOR;
                    case CRITICAL_SECTION -> StackPinnedException.PINNED_CODE;
                    case EXCEPTION -> StackPinnedException.NO_ROOM;
                };
        return "cannot wait here: the stack is pinned, reason=" + reason + ". " + remedy;
    }
}
