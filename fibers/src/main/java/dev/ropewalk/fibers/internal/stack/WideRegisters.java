package dev.ropewalk.fibers.internal.stack;

import java.util.Arrays;

/**
 * Spares processors of Intel with AVX-512 two waits of 50 ns at each switch that comes after new
 * objects.
 *
 * <p>C2 clears a new object with registers of 512 bits. The JVM's own code, which copies a stack,
 * uses instructions from before AVX, and while the upper part of a register is in use each change
 * from the one to the other and back waits until that part has been saved. The instruction that
 * says that it is not in use, {@code vzeroupper}, is put by C2 before every call that a method
 * makes in which it has found one of the intrinsics that work on wide registers. So it is enough
 * that there is one, also if nothing is left of it: two arrays that are one constant are not
 * compared.
 *
 * <p>On a Xeon of 2.6 GHz a fiber that is spun and awaited takes 180 to 190 ns with it and 330
 * without; {@code benchmarks run spin_await}. Only before a stack is entered: leaving one has had
 * no such change so far. Rejected: {@code -XX:UseAVX=2}, which gives as much, and takes AVX-512
 * from the whole program; to write every field of a new object, which users' objects do not.
 */
final class WideRegisters {
    private static final byte[] NOTHING = {};

    private WideRegisters() {}

    /**
     * To be called in the method that makes the call, because it acts on the code that is compiled
     * with it.
     */
    static void giveUp() {
        boolean _ = Arrays.equals(NOTHING, NOTHING);
    }
}
