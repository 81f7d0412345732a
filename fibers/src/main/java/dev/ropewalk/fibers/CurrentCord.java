package dev.ropewalk.fibers;

import jdk.internal.misc.CarrierThreadLocal;

import org.jspecify.annotations.Nullable;

/**
 * Which cord a thread is: a thread-local of the carrier, so that it is found below a virtual thread
 * too. In a class of its own, because a plain thread may ask in a JVM without the flags.
 */
final class CurrentCord {
    private static final ThreadLocal<@Nullable Cord> LOCAL =
            JvmFlags.isMiscOpen() ? new OfCarrier() : new ThreadLocal<>();

    private CurrentCord() {}

    /** Also on a virtual thread that the cord runs as no fiber. */
    static @Nullable Cord ofCarrier() {
        return LOCAL.get();
    }

    static void set(Cord cord) {
        LOCAL.set(cord);
    }

    static void remove() {
        LOCAL.remove();
    }

    private static final class OfCarrier extends CarrierThreadLocal<@Nullable Cord> {}
}
