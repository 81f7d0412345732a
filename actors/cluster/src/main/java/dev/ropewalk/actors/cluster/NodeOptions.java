package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.cluster.internal.entity.WayTiming;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.fibers.io.Tls;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.Consumer;

/** How a node is made; immutable. Start from {@link #named} and change what differs. */
public final class NodeOptions {
    private final Values values;

    private NodeOptions(Values values) {
        this.values = values;
    }

    /**
     * {@return the defaults for a node of that name: cluster {@code ropewalk}, a free port of
     * {@code 127.0.0.1}, no other nodes, an empty protocol, messages of 1 MB at most, and 1 MB on
     * the way to each other node}
     *
     * @param name its name, which no other node of the cluster has at the same time
     * @throws IllegalArgumentException if it is blank, has a {@code /}, a {@code @} or a control
     *     character, or is longer than 200 characters
     */
    public static NodeOptions named(String name) {
        checkName("node", name);
        Values values = new Values();
        values.name = name;
        return new NodeOptions(values);
    }

    private static void checkName(String what, String name) {
        boolean isOdd =
                name.chars().anyMatch(c -> c == '/' || c == '@' || Character.isISOControl(c));
        if (name.isBlank() || isOdd || name.length() > 200) {
            throw new IllegalArgumentException(
                    what
                            + " name \""
                            + name
                            + "\" is blank, has a /, an @ or a control character, or is longer than"
                            + " 200 characters");
        }
    }

    /**
     * {@return these options with the cluster} Nodes of different clusters refuse each other.
     *
     * @param name its name
     * @throws IllegalArgumentException as {@link #named}
     */
    public NodeOptions withCluster(String name) {
        checkName("cluster", name);
        return with(copy -> copy.cluster = name);
    }

    /**
     * {@return these options with another address} Other nodes are told the same address, so it is
     * one under which they reach this node: not {@code 0.0.0.0}.
     *
     * @param host an address of this machine, or its name
     * @param port the port; 0 for one that is free
     * @throws IllegalArgumentException if the port is none, or the host is any address
     */
    public NodeOptions withAddress(String host, int port) {
        Objects.requireNonNull(host, "host");
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port=" + port + " is not from 0 to 65535");
        }
        if (host.equals("0.0.0.0") || host.equals("::") || host.isBlank()) {
            throw new IllegalArgumentException(
                    "host=\"" + host + "\": other nodes could not reach it; name one address");
        }
        return with(
                copy -> {
                    copy.host = host;
                    copy.port = port;
                });
    }

    /**
     * {@return these options with a place where other nodes are found}
     *
     * @param discovery is asked again and again
     */
    public NodeOptions withDiscovery(Discovery discovery) {
        Objects.requireNonNull(discovery, "discovery");
        return with(copy -> copy.discovery = discovery);
    }

    /**
     * {@return these options with a store} The node keeps a register there, finds the nodes that
     * have one, and holds a lease as long as it reaches the store: it may own something that no
     * other node of the cluster owns. All nodes of a cluster have the same store.
     *
     * @param store an engine, which stays open as long as the node, and is closed by the caller
     */
    public NodeOptions withStore(Store store) {
        Objects.requireNonNull(store, "store");
        return with(copy -> copy.store = store);
    }

    /**
     * {@return these options with the version of the program} While two versions run in a cluster,
     * shards of entities move to nodes of the newer one alone, and only when a node leaves or
     * fails: so a program that is exchanged node by node moves each shard once or twice.
     *
     * @param version compared part by part, numbers as numbers: {@code 1.10} is newer than {@code
     *     1.9}
     * @throws IllegalArgumentException if it is no text of one line
     */
    public NodeOptions withProgramVersion(String version) {
        if (version.isBlank() || version.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "version \"" + version + "\" is no text of one line");
        }
        return with(copy -> copy.programVersion = version);
    }

    /**
     * {@return these options with another clock for reminders of entities} Leases and shards follow
     * no time of the day.
     *
     * @param clock tells the time of the day; that of the machine if none is given, and the virtual
     *     one in a simulated cluster
     */
    public NodeOptions withClock(InstantSource clock) {
        Objects.requireNonNull(clock, "clock");
        return with(copy -> copy.clock = clock);
    }

    /**
     * {@return these options with the types of messages}
     *
     * @param protocol names them
     */
    public NodeOptions withProtocol(Protocol protocol) {
        Objects.requireNonNull(protocol, "protocol");
        return with(copy -> copy.protocol = protocol);
    }

    /**
     * {@return these options with encrypted connections} Both sides show a certificate, and that of
     * a node must be for its name.
     *
     * @param server for the connections that this node accepts: {@code Tls.server(..)} that demands
     *     a certificate of the client
     * @param client for those that it makes: {@code Tls.client()} with a certificate of its own
     */
    public NodeOptions withTls(Tls server, Tls client) {
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(client, "client");
        return with(
                copy -> {
                    copy.server = server;
                    copy.client = client;
                });
    }

    /**
     * {@return these options with connections that are not encrypted, whatever the address} Without
     * it a node whose address is not of this machine alone demands {@link #withTls}, because any
     * program that reaches its port can tell its actors anything.
     */
    public NodeOptions withoutTls() {
        return with(
                copy -> {
                    copy.server = null;
                    copy.client = null;
                    copy.isPlain = true;
                });
    }

    /**
     * {@return these options with another bound on messages}
     *
     * @param bytes how long a message may be, 64 MB at most; nodes of a cluster have the same bound
     * @throws IllegalArgumentException if it is less than 1 KB or more than 64 MB
     */
    public NodeOptions withMaxMessage(int bytes) {
        checkSize("maxMessage", bytes, 64 << 20);
        return with(copy -> copy.maxMessage = bytes);
    }

    /**
     * {@return these options with another bound on what is on its way to another node} A message
     * that finds no room waits with its sender; one message may pass the bound.
     *
     * @param bytes how many bytes that the other node has not acknowledged
     * @throws IllegalArgumentException if it is less than 1 KB or more than 1 GB
     */
    public NodeOptions withQueue(int bytes) {
        checkSize("queue", bytes, 1 << 30);
        return with(copy -> copy.queue = bytes);
    }

    /**
     * {@return these options with contexts that go beside messages} For tracers; none by default.
     *
     * @param propagator reads the context of a sender, and restores that of a message
     */
    public NodeOptions withContext(ContextPropagator propagator) {
        Objects.requireNonNull(propagator, "propagator");
        return with(copy -> copy.context = propagator);
    }

    private static void checkSize(String name, int bytes, int most) {
        if (bytes < 1_024 || bytes > most) {
            throw new IllegalArgumentException(
                    name + "=" + bytes + " is not from 1024 to " + most + " bytes");
        }
    }

    /** {@return the name of the node} */
    public String name() {
        return values.name;
    }

    /** {@return the name of the cluster} */
    public String cluster() {
        return values.cluster;
    }

    /** {@return the address under which it is reached, without the port} */
    public String host() {
        return values.host;
    }

    /** {@return the port; 0 for one that is free} */
    public int port() {
        return values.port;
    }

    /** {@return how long a message may be, in bytes} */
    public int maxMessage() {
        return values.maxMessage;
    }

    /** {@return how many bytes may be on their way to another node} */
    public int queue() {
        return values.queue;
    }

    /** {@return the version of the program} */
    public String programVersion() {
        return values.programVersion;
    }

    /** {@return what tells the time of the day to reminders} */
    public InstantSource clock() {
        return values.clock;
    }

    /** With faults that a test plants. */
    NodeOptions withWays(WayTiming ways) {
        return with(copy -> copy.ways = ways);
    }

    WayTiming ways() {
        return values.ways;
    }

    Discovery discovery() {
        return values.discovery;
    }

    @Nullable Store store() {
        return values.store;
    }

    Protocol protocol() {
        return values.protocol;
    }

    @Nullable ContextPropagator context() {
        return values.context;
    }

    @Nullable Tls server() {
        return values.server;
    }

    @Nullable Tls client() {
        return values.client;
    }

    /**
     * Without encryption only this machine may reach it, unless that is what was asked for; and the
     * names must fit into a key of the store.
     *
     * @throws IllegalArgumentException otherwise
     */
    void check() {
        if (values.server == null && !values.isPlain && !isLoopback(values.host)) {
            throw new IllegalArgumentException(
                    "node "
                            + values.name
                            + " listens on "
                            + values.host
                            + " without TLS: give certificates with NodeOptions.withTls, or say"
                            + " NodeOptions.withoutTls in a network that only you use");
        }
        if (values.store != null) {
            Membership.checkNames(values.cluster, values.name);
        }
    }

    private static boolean isLoopback(String host) {
        if (host.equals("localhost")) {
            return true;
        }
        boolean isNumber = host.indexOf(':') >= 0 || host.matches("[0-9.]+");
        try {
            return isNumber && InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException unknown) {
            return false;
        }
    }

    private NodeOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new NodeOptions(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        String name = "";
        String cluster = "ropewalk";
        String programVersion = "0";
        InstantSource clock = InstantSource.system();
        String host = "127.0.0.1";
        int port;
        Discovery discovery = Discovery.of();
        @Nullable Store store;
        Protocol protocol = Protocol.of();
        int maxMessage = 1 << 20;
        int queue = 1 << 20;
        WayTiming ways = new WayTiming();
        boolean isPlain;
        @Nullable Tls server;
        @Nullable Tls client;
        @Nullable ContextPropagator context;

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
