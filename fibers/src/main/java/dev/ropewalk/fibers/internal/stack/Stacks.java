package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.internal.platform.JvmFlags.Tie;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationSupport;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/** Makes stacks of each kind, and finds the one that is entered. */
public final class Stacks {
    /**
     * The classes whose frames are those of the switch itself. Names, because some of the classes
     * cannot be loaded in a JVM without the flag.
     */
    public static final Set<String> FRAMES =
            Set.of(
                    "jdk.internal.vm.Continuation",
                    "jdk.internal.vm.ContinuationSupport",
                    "dev.ropewalk.fibers.internal.stack.LightStack",
                    "dev.ropewalk.fibers.internal.stack.VirtualStack",
                    "dev.ropewalk.fibers.internal.stack.PortableStack",
                    "dev.ropewalk.fibers.internal.stack.Baton");

    /** More than sections that were left one inside the other. */
    private static final int MAX_PINS = 100;

    /** With the flag for them; some JVMs have none, as with -XX:-VMContinuations. */
    private static final boolean HAS_LIGHT =
            Tie.CONTINUATIONS.isThere() && ContinuationSupport.isSupported();

    private Stacks() {}

    /** Whether stacks can be continuations. */
    public static boolean hasLight() {
        return HAS_LIGHT;
    }

    /** {@return a stack that is a continuation: only our own calls yield on it} */
    public static Stack light(StackOwner owner, Runnable worker) {
        return new LightStack(owner, worker);
    }

    /** {@return a stack that is a virtual thread: calls of the JDK that block yield on it too} */
    public static Stack virtual(StackOwner owner, Runnable worker) {
        return new VirtualStack(owner, worker);
    }

    /** {@return the innermost light stack that is entered on this thread, or null} */
    public static @Nullable Stack mountedLight() {
        return LightStack.current();
    }

    /** {@return the owner of {@link #mountedLight}, or null} */
    public static @Nullable StackOwner ownerOfMountedLight() {
        LightStack stack = LightStack.current();
        return stack == null ? null : stack.owner;
    }

    /**
     * Runs the action so that the stack that it runs on cannot be left meanwhile, where it could be
     * left by other calls than Ropewalk's.
     */
    public static void runPinned(Runnable action) {
        if (!HAS_LIGHT) {
            action.run();
            return;
        }
        Continuation.pin();
        try {
            action.run();
        } finally {
            Continuation.unpin();
        }
    }

    /**
     * Undoes what code on this stack that was pinned has left behind, at the bottom of the stack,
     * where no code can be in such a section: a stack that was full in the middle of the JDK's own
     * pinning stays pinned.
     *
     * @return whether it was
     */
    public static boolean unpin() {
        boolean wasPinned = false;
        for (int i = 0; i < MAX_PINS && HAS_LIGHT; i++) {
            try {
                Continuation.unpin();
                wasPinned = true;
            } catch (IllegalStateException notPinned) {
                break;
            }
        }
        return wasPinned;
    }
}
