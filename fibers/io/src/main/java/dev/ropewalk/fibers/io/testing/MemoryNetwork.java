package dev.ropewalk.fibers.io.testing;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.io.internal.Network;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;

/**
 * The network between cords that share a virtual clock. Listeners, connections and UDP sockets made
 * there use it by themselves; this changes its behavior, for connections made and datagrams sent
 * from now on.
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="memory"}
 *
 * <p>Bytes arrive in order, in pieces and after delays that are drawn from the seed of the run: so
 * code that works on real sockets by luck, for example because a frame comes in one piece, fails
 * here. Datagrams overtake each other, and are lost or doubled when asked.
 */
public final class MemoryNetwork {
    private static final long MAX_DELAY_NS = Integer.MAX_VALUE - 1L;

    private final Network network;

    private MemoryNetwork(Network network) {
        this.network = network;
    }

    /**
     * {@return the network of the current cord}
     *
     * @throws IllegalStateException if this thread is no cord, or the cord's time is not virtual
     */
    public static MemoryNetwork current() {
        Cord cord = Cord.current();
        if (!CordIo.isVirtual(cord)) {
            throw new IllegalStateException(
                    cord + " runs in real time and has real sockets; use TestCord or TestCords");
        }
        return new MemoryNetwork(Network.of(cord));
    }

    /**
     * Sets how long bytes are on their way; 10 µs to 500 µs at first.
     *
     * @param min the shortest time
     * @param max the longest time, 2 s at most
     * @return this network
     * @throws IllegalArgumentException if they are in the wrong order, or too long
     */
    public MemoryNetwork delay(Duration min, Duration max) {
        long minNs = Waits.nanos(min);
        long maxNs = Waits.nanos(max);
        if (minNs > maxNs || maxNs > MAX_DELAY_NS) {
            throw new IllegalArgumentException(
                    "min=" + min + ", max=" + max + ": give min <= max <= 2 s");
        }
        network.delay(minNs, maxNs);
        return this;
    }

    /**
     * Sets how many bytes of one direction may be on their way or unread in the system; 64 KiB at
     * first.
     *
     * @param bytes how many, at least 1
     * @return this network
     * @throws IllegalArgumentException if there are none
     */
    public MemoryNetwork window(int bytes) {
        network.window(atLeastOne("window", bytes));
        return this;
    }

    /**
     * Sets how many bytes arrive together at most; 16 KiB at first. With 1 each arrives alone.
     *
     * @param bytes how many, at least 1
     * @return this network
     * @throws IllegalArgumentException if there are none
     */
    public MemoryNetwork maxPiece(int bytes) {
        network.maxPiece(atLeastOne("maxPiece", bytes));
        return this;
    }

    /**
     * Sets how many datagrams of UDP are lost; 0 at first. The seed decides which.
     *
     * @param percent of 100 datagrams, in the long run
     * @return this network
     * @throws IllegalArgumentException if it is not from 0 to 100
     */
    public MemoryNetwork loss(int percent) {
        network.loss(checkPercent("loss", percent));
        return this;
    }

    /**
     * Sets how many datagrams of UDP arrive twice; 0 at first. The seed decides which.
     *
     * @param percent of 100 datagrams that are not lost, in the long run
     * @return this network
     * @throws IllegalArgumentException if it is not from 0 to 100
     */
    public MemoryNetwork duplication(int percent) {
        network.duplication(checkPercent("duplication", percent));
        return this;
    }

    private static int checkPercent(String name, int percent) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException(name + "=" + percent + " is not from 0 to 100");
        }
        return percent;
    }

    private static int atLeastOne(String name, int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException(name + "=" + bytes + " < 1");
        }
        return bytes;
    }
}
