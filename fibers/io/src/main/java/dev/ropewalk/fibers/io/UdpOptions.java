package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** How UDP sockets are made; immutable. Start from {@link #defaults} and change what differs. */
public final class UdpOptions {
    /** The most that IPv6 has room for; IPv4 has less, {@value UdpSocket#MAX_BYTES_IPV4}. */
    private static final int MAX_DATAGRAM_BYTES = 65_527;

    private static final UdpOptions DEFAULTS = new UdpOptions(new Values());

    private final Values values;

    private UdpOptions(Values values) {
        checkPositive("maxDatagrams", values.maxDatagrams, "none could be received");
        checkPositive("maxDatagramBytes", values.maxDatagramBytes, "none would be short enough");
        if (values.maxDatagramBytes > MAX_DATAGRAM_BYTES) {
            throw new IllegalArgumentException(
                    "maxDatagramBytes="
                            + values.maxDatagramBytes
                            + " > "
                            + MAX_DATAGRAM_BYTES
                            + ": no datagram of UDP is longer");
        }
        checkPositive("highWaterMark", values.highWaterMark, "nothing could be sent");
        checkBuffer("receiveBufferBytes", values.receiveBufferBytes);
        checkBuffer("sendBufferBytes", values.sendBufferBytes);
        Waits.nanos(values.receiveLimit);
        this.values = values;
    }

    private static void checkBuffer(String name, @Nullable Integer bytes) {
        if (bytes != null) {
            checkPositive(name, bytes, "no datagram would have room");
        }
    }

    private static void checkPositive(String name, int value, String why) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + " < 1: " + why);
        }
    }

    /**
     * {@return the defaults: 256 unreceived datagrams, of any length, 64 KiB unsent, no limit on a
     * receive; the system's buffers, no broadcast, a port for one socket}
     */
    public static UdpOptions defaults() {
        return DEFAULTS;
    }

    /** {@return how long a receive waits for a datagram} */
    public Duration receiveLimit() {
        return values.receiveLimit;
    }

    /**
     * {@return how many unreceived datagrams are kept before the system is left to keep them, and
     * to drop those that it has no room for}
     */
    public int maxDatagrams() {
        return values.maxDatagrams;
    }

    /** {@return how many bytes a datagram that is received has at most; a longer one is dropped} */
    public int maxDatagramBytes() {
        return values.maxDatagramBytes;
    }

    /** {@return how many bytes that the system has not taken are kept before a sender waits} */
    public int highWaterMark() {
        return values.highWaterMark;
    }

    /** {@return how many unread bytes the system keeps; empty if that is its own affair} */
    public OptionalInt receiveBufferBytes() {
        return optional(values.receiveBufferBytes);
    }

    /** {@return how many unsent bytes the system keeps; empty if that is its own affair} */
    public OptionalInt sendBufferBytes() {
        return optional(values.sendBufferBytes);
    }

    private static OptionalInt optional(@Nullable Integer value) {
        return value == null ? OptionalInt.empty() : OptionalInt.of(value);
    }

    /** {@return whether it may send to all hosts of a network} */
    public boolean broadcast() {
        return values.broadcast;
    }

    /** {@return whether several sockets may have one port, each with a part of the senders} */
    public boolean reusePort() {
        return values.reusePort;
    }

    /**
     * {@return these options with another limit on each receive}
     *
     * @param limit how long a receive waits for a datagram
     */
    public UdpOptions withReceiveLimit(Duration limit) {
        return with(copy -> copy.receiveLimit = limit);
    }

    /**
     * {@return these options with another bound on unreceived datagrams}
     *
     * @param datagrams how many are kept; 16 more may come, which one receive from the system holds
     */
    public UdpOptions withMaxDatagrams(int datagrams) {
        return with(copy -> copy.maxDatagrams = datagrams);
    }

    /**
     * {@return these options with another bound on the datagrams that are received}
     *
     * @param bytes how long one may be, 65,527 at most; so much memory is used while one is
     *     received
     */
    public UdpOptions withMaxDatagramBytes(int bytes) {
        return with(copy -> copy.maxDatagramBytes = bytes);
    }

    /**
     * {@return these options with another bound on unsent bytes}
     *
     * @param bytes above how many a sender waits
     */
    public UdpOptions withHighWaterMark(int bytes) {
        return with(copy -> copy.highWaterMark = bytes);
    }

    /**
     * {@return these options with another buffer for datagrams that come}
     *
     * @param bytes how many the system is asked to keep; it may have a limit of its own
     */
    public UdpOptions withReceiveBufferBytes(int bytes) {
        return with(copy -> copy.receiveBufferBytes = bytes);
    }

    /**
     * {@return these options with another buffer for datagrams that are sent}
     *
     * @param bytes how many the system is asked to keep; it may have a limit of its own
     */
    public UdpOptions withSendBufferBytes(int bytes) {
        return with(copy -> copy.sendBufferBytes = bytes);
    }

    /**
     * {@return these options with datagrams to all hosts of a network, or without}
     *
     * @param on whether it may send them
     */
    public UdpOptions withBroadcast(boolean on) {
        return with(copy -> copy.broadcast = on);
    }

    /**
     * {@return these options with a port for several sockets, or for one}
     *
     * @param on whether others may have it too; Linux only
     */
    public UdpOptions withReusePort(boolean on) {
        return with(copy -> copy.reusePort = on);
    }

    private UdpOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new UdpOptions(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        Duration receiveLimit = Waits.FOREVER;
        int maxDatagrams = 256;

        /** The longest there is: by default no datagram is dropped for its length. */
        int maxDatagramBytes = MAX_DATAGRAM_BYTES;

        int highWaterMark = 64 * 1024;
        @Nullable Integer receiveBufferBytes;
        @Nullable Integer sendBufferBytes;
        boolean broadcast;
        boolean reusePort;

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
