package dev.ropewalk.actors.cluster;

import dev.ropewalk.fibers.blocking.Blocking;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a node looks for others. It is asked again and again as long as the node runs, by a fiber
 * of the node's, so it may wait, and what it throws is logged and tried again. It need not name all
 * nodes: each tells a new one of those that it knows.
 */
@FunctionalInterface
public interface Discovery {
    /**
     * {@return the addresses of nodes that may be there now} Its own is left out by the node.
     *
     * @throws Exception whatever keeps it from knowing; the addresses of before are kept
     */
    List<InetSocketAddress> addresses() throws Exception;

    /**
     * {@return those addresses, always}
     *
     * @param hostsAndPorts each {@code host:port}
     * @throws IllegalArgumentException if one is not of this form
     */
    static Discovery of(String... hostsAndPorts) {
        List<InetSocketAddress> all = new ArrayList<>();
        for (String each : hostsAndPorts) {
            all.add(parsed(each));
        }
        List<InetSocketAddress> fixed = List.copyOf(all);
        return () -> fixed;
    }

    private static InetSocketAddress parsed(String text) {
        int colon = text.lastIndexOf(':');
        int port = -1;
        try {
            port = colon < 1 ? -1 : Integer.parseInt(text.substring(colon + 1));
        } catch (NumberFormatException notANumber) {
            port = -1;
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no address; give host:port, as 10.0.0.1:7400");
        }
        return InetSocketAddress.createUnresolved(text.substring(0, colon), port);
    }

    /**
     * {@return all addresses that a name has at the moment} For a headless service of Kubernetes
     * and the like. The JDK keeps a name's addresses for 30 s, unless the security property {@code
     * networkaddress.cache.ttl} says otherwise.
     *
     * @param name which is looked up each time, on another thread
     * @param port of each node
     */
    static Discovery dns(String name, int port) {
        return () -> Blocking.call(() -> lookedUp(name, port));
    }

    private static List<InetSocketAddress> lookedUp(String name, int port)
            throws UnknownHostException {
        List<InetSocketAddress> all = new ArrayList<>();
        for (InetAddress each : InetAddress.getAllByName(name)) {
            all.add(InetSocketAddress.createUnresolved(each.getHostAddress(), port));
        }
        return all;
    }
}
