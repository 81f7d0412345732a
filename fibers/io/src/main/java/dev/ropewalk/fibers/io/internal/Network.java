package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.io.CordIo;

import org.jspecify.annotations.Nullable;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The listeners and the UDP sockets of all cords that share a virtual clock, and how long bytes are
 * on their way between them. All of these cords are on one thread, so nothing here is shared
 * between threads.
 */
public final class Network {
    private static final int FIRST_FREE_PORT = 32_768;
    private static final int LAST_PORT = 65_535;

    /** By the clock that its cords share. */
    private static final Map<Object, Network> BY_TIME = new WeakHashMap<>();

    /** By port, or by path. */
    private final Map<Object, MemoryServerChannel> listeners = new HashMap<>();

    /** By port, of which UDP has its own. */
    private final Map<Integer, MemoryDatagramChannel> datagramSockets = new HashMap<>();

    private final Map<Cord, MemoryLoop> loops = new HashMap<>();
    private int nextPort = FIRST_FREE_PORT;

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

    private Network() {}

    /** The network of the cord's clock. */
    public static Network of(Cord cord) {
        synchronized (BY_TIME) {
            return BY_TIME.computeIfAbsent(CordIo.sharedTime(cord), _ -> new Network());
        }
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
    long drawDelayNs(Cord from) {
        long range = maxDelayNs - minDelayNs;
        return minDelayNs + (range == 0 ? 0 : from.nextInt((int) range + 1));
    }

    /** How many of so many bytes arrive together. */
    int drawPiece(Cord from, int bytes) {
        return 1 + from.nextInt(Math.min(bytes, maxPiece));
    }

    /** How often the next datagram arrives: 0, 1 or 2 times. */
    int drawCopies(Cord from) {
        if (isDrawn(from, lostPercent)) {
            return 0;
        }
        return isDrawn(from, doubledPercent) ? 2 : 1;
    }

    private static boolean isDrawn(Cord by, int percent) {
        return percent > 0 && by.nextInt(100) < percent;
    }

    // ---------------------------------------------------------------- ports

    SocketAddress bind(SocketAddress wanted, MemoryServerChannel listener) throws BindException {
        SocketAddress bound =
                wanted instanceof InetSocketAddress inet && inet.getPort() == 0
                        ? new InetSocketAddress(inet.getAddress(), freePort(listeners))
                        : wanted;
        if (listeners.putIfAbsent(key(bound), listener) != null) {
            throw new BindException("Address already in use");
        }
        return bound;
    }

    void unbind(SocketAddress address, MemoryServerChannel listener) {
        listeners.remove(key(address), listener);
    }

    /** A Unix-domain socket that connects has no name. */
    SocketAddress clientAddress(SocketAddress server) {
        return server instanceof UnixDomainSocketAddress
                ? UnixDomainSocketAddress.of("")
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort(listeners));
    }

    private static Object key(SocketAddress address) {
        return address instanceof InetSocketAddress inet ? (Object) inet.getPort() : address;
    }

    private int freePort(Map<?, ?> taken) {
        int port = nextPort;
        while (taken.containsKey(port)) {
            port = port == LAST_PORT ? FIRST_FREE_PORT : port + 1;
        }
        nextPort = port == LAST_PORT ? FIRST_FREE_PORT : port + 1;
        return port;
    }

    @Nullable MemoryServerChannel listener(SocketAddress address) {
        return listeners.get(key(address));
    }

    /** Port 0 takes a free one. */
    InetSocketAddress bind(InetSocketAddress wanted, MemoryDatagramChannel socket)
            throws BindException {
        int port = wanted.getPort() == 0 ? freePort(datagramSockets) : wanted.getPort();
        if (datagramSockets.putIfAbsent(port, socket) != null) {
            throw new BindException("Address already in use");
        }
        return new InetSocketAddress(wanted.getAddress(), port);
    }

    void unbind(InetSocketAddress address, MemoryDatagramChannel socket) {
        datagramSockets.remove(address.getPort(), socket);
    }

    @Nullable MemoryDatagramChannel datagramSocket(InetSocketAddress address) {
        return datagramSockets.get(address.getPort());
    }
}
