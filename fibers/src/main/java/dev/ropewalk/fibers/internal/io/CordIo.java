package dev.ropewalk.fibers.internal.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.platform.VirtualPlatform;
import dev.ropewalk.fibers.internal.platform.VirtualTime;
import dev.ropewalk.fibers.internal.reactor.Reactor;
import dev.ropewalk.fibers.spi.WaitCell;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The I/O of a cord. */
public final class CordIo {
    private CordIo() {}

    /**
     * {@return the reactor of the current cord} A switchpoint if the library is not loaded yet,
     * which takes some 0.3 s the first time in a process.
     */
    public static Reactor reactor() {
        CordImpl cord = CordImpl.current();
        Reactor there = cord.platform.reactor();
        if (there != null) {
            return there;
        }
        CompletableFuture<Reactor> asked = reactorOf(cord);
        if (!asked.isDone()) {
            WaitCell made = new WaitCell();
            CompletionStage<?> _ = asked.whenComplete((_, _) -> made.give(null));
            made.await("the reactor of " + cord);
        }
        return asked.join();
    }

    /**
     * {@return the reactor of a cord, which completes when it is made} From any thread.
     *
     * @param cord one in real time
     */
    public static CompletableFuture<Reactor> reactorOf(Cord cord) {
        CordImpl asked = CordImpl.of(cord);
        return ((RealPlatform) asked.platform).reactor(asked);
    }

    /** {@return whether its time is virtual, so that it has no reactor} */
    public static boolean isVirtual(Cord cord) {
        return CordImpl.of(cord).isVirtual();
    }

    /** Has actions run as no fiber when time has passed that cords share, whatever their clocks. */
    @FunctionalInterface
    public interface SharedTimer {
        void after(long delayNs, Runnable action);
    }

    /** {@return what cords that share a virtual clock have in common; made by the first} */
    public static Object shared(Cord cord, Function<SharedTimer, ?> make) {
        VirtualTime time = virtual(cord).time();
        return time.shared(() -> make.apply(time::after));
    }

    /** {@return whether none of its code is to run any more, as on a machine after kill -9} */
    public static boolean isKilled(Cord cord) {
        return virtual(cord).isKilled();
    }

    /**
     * Has an action run after the end of a cord on a virtual clock, as on a plain thread. On the
     * cord.
     */
    public static void atClose(Cord cord, Runnable action) {
        virtual(cord).atClose(action);
    }

    private static VirtualPlatform virtual(Cord cord) {
        return (VirtualPlatform) CordImpl.of(cord).platform;
    }
}
