package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How connections and listeners are made; immutable. Start from {@link #defaults} and change what
 * differs. A listener gives its options to the connections that it accepts.
 */
public final class TcpOptions {
    private static final TcpOptions DEFAULTS = new TcpOptions(new Values());

    private final Values values;

    private TcpOptions(Values values) {
        checkPositive("stashBytes", values.stashBytes, "nothing could be read");
        checkPositive("highWaterMark", values.highWaterMark, "nothing could be written");
        checkPositive("maxLineBytes", values.maxLineBytes, "no line would be short enough");
        checkPositive("maxMessages", values.maxMessages, "none could be received");
        checkPositive("maxConnections", values.maxConnections, "nobody could be accepted");
        checkPositive("maxLingerBytes", values.maxLingerBytes, "take withLingerLimit(ZERO)");
        checkPositive("backlog", values.backlog, "nobody could connect");
        for (Duration limit :
                new Duration[] {
                    values.connectLimit,
                    values.closeLimit,
                    values.lingerLimit,
                    orNone(values.readLimit),
                    orNone(values.writeLimit),
                    values.idleLimit
                }) {
            Waits.nanos(limit);
        }
        this.values = values;
    }

    private static Duration orNone(@Nullable Duration limit) {
        return limit == null ? Waits.FOREVER : limit;
    }

    private static void checkPositive(String name, int value, String why) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + " < 1: " + why);
        }
    }

    /**
     * {@return the defaults: 10 s to connect, 5 s to send the rest at a close, 2 s and 8 MiB for
     * input that still comes then, no other limit; 64 KiB unread, 64 KiB unsent, lines of 8 KiB, 64
     * messages, 10,000 connections of a listener, 1,024 that wait to be accepted; no delay, no
     * keep-alive, a port for one listener, no TLS}
     */
    public static TcpOptions defaults() {
        return DEFAULTS;
    }

    /** {@return how long a connect may take} */
    public Duration connectLimit() {
        return values.connectLimit;
    }

    /** {@return how long a closed connection may take to send what was written before} */
    public Duration closeLimit() {
        return values.closeLimit;
    }

    /** {@return how long a closed connection that has sent all waits for the other side's end} */
    public Duration lingerLimit() {
        return values.lingerLimit;
    }

    /** {@return how many bytes of the other side a closed connection reads and drops} */
    public int maxLingerBytes() {
        return values.maxLingerBytes;
    }

    /** {@return how long a read waits for bytes} */
    public Duration readLimit() {
        return orNone(values.readLimit);
    }

    /** {@return how long a write waits for room, and a flush for the kernel} */
    public Duration writeLimit() {
        return orNone(values.writeLimit);
    }

    /** {@return how long no byte may come or go before the connection is closed} */
    public Duration idleLimit() {
        return values.idleLimit;
    }

    /** {@return how many unread bytes are kept before the sender is held up} */
    public int stashBytes() {
        return values.stashBytes;
    }

    /** {@return how many unsent bytes are kept before a writer waits} */
    public int highWaterMark() {
        return values.highWaterMark;
    }

    /** {@return how many bytes a line has at most, without its end} */
    public int maxLineBytes() {
        return values.maxLineBytes;
    }

    /** {@return how many unreceived messages are kept before the sender is held up} */
    public int maxMessages() {
        return values.maxMessages;
    }

    /**
     * {@return how many connections of a listener are open at once; it accepts no more until one is
     * closed}
     */
    public int maxConnections() {
        return values.maxConnections;
    }

    /** {@return how many clients the kernel keeps that are not accepted yet} */
    public int backlog() {
        return values.backlog;
    }

    /** {@return whether small writes leave at once} */
    public boolean noDelay() {
        return values.noDelay;
    }

    /** {@return whether the kernel asks a silent peer whether it is still there} */
    public boolean keepAlive() {
        return values.keepAlive;
    }

    /** {@return whether several listeners may have one port, each with a part of its clients} */
    public boolean reusePort() {
        return values.reusePort;
    }

    /** {@return over which cords {@link TcpListener#serve} spreads its clients; empty: its own} */
    public List<Cord> cords() {
        return values.cords;
    }

    /** {@return how connections are encrypted; empty if they are not} */
    public Optional<Tls> tls() {
        return Optional.ofNullable(values.tls);
    }

    /**
     * {@return these options with another limit on connects}
     *
     * @param limit how long a connect may take
     */
    public TcpOptions withConnectLimit(Duration limit) {
        return with(copy -> copy.connectLimit = limit);
    }

    /**
     * {@return these options with another limit on the rest of a closed connection}
     *
     * @param limit how long it may take to send what was written; then it is reset
     */
    public TcpOptions withCloseLimit(Duration limit) {
        return with(copy -> copy.closeLimit = limit);
    }

    /**
     * {@return these options with another limit on the wait for the other side's end} A connection
     * that is closed while the other side still sends is reset by the kernel, and the bytes that
     * were written last may be lost; so it is closed a little later.
     *
     * @param limit how long the other side may take to end, once all is sent; with zero it is
     *     closed at once
     */
    public TcpOptions withLingerLimit(Duration limit) {
        return with(copy -> copy.lingerLimit = limit);
    }

    /**
     * {@return these options with another bound on the bytes that a closed connection drops}
     *
     * @param bytes how many may come before the connection is closed nevertheless
     */
    public TcpOptions withMaxLingerBytes(int bytes) {
        return with(copy -> copy.maxLingerBytes = bytes);
    }

    /**
     * {@return these options with another limit on each read}
     *
     * @param limit how long a read waits for bytes
     */
    public TcpOptions withReadLimit(Duration limit) {
        Objects.requireNonNull(limit, "limit");
        return with(copy -> copy.readLimit = limit);
    }

    /**
     * {@return these options with another limit on each write}
     *
     * @param limit how long a write waits for room, and a flush for the kernel
     */
    public TcpOptions withWriteLimit(Duration limit) {
        Objects.requireNonNull(limit, "limit");
        return with(copy -> copy.writeLimit = limit);
    }

    /**
     * {@return these options with limits on reads and writes where they have no limits yet} For
     * libraries that are built on connections and need limits of their own, unless their users set
     * others.
     *
     * @param read how long a read waits for bytes, unless {@link #withReadLimit} set it
     * @param write how long a write waits for room, unless {@link #withWriteLimit} said it
     */
    public TcpOptions withDefaultLimits(Duration read, Duration write) {
        Objects.requireNonNull(read, "read");
        Objects.requireNonNull(write, "write");
        return with(
                copy -> {
                    copy.readLimit = copy.readLimit == null ? read : copy.readLimit;
                    copy.writeLimit = copy.writeLimit == null ? write : copy.writeLimit;
                });
    }

    /**
     * {@return these options with another limit on idleness}
     *
     * @param limit how long no byte may come or go
     */
    public TcpOptions withIdleLimit(Duration limit) {
        return with(copy -> copy.idleLimit = limit);
    }

    /**
     * {@return these options with another bound on unread bytes}
     *
     * @param bytes how many are kept before the sender is held up; one receive more may come
     */
    public TcpOptions withStashBytes(int bytes) {
        return with(copy -> copy.stashBytes = bytes);
    }

    /**
     * {@return these options with another bound on unsent bytes}
     *
     * @param bytes above how many a writer waits
     */
    public TcpOptions withHighWaterMark(int bytes) {
        return with(copy -> copy.highWaterMark = bytes);
    }

    /**
     * {@return these options with another bound on lines}
     *
     * @param bytes how long a line may be, without its end
     */
    public TcpOptions withMaxLineBytes(int bytes) {
        return with(copy -> copy.maxLineBytes = bytes);
    }

    /**
     * {@return these options with another bound on unreceived messages}
     *
     * @param messages how many are kept before the sender is held up; those of one receive from the
     *     kernel may come on top
     */
    public TcpOptions withMaxMessages(int messages) {
        return with(copy -> copy.maxMessages = messages);
    }

    /**
     * {@return these options with another bound on the connections of a listener}
     *
     * @param connections how many are open at once
     */
    public TcpOptions withMaxConnections(int connections) {
        return with(copy -> copy.maxConnections = connections);
    }

    /**
     * {@return these options with another bound on clients that wait}
     *
     * @param clients how many the kernel keeps
     */
    public TcpOptions withBacklog(int clients) {
        return with(copy -> copy.backlog = clients);
    }

    /**
     * {@return these options with small writes that leave at once, or wait for more}
     *
     * @param on whether they leave at once
     */
    public TcpOptions withNoDelay(boolean on) {
        return with(copy -> copy.noDelay = on);
    }

    /**
     * {@return these options with probes of silent peers, or without}
     *
     * @param on whether the kernel sends them
     */
    public TcpOptions withKeepAlive(boolean on) {
        return with(copy -> copy.keepAlive = on);
    }

    /**
     * {@return these options with a port for several listeners, or for one}
     *
     * @param on whether others may listen there too; Linux only
     */
    public TcpOptions withReusePort(boolean on) {
        return with(copy -> copy.reusePort = on);
    }

    /**
     * {@return these options with cords that serve the clients of one listener} Each client is
     * served on the cord that has the fewest, and all that is done with its connection is done
     * there; only {@link TcpListener#serve} takes connections then.
     *
     * @param cords at least one, for example those of a scheduler; the listener's own counts only
     *     if it is among them
     * @throws IllegalArgumentException if the list is empty, or names a cord twice
     */
    public TcpOptions withCords(List<Cord> cords) {
        List<Cord> copy = List.copyOf(cords);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException(
                    "cords=[]: nobody would be served; leave withCords out to serve on the"
                            + " listener's cord");
        }
        if (Set.copyOf(copy).size() < copy.size()) {
            throw new IllegalArgumentException(
                    "cords=" + copy + ": a cord is there twice; name each once");
        }
        return with(values -> values.cords = copy);
    }

    /**
     * {@return these options with encrypted connections}
     *
     * @param tls of a server for listeners, of a client for connects
     */
    public TcpOptions withTls(Tls tls) {
        Objects.requireNonNull(tls, "tls");
        return with(copy -> copy.tls = tls);
    }

    private TcpOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new TcpOptions(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        Duration connectLimit = Duration.ofSeconds(10);
        Duration closeLimit = Duration.ofSeconds(5);
        Duration lingerLimit = Duration.ofSeconds(2);
        int maxLingerBytes = 8 << 20;

        /** Null if no limit was set. */
        @Nullable Duration readLimit;

        @Nullable Duration writeLimit;
        Duration idleLimit = Waits.FOREVER;
        int stashBytes = 64 * 1024;
        int highWaterMark = 64 * 1024;
        int maxLineBytes = 8 * 1024;
        int maxMessages = 64;
        int maxConnections = 10_000;
        int backlog = 4_096;
        boolean noDelay = true;
        boolean keepAlive;
        boolean reusePort;
        List<Cord> cords = List.of();
        @Nullable Tls tls;

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
