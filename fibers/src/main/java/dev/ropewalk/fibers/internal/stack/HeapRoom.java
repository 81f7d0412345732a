package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.internal.platform.MemoryReserve;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Sees whether the heap has room for the frames of a virtual thread that is to wait.
 *
 * <p>Where it has none, the JDK lets the thread wait on its carrier. That is not told, and when all
 * carriers are taken so, no virtual thread of the process runs any more. So a thread asks here
 * before it waits first, and as long as little is free before each wait: the memory that it gets is
 * garbage at once, and there for the JDK.
 */
final class HeapRoom {
    /** Far more than the frames, because others allocate until the JDK does. */
    private static final int BYTES = 64 * 1_024;

    /** Of the heap: where so much is free, nothing is asked. */
    private static final int SHARE = 32;

    private static final long PLENTY = Runtime.getRuntime().maxMemory() / SHARE;

    private static final VarHandle ASKED;

    static {
        try {
            ASKED =
                    MethodHandles.lookup()
                            .findStaticVarHandle(HeapRoom.class, "asked", byte[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // so that the compiler does not leave the memory out
    private static byte @Nullable [] asked;

    /** As the last that asked has seen it; for all threads, which may see it late. */
    private static boolean isLow;

    private HeapRoom() {}

    /** Whether little was free. */
    static boolean isLow() {
        return isLow;
    }

    /**
     * Returns if there is room.
     *
     * @throws OutOfMemoryError if there is none
     */
    static void check() {
        isLow = MemoryReserve.free() < PLENTY;
        if (isLow) {
            ASKED.setOpaque(new byte[BYTES]);
            ASKED.setOpaque((byte[]) null);
        }
    }
}
