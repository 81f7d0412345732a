package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.internal.io.CordIo.SharedTimer;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The hosts of all cords that share a virtual clock, the links between them, and how long bytes are
 * on their way. All of these cords are on one thread, so nothing here is shared between threads.
 *
 * <p>Hosts, links and pipes stand for kernels and wires: their state changes in the turn of the
 * cord that calls, or between two turns when something arrives. A cord is told by a message, so a
 * frozen one finds what has arrived meanwhile.
 */
public final class Network {
    private final SharedTimer timer;
    private final SplittableRandom random;

    /** Of cords that chose none. */
    private final Host local = new Host(null);

    private final Map<InetAddress, Host> hosts = new LinkedHashMap<>();
    private final Map<String, InetAddress> names = new HashMap<>();
    private final Map<Cord, Host> homes = new HashMap<>();
    private final Map<Way, Link> links = new HashMap<>();
    private final Map<Cord, MemoryLoop> loops = new HashMap<>();

    /** Between two sides, in nanoseconds. */
    private long minDelayNs = 10_000;

    private long maxDelayNs = 500_000;

    /** Of bytes on their way and unread, in one direction. */
    private int window = 64 * 1024;

    /** Of bytes that arrive together. */
    private int maxPiece = 16 * 1024;

    /** Of 100 datagrams, in the long run. */
    private int lostPercent;

    private int doubledPercent;

    private record Way(Host from, Host to) {}

    private Network(SharedTimer timer, long seed) {
        this.timer = timer;
        this.random = new SplittableRandom(seed);
        local.appear();
    }

    /** The network of the cord's clock. */
    public static Network of(Cord cord) {
        return (Network)
                CordIo.shared(cord, timer -> new Network(timer, cord.nextInt(Integer.MAX_VALUE)));
    }

    MemoryLoop loop(Cord cord) {
        MemoryLoop there = loops.get(cord);
        if (there == null) {
            there = new MemoryLoop(cord, this);
            loops.put(cord, there);
        }
        return there;
    }

    void forget(Cord cord) {
        loops.remove(cord);
    }

    public void delay(long minNs, long maxNs) {
        minDelayNs = minNs;
        maxDelayNs = maxNs;
    }

    public void window(int bytes) {
        window = bytes;
    }

    public void maxPiece(int bytes) {
        maxPiece = bytes;
    }

    public void loss(int percent) {
        lostPercent = percent;
    }

    public void duplication(int percent) {
        doubledPercent = percent;
    }

    int window() {
        return window;
    }

    /** How long the next piece is on its way. */
    long drawDelayNs() {
        return draw(minDelayNs, maxDelayNs);
    }

    long draw(long minNs, long maxNs) {
        return random.nextLong(minNs, maxNs + 1);
    }

    /** How many of so many bytes arrive together. */
    int drawPiece(int bytes) {
        return 1 + random.nextInt(Math.min(bytes, maxPiece));
    }

    /** How often the next datagram arrives: 0, 1 or 2 times. */
    int drawCopies() {
        if (isDrawn(lostPercent)) {
            return 0;
        }
        return isDrawn(doubledPercent) ? 2 : 1;
    }

    private boolean isDrawn(int percent) {
        return percent > 0 && random.nextInt(100) < percent;
    }

    // ---------------------------------------------------------------- hosts

    /** False if the cord has sockets on another host already. */
    public boolean settle(Cord cord, InetAddress address) {
        Host host = host(address);
        if (loops.containsKey(cord) && hostOf(cord) != host) {
            return false;
        }
        host.appear();
        homes.put(cord, host);
        return true;
    }

    public void name(String name, InetAddress address) {
        names.put(name, address);
    }

    /** {@return the address of a name; null if it has none here} */
    public @Nullable InetAddress named(String name) {
        return names.get(name);
    }

    private Host host(InetAddress address) {
        return hosts.computeIfAbsent(address, Host::new);
    }

    Host hostOf(Cord cord) {
        return homes.getOrDefault(cord, local);
    }

    /** The host that answers at that address; null if nothing does. */
    @Nullable Host hostAt(Host from, SocketAddress target) {
        if (!(target instanceof InetSocketAddress inet)
                || inet.getAddress().isLoopbackAddress()
                || inet.getAddress().isAnyLocalAddress()) {
            return from;
        }
        Host found = hosts.get(inet.getAddress());
        return found != null && found.isThere() ? found : null;
    }

    /** Those that a datagram goes to. */
    List<Host> hostsAt(Host from, InetSocketAddress target) {
        if (isBroadcast(target)) {
            List<Host> all = new ArrayList<>();
            if (from == local) {
                all.add(local);
            }
            hosts.values().stream().filter(Host::isThere).forEach(all::add);
            return all;
        }
        Host found = hostAt(from, target);
        return found == null ? List.of() : List.of(found);
    }

    static boolean isBroadcast(InetSocketAddress target) {
        return target.getAddress().getHostAddress().equals("255.255.255.255");
    }

    // ---------------------------------------------------------------- links

    Link link(Host from, Host to) {
        return links.computeIfAbsent(new Way(from, to), _ -> new Link(this, timer));
    }

    /** Of one direction. */
    public void delay(InetAddress from, InetAddress to, long minNs, long maxNs) {
        link(host(from), host(to)).delay(minNs, maxNs);
    }

    public void cut(InetAddress from, InetAddress to) {
        link(host(from), host(to)).cut();
    }

    public void heal(InetAddress from, InetAddress to) {
        link(host(from), host(to)).heal();
    }

    /** Both sides of all connections between the two are broken off now. */
    public void reset(InetAddress one, InetAddress other) {
        host(one).breakOffAllWith(host(other));
        host(other).breakOffAllWith(host(one));
    }
}
