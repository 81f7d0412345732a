package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.io.internal.Network;

import io.netty.channel.unix.DomainSocketAddress;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Hosts and ports, and paths. */
final class Addresses {
    private Addresses() {}

    /** A name is looked up by the system, on another thread; a switchpoint then. */
    static InetSocketAddress of(String host, int port) {
        Objects.requireNonNull(host, "host");
        checkPort(port);
        InetAddress literal = literal(host);
        return new InetSocketAddress(literal == null ? lookUp(host) : literal, port);
    }

    /** All that a name has, in the order of the system; a switchpoint if it is looked up. */
    static List<InetSocketAddress> all(String host, int port) {
        Objects.requireNonNull(host, "host");
        if (literal(host) != null) {
            return List.of(of(host, port));
        }
        checkPort(port);
        try {
            return Stream.of(Blocking.call(() -> InetAddress.getAllByName(host)))
                    .map(each -> new InetSocketAddress(each, port))
                    .toList();
        } catch (UnknownHostException unknown) {
            throw unknown(host, unknown);
        }
    }

    private static void checkPort(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port=" + port + " is not from 0 to 65535");
        }
    }

    private static ConnectionException unknown(String host, UnknownHostException unknown) {
        return new ConnectionException("the host " + host + " is unknown", unknown);
    }

    private static @Nullable InetAddress literal(String host) {
        if (host.equals("localhost")) {
            return InetAddress.getLoopbackAddress();
        }
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException isName) {
            Cord here = Cord.currentOrNull();
            return here != null && CordIo.isVirtual(here) ? Network.of(here).named(host) : null;
        }
    }

    private static InetAddress lookUp(String host) {
        try {
            return Blocking.call(() -> InetAddress.getByName(host));
        } catch (UnknownHostException unknown) {
            throw unknown(host, unknown);
        }
    }

    /** Netty has an own type for the paths of Unix-domain sockets. */
    static @Nullable SocketAddress ofJdk(@Nullable SocketAddress address) {
        return address instanceof DomainSocketAddress unix
                ? UnixDomainSocketAddress.of(unix.path())
                : address;
    }

    /** As 127.0.0.1:7 or /run/x.socket, for messages. */
    static String text(@Nullable SocketAddress address) {
        if (address == null) {
            return "nowhere";
        }
        if (address instanceof UnixDomainSocketAddress unix) {
            String path = unix.getPath().toString();
            return path.isEmpty() ? "a socket without a name" : path;
        }
        if (address instanceof InetSocketAddress inet && inet.getAddress() != null) {
            String host = inet.getAddress().getHostAddress();
            return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + inet.getPort();
        }
        return address.toString();
    }
}
