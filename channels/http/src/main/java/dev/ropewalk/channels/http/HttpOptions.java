package dev.ropewalk.channels.http;

import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.Objects;

/**
 * How a server or a client speaks HTTP; immutable. Start from {@link #defaults} and change what
 * differs.
 *
 * @param tcp how its connections are made; with TLS it speaks HTTPS; reads and writes have limits
 *     of 30 s unless it says others
 * @param headLimit how long a server waits for the head of a request, from the end of the one
 *     before: an idle connection is closed then, and one that is too slow
 * @param maxLineBytes how long the first line of a request or a response may be
 * @param maxHeaderBytes how long all header fields together may be
 * @param maxBodyBytes how many bytes {@link HttpBody#bytes()} and {@link HttpBody#text()} receive
 *     at most; a body that is received chunk by chunk has no limit
 * @param minBodyRate how many bytes of a request's body give its client a second more, beyond the
 *     read limit of the TCP options that it has to begin with; only the time counts in which the
 *     body is waited for; 0 for no such limit
 */
public record HttpOptions(
        TcpOptions tcp,
        Duration headLimit,
        int maxLineBytes,
        int maxHeaderBytes,
        int maxBodyBytes,
        int minBodyRate) {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration STALL = Duration.ofSeconds(30);
    private static final HttpOptions DEFAULTS =
            new HttpOptions(
                    TcpOptions.defaults(), MINUTE, 8 * 1_024, 16 * 1_024, 1_024 * 1_024, 500);

    /**
     * Checks them.
     *
     * @throws IllegalArgumentException if a size is not positive, or {@code minBodyRate} negative
     */
    public HttpOptions {
        tcp = Objects.requireNonNull(tcp, "tcp").withDefaultLimits(STALL, STALL);
        Waits.nanos(headLimit);
        checkPositive("maxLineBytes", maxLineBytes);
        checkPositive("maxHeaderBytes", maxHeaderBytes);
        checkPositive("maxBodyBytes", maxBodyBytes);
        if (minBodyRate < 0) {
            throw new IllegalArgumentException(
                    "minBodyRate=" + minBodyRate + " < 0: give 0 for none");
        }
    }

    private static void checkPositive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + " < 1: nothing would fit");
        }
    }

    /**
     * {@return the defaults: a minute for a head, 30 s without a byte of a body, 500 bytes of it a
     * second, 30 s in which the other side takes nothing; 8 KiB of first line, 16 KiB of header
     * fields, 1 MiB of body; those of TCP otherwise}
     */
    public static HttpOptions defaults() {
        return DEFAULTS;
    }

    /**
     * {@return these options with others of TCP}
     *
     * @param options all of them; the limits on reads and writes stay 30 s unless they have some
     */
    public HttpOptions withTcp(TcpOptions options) {
        return new HttpOptions(
                options, headLimit, maxLineBytes, maxHeaderBytes, maxBodyBytes, minBodyRate);
    }

    /**
     * {@return these options with another limit on heads}
     *
     * @param limit how long a server waits for one
     */
    public HttpOptions withHeadLimit(Duration limit) {
        return new HttpOptions(tcp, limit, maxLineBytes, maxHeaderBytes, maxBodyBytes, minBodyRate);
    }

    /**
     * {@return these options with another limit on first lines}
     *
     * @param bytes how long one may be
     */
    public HttpOptions withMaxLineBytes(int bytes) {
        return new HttpOptions(tcp, headLimit, bytes, maxHeaderBytes, maxBodyBytes, minBodyRate);
    }

    /**
     * {@return these options with another limit on header fields}
     *
     * @param bytes how long all of them may be
     */
    public HttpOptions withMaxHeaderBytes(int bytes) {
        return new HttpOptions(tcp, headLimit, maxLineBytes, bytes, maxBodyBytes, minBodyRate);
    }

    /**
     * {@return these options with another limit on bodies that are received at once}
     *
     * @param bytes how long one may be
     */
    public HttpOptions withMaxBodyBytes(int bytes) {
        return new HttpOptions(tcp, headLimit, maxLineBytes, maxHeaderBytes, bytes, minBodyRate);
    }

    /**
     * {@return these options with another limit on bodies that come slowly}
     *
     * @param bytesPerSecond how many bytes of a request's body give its client a second more; 0 for
     *     no limit but {@code readLimit}
     */
    public HttpOptions withMinBodyRate(int bytesPerSecond) {
        return new HttpOptions(
                tcp, headLimit, maxLineBytes, maxHeaderBytes, maxBodyBytes, bytesPerSecond);
    }
}
