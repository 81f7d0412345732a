package dev.ropewalk.actors.cluster.ratis;

import org.jspecify.annotations.Nullable;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a {@link RatisStore} is opened; immutable. Start from {@link #of}. */
public final class RatisOptions {
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_.-]{0,39}");
    private static final Pattern ADDRESS =
            Pattern.compile("([A-Za-z0-9_.-]{1,253}|\\[[0-9A-Fa-f:.]{2,45}]):([0-9]{1,5})");
    private static final int MAX_SERVERS = 9;

    private final Values values;

    private RatisOptions(Values values) {
        this.values = values;
    }

    /**
     * {@return the options for one server of a group} Each process of the group opens its own
     * server, with the same servers and another name and directory. A majority of them must run: of
     * three, one may be lost.
     *
     * @param server the name of this one
     * @param servers all of the group, this one too: the address, as {@code host:port}, for each
     *     name. A group keeps its servers and their addresses for ever, so name hosts that can move
     *     as DNS does
     * @param directory where this server keeps its files, alone; it is made if it is not there
     * @throws IllegalArgumentException if a name is not of a to z, digits, {@code _ . -}, or longer
     *     than 40 characters; if an address is none, or one of another server too; if this server
     *     is not among them, or they are more than 9; if the directory is in no file system of the
     *     machine
     */
    public static RatisOptions of(String server, Map<String, String> servers, Path directory) {
        SortedMap<String, String> sorted = new TreeMap<>(servers);
        checkName("server", server);
        sorted.keySet().forEach(each -> checkName("server", each));
        checkAddresses(sorted);
        if (!sorted.containsKey(server)) {
            throw new IllegalArgumentException(
                    "server=\"" + server + "\" is not among " + sorted.keySet() + "; add it");
        }
        if (sorted.size() > MAX_SERVERS) {
            throw new IllegalArgumentException(
                    "servers=" + sorted.size() + " > " + MAX_SERVERS + "; three or five will do");
        }
        Path whole = directory.toAbsolutePath().normalize();
        if (!whole.getFileSystem().equals(FileSystems.getDefault())) {
            throw new IllegalArgumentException("directory=" + whole + ": give one of this machine");
        }
        return new RatisOptions(new Values(server, sorted, whole));
    }

    private static void checkName(String of, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    of + "=\"" + name + "\": give up to 40 of a to z, 0 to 9 and _ . -, as n1");
        }
    }

    private static void checkAddresses(Map<String, String> servers) {
        Set<String> seen = new HashSet<>();
        servers.forEach(
                (name, address) -> {
                    Matcher parts = ADDRESS.matcher(address);
                    int port = parts.matches() ? Integer.parseInt(parts.group(2)) : 0;
                    if (port < 1 || port > 65_535) {
                        throw new IllegalArgumentException(
                                "address=\"" + address + "\" of " + name + "; give host:port");
                    }
                    if (!seen.add(address)) {
                        throw new IllegalArgumentException(
                                "address=\"" + address + "\" is of two servers; give each its own");
                    }
                });
    }

    /**
     * {@return these options with the name of the group; {@code ropewalk} at first} Servers of
     * another group are refused, at the port and in the directory. Two clusters may share a group,
     * because each key begins with the name of its cluster.
     *
     * @param name as that of a server
     * @throws IllegalArgumentException if it is none
     */
    public RatisOptions withGroup(String name) {
        checkName("group", name);
        return with(copy -> copy.group = name);
    }

    /**
     * {@return these options with a limit on each call; 10 s at first} After it the outcome of a
     * write is unknown, and a read fails.
     *
     * @param limit from 100 ms to a minute: Ratis knows a repeated request for two
     * @throws IllegalArgumentException if it is shorter or longer
     */
    public RatisOptions withCallLimit(Duration limit) {
        if (limit.compareTo(Duration.ofMillis(100)) < 0
                || limit.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    "callLimit=" + limit + " is not from PT0.1S to PT1M");
        }
        return with(copy -> copy.callLimit = limit);
    }

    /**
     * {@return these options with the host that the server listens at; its own address at first}
     * For machines that have another address than the one others reach them by, as {@code 0.0.0.0}.
     *
     * @param host a name or an address, without a port
     * @throws IllegalArgumentException if it is none
     */
    public RatisOptions withBindHost(String host) {
        if (!ADDRESS.matcher(host + ":1").matches()) {
            throw new IllegalArgumentException(
                    "bindHost=\"" + host + "\": give a host without a port, as 0.0.0.0");
        }
        return with(copy -> copy.bindHost = host);
    }

    /** For tests: a snapshot after so many entries of the log. */
    RatisOptions withSnapshotEvery(int entries) {
        return with(copy -> copy.snapshotEvery = entries);
    }

    String server() {
        return values.server;
    }

    /** Addresses by name. */
    SortedMap<String, String> servers() {
        return values.servers;
    }

    /** Of this server. */
    String address() {
        return Objects.requireNonNull(values.servers.get(values.server));
    }

    int port() {
        String address = address();
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    String bindHost() {
        String own = address();
        String host =
                values.bindHost == null ? own.substring(0, own.lastIndexOf(':')) : values.bindHost;
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    Path directory() {
        return values.directory;
    }

    String group() {
        return values.group;
    }

    Duration callLimit() {
        return values.callLimit;
    }

    int snapshotEvery() {
        return values.snapshotEvery;
    }

    private RatisOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new RatisOptions(copy);
    }

    @Override
    public String toString() {
        return "server " + values.server + " of group " + values.group + " in " + values.directory;
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        final String server;
        final SortedMap<String, String> servers;
        final Path directory;
        @Nullable String bindHost;
        String group = "ropewalk";
        Duration callLimit = Duration.ofSeconds(10);
        int snapshotEvery = 100_000;

        Values(String server, SortedMap<String, String> servers, Path directory) {
            this.server = server;
            this.servers = Collections.unmodifiableSortedMap(servers);
            this.directory = directory;
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
