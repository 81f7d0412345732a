package dev.ropewalk.fibers.io.testing;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.io.internal.Network;
import dev.ropewalk.fibers.spi.Waits;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;

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
 *
 * <p>At first all cords are on one host, 127.0.0.1. With {@link #host} a cord is on a machine of
 * its own, whose ports are its own, and which others reach by its address alone. The links between
 * hosts have delays and can be cut, in one direction too:
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="hosts"}
 *
 * <p>As on Linux: an address that no cord has had does not answer, so a connect waits for its
 * limit; a port of a host without a listener refuses. A cut loses no byte of TCP: bytes and the end
 * of the output arrive after the heal, and a connect goes on then if its limit has not passed. A
 * reset that meets a cut is lost; the other side hears of it when it sends something. Datagrams
 * that meet a cut are lost. The sockets of a frozen cord are the system's: it accepts connections,
 * and bytes up to the window. A connection that is cut for long never ends by itself, as TCP's
 * would after a quarter of an hour.
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
        checkDelay(min, max, minNs, maxNs);
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

    /**
     * Puts the current cord on a host of its own, or one that other cords are on too. It may bind
     * sockets to that address, to the loopback address, which is then its host's own, and to all of
     * its addresses; to another one it cannot. Another cord reaches it by the address.
     *
     * @param address of the host, for example 10.0.0.1
     * @return this network
     * @throws IllegalArgumentException if it is no address, or one that no host can have
     * @throws IllegalStateException if the cord has made a socket on another host
     */
    public MemoryNetwork host(String address) {
        InetAddress wanted = literal(address);
        Cord cord = Cord.current();
        if (!network.settle(cord, wanted)) {
            throw new IllegalStateException(
                    cord
                            + " has made a socket on another host than "
                            + address
                            + "; call host before its first socket");
        }
        return this;
    }

    /**
     * Names a host, as a line of /etc/hosts does, for all cords: connections are made, and links
     * are cut, by that name too.
     *
     * @param name of the host
     * @param address of it
     * @return this network
     * @throws IllegalArgumentException if it is no address, or one that no host can have
     */
    public MemoryNetwork name(String name, String address) {
        Objects.requireNonNull(name, "name");
        network.name(name, literal(address));
        return this;
    }

    /**
     * Sets how long bytes and datagrams are on their way between two hosts, in both directions, in
     * place of {@link #delay(Duration, Duration)}.
     *
     * @param one address or name of a host
     * @param other that of another
     * @param min the shortest time
     * @param max the longest time, 2 s at most
     * @return this network
     * @throws IllegalArgumentException if the times are in the wrong order, or too long, or the
     *     hosts are unknown or the same
     */
    public MemoryNetwork delay(String one, String other, Duration min, Duration max) {
        long minNs = Waits.nanos(min);
        long maxNs = Waits.nanos(max);
        checkDelay(min, max, minNs, maxNs);
        InetAddress first = find(one);
        InetAddress second = other(first, other);
        network.delay(first, second, minNs, maxNs);
        network.delay(second, first, minNs, maxNs);
        return this;
    }

    /**
     * Cuts the link between two hosts, in both directions.
     *
     * @param one address or name of a host
     * @param other that of another
     * @return this network
     * @throws IllegalArgumentException if they are unknown or the same
     */
    public MemoryNetwork cut(String one, String other) {
        return cutOneWay(one, other).cutOneWay(other, one);
    }

    /**
     * Cuts the link between two hosts in one direction. Bytes that pass in the other one are not
     * acknowledged, so they stop when the window is full.
     *
     * @param from address or name of the host from which nothing arrives
     * @param to that of the host at which nothing arrives
     * @return this network
     * @throws IllegalArgumentException if they are unknown or the same
     */
    public MemoryNetwork cutOneWay(String from, String to) {
        InetAddress first = find(from);
        network.cut(first, other(first, to));
        return this;
    }

    /**
     * Ends all cuts between two hosts: what was held up arrives, in order, after the delay of the
     * link.
     *
     * @param one address or name of a host
     * @param other that of another
     * @return this network
     * @throws IllegalArgumentException if they are unknown or the same
     */
    public MemoryNetwork heal(String one, String other) {
        InetAddress first = find(one);
        InetAddress second = other(first, other);
        network.heal(first, second);
        network.heal(second, first);
        return this;
    }

    /**
     * Breaks off all connections between two hosts now, on both sides, as a firewall that forgets
     * them does, also during a cut. Bytes on their way are lost.
     *
     * @param one address or name of a host
     * @param other that of another
     * @return this network
     * @throws IllegalArgumentException if they are unknown or the same
     */
    public MemoryNetwork reset(String one, String other) {
        InetAddress first = find(one);
        network.reset(first, other(first, other));
        return this;
    }

    private InetAddress find(String host) {
        Objects.requireNonNull(host, "host");
        InetAddress named = network.named(host);
        return named == null ? literal(host) : named;
    }

    private InetAddress other(InetAddress first, String host) {
        InetAddress second = find(host);
        if (second.equals(first)) {
            throw new IllegalArgumentException(
                    "host="
                            + host
                            + " is both ends of the link; name two hosts, and one host with itself"
                            + " has no link that can be cut");
        }
        return second;
    }

    private static InetAddress literal(String address) {
        InetAddress made;
        try {
            made = InetAddress.ofLiteral(address);
        } catch (IllegalArgumentException isName) {
            throw new IllegalArgumentException(
                    "address="
                            + address
                            + " is neither an address nor a name of this network; give one as"
                            + " 10.0.0.1, or call name(name, address) first",
                    isName);
        }
        if (made.isLoopbackAddress()
                || made.isAnyLocalAddress()
                || made.isMulticastAddress()
                || address.equals("255.255.255.255")) {
            throw new IllegalArgumentException(
                    "address=" + address + " is that of no single host; give one as 10.0.0.1");
        }
        return made;
    }

    private static void checkDelay(Duration min, Duration max, long minNs, long maxNs) {
        if (minNs > maxNs || maxNs > MAX_DELAY_NS) {
            throw new IllegalArgumentException(
                    "min=" + min + ", max=" + max + ": give min <= max <= 2 s");
        }
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
