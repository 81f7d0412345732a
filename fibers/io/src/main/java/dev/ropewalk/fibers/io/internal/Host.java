package dev.ropewalk.fibers.io.internal;

import org.jspecify.annotations.Nullable;

import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A machine of the network in memory: its address, ports, paths and connections. */
final class Host {
    private static final int FIRST_FREE_PORT = 32_768;
    private static final int LAST_PORT = 65_535;

    /** Null of the host that cords have at first. */
    private final @Nullable InetAddress address;

    /** By port, or by path. */
    private final Map<Object, MemoryServerChannel> listeners = new HashMap<>();

    /** By port, of which UDP has its own. */
    private final Map<Object, MemoryDatagramChannel> datagramSockets = new HashMap<>();

    private final Set<MemoryChannel> connections = new LinkedHashSet<>();
    private int nextPort = FIRST_FREE_PORT;

    /** A cord has, or had, this address: otherwise nothing answers there. */
    private boolean isThere;

    Host(@Nullable InetAddress address) {
        this.address = address;
    }

    boolean isThere() {
        return isThere;
    }

    void appear() {
        isThere = true;
    }

    /** The address that the other side of a connection sees. */
    InetAddress addressFor(InetAddress target) {
        return address == null || target.isLoopbackAddress() || target.isAnyLocalAddress()
                ? InetAddress.getLoopbackAddress()
                : address;
    }

    // ---------------------------------------------------------------- ports

    SocketAddress bind(SocketAddress wanted, MemoryServerChannel listener) throws BindException {
        SocketAddress bound =
                wanted instanceof InetSocketAddress inet ? own(inet, listeners) : wanted;
        enter(listeners, bound, listener);
        return bound;
    }

    InetSocketAddress bind(InetSocketAddress wanted, MemoryDatagramChannel socket)
            throws BindException {
        InetSocketAddress bound = own(wanted, datagramSockets);
        enter(datagramSockets, bound, socket);
        return bound;
    }

    /** Port 0 takes a free one. */
    private InetSocketAddress own(InetSocketAddress wanted, Map<Object, ?> taken)
            throws BindException {
        InetAddress at = wanted.getAddress();
        if (!at.isAnyLocalAddress() && !at.isLoopbackAddress() && !at.equals(address)) {
            throw new BindException("Cannot assign requested address");
        }
        return wanted.getPort() == 0 ? new InetSocketAddress(at, freePort(taken)) : wanted;
    }

    private static <C> void enter(Map<Object, C> sockets, SocketAddress bound, C socket)
            throws BindException {
        if (sockets.putIfAbsent(key(bound), socket) != null) {
            throw new BindException("Address already in use");
        }
    }

    void unbind(SocketAddress bound, MemoryServerChannel listener) {
        listeners.remove(key(bound), listener);
    }

    void unbind(SocketAddress bound, MemoryDatagramChannel socket) {
        datagramSockets.remove(key(bound), socket);
    }

    private static Object key(SocketAddress address) {
        return address instanceof InetSocketAddress inet ? (Object) inet.getPort() : address;
    }

    int freeClientPort() {
        return freePort(listeners);
    }

    private int freePort(Map<Object, ?> taken) {
        int port = nextPort;
        while (taken.containsKey(port)) {
            port = port == LAST_PORT ? FIRST_FREE_PORT : port + 1;
        }
        nextPort = port == LAST_PORT ? FIRST_FREE_PORT : port + 1;
        return port;
    }

    @Nullable MemoryServerChannel listener(SocketAddress dialled) {
        MemoryServerChannel found = listeners.get(key(dialled));
        return found != null && hears(found.bound(), dialled) ? found : null;
    }

    @Nullable MemoryDatagramChannel datagramSocket(InetSocketAddress dialled) {
        MemoryDatagramChannel found = datagramSockets.get(dialled.getPort());
        boolean hears =
                found != null
                        && (Network.isBroadcast(dialled)
                                || hears(Objects.requireNonNull(found.localAddress0()), dialled));
        return hears ? found : null;
    }

    /** One that is bound to the loopback address hears this host alone. */
    private static boolean hears(SocketAddress bound, SocketAddress dialled) {
        if (!(bound instanceof InetSocketAddress here && dialled instanceof InetSocketAddress to)) {
            return true;
        }
        InetAddress at = here.getAddress();
        InetAddress target = to.getAddress();
        return at.isAnyLocalAddress()
                || at.equals(target)
                || (at.isLoopbackAddress()
                        && (target.isLoopbackAddress() || target.isAnyLocalAddress()));
    }

    // ---------------------------------------------------------------- connections

    void add(MemoryChannel connection) {
        connections.add(connection);
    }

    void remove(MemoryChannel connection) {
        connections.remove(connection);
    }

    /** This side of each connection with the other host. */
    void breakOffAllWith(Host other) {
        for (MemoryChannel each : List.copyOf(connections)) {
            if (each.peer() == other) {
                each.breakOff();
            }
        }
    }

    @Override
    public String toString() {
        return address == null ? "127.0.0.1" : address.getHostAddress();
    }
}
