package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.blocking.Blocking;

import io.netty.channel.unix.DomainSocketAddress;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.Objects;

/** Hosts and ports, and paths. */
final class Addresses {
    private Addresses() {}

    /** A name is looked up by the system, on another thread; a switchpoint then. */
    static InetSocketAddress of(String host, int port) {
        Objects.requireNonNull(host, "host");
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port=" + port + " is not from 0 to 65535");
        }
        InetAddress literal = literal(host);
        return new InetSocketAddress(literal == null ? lookUp(host) : literal, port);
    }

    private static @Nullable InetAddress literal(String host) {
        if (host.equals("localhost")) {
            return InetAddress.getLoopbackAddress();
        }
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException isName) {
            return null;
        }
    }

    private static InetAddress lookUp(String host) {
        try {
            return Blocking.call(() -> InetAddress.getByName(host));
        } catch (UnknownHostException unknown) {
            throw new ConnectionException("the host " + host + " is unknown", unknown);
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
