package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.platform.JvmFlags;
import dev.ropewalk.fibers.internal.stack.Stacks;

import jdk.internal.misc.CarrierThreadLocal;

import org.jspecify.annotations.Nullable;

/**
 * Tells which cord a thread is: its stack says so, if it is a light one, which is short enough to
 * be part of every switchpoint; otherwise a thread-local of the carrier, so that it is found below
 * a virtual thread too. In a class of its own, because a plain thread may ask in a JVM without the
 * flags.
 */
public final class CurrentCord {
    private static final ThreadLocal<@Nullable CordImpl> LOCAL =
            JvmFlags.isMiscOpen() ? new OfCarrier() : new ThreadLocal<>();

    private static final boolean HAS_LIGHT_STACKS = JvmFlags.isVmExported();

    /** The driver of cords on this thread in turns: no wait of the thread itself would ever end. */
    private static final ThreadLocal<@Nullable Object> DRIVER = new ThreadLocal<>();

    private CurrentCord() {}

    /** Null if nothing drives cords here. */
    public static @Nullable Object driver() {
        return DRIVER.get();
    }

    public static void driver(@Nullable Object now) {
        DRIVER.set(now);
    }

    /** On a light stack, where it is always the current one; null elsewhere. */
    static @Nullable CordImpl ofLightStack() {
        return HAS_LIGHT_STACKS ? (CordImpl) Stacks.ownerOfMountedLight() : null;
    }

    /** Also on a virtual thread that the cord runs as no fiber. */
    public static @Nullable CordImpl ofCarrier() {
        return LOCAL.get();
    }

    /** Null on a virtual thread that its cord runs as no fiber. */
    static @Nullable CordImpl ofThread() {
        CordImpl cord = ofCarrier();
        return cord == null || cord.isCurrent() ? cord : null;
    }

    static void set(CordImpl cord) {
        LOCAL.set(cord);
    }

    static void remove() {
        LOCAL.remove();
    }

    private static final class OfCarrier extends CarrierThreadLocal<@Nullable CordImpl> {}
}
