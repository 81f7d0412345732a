package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Cord;

import io.netty.channel.ConnectTimeoutException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Objects;

import javax.net.ssl.SSLException;

/**
 * How a failure of the transport is told to the fiber whose call cannot go on: what the system,
 * Netty or a limit said becomes an exception that names the connection, listener or socket, and the
 * remedy.
 *
 * <p>Its state is whose failures they are. That one owns it; the fibers of its cord call it, and
 * {@link #wrongThread} any thread. It throws nothing by itself: the caller does.
 */
final class IoErrors {
    private final Object subject;
    private final Cord cord;

    /** Whose other side is blamed for what it has done; null if the subject has no such side. */
    private final @Nullable TcpConnection blamed;

    private IoErrors(Object subject, Cord cord, @Nullable TcpConnection blamed) {
        this.subject = subject;
        this.cord = cord;
        this.blamed = blamed;
    }

    static IoErrors ofConnection(TcpConnection connection, Cord cord) {
        return new IoErrors(connection, cord, connection);
    }

    /** Of a listener, or of a UDP socket. */
    static IoErrors of(Object subject, Cord cord) {
        return new IoErrors(subject, cord, null);
    }

    // ---------------------------------------------------------------- before it is open

    /** Says why a connection was not made, and what may help. */
    static ConnectionException notConnected(
            SocketAddress address, TcpOptions options, Throwable failure) {
        String to = "cannot connect to " + Addresses.text(address);
        if (failure instanceof ConnectTimeoutException) {
            return new ConnectionTimeoutException(
                    to + " within connectLimit=" + options.connectLimit(),
                    new SocketTimeoutException("connect"));
        }
        String remedy = failure instanceof ConnectException ? "; does a server listen there?" : "";
        return notOpened(to, failure, remedy);
    }

    static ConnectionException notOpened(String what, Throwable failure, String remedy) {
        IOException cause = asIo(failure);
        return new ConnectionException(what + ": " + cause.getMessage() + remedy, cause);
    }

    /** As the exceptions of this package want their causes. */
    static IOException asIo(Throwable failure) {
        return failure instanceof IOException io ? io : new IOException(failure);
    }

    // ---------------------------------------------------------------- of what is or was open

    WrongThreadException wrongThread(String call) {
        return new WrongThreadException(
                call
                        + " of "
                        + subject
                        + ", which belongs to "
                        + cord
                        + ", was called on "
                        + Thread.currentThread());
    }

    /**
     * Tells that this side has ended it.
     *
     * @param how it is closed
     */
    ConnectionClosedException closed(String call, String how) {
        return new ConnectionClosedException(
                "cannot " + call + ": " + subject + " " + how, new ClosedChannelException());
    }

    /** Tells that this side has ended its output. */
    ConnectionClosedException outputEnded() {
        return new ConnectionClosedException(
                "cannot write to " + subject + ": its output was ended by shutdownOutput",
                new ClosedChannelException());
    }

    /**
     * Tells that a call has waited for as long as it may.
     *
     * @param did what the other side should have done with something
     * @param limit its name
     */
    ConnectionTimeoutException silent(String call, String did, long limitNs, String limit) {
        return blame(
                new ConnectionTimeoutException(
                        subject
                                + " "
                                + did
                                + " nothing for "
                                + limitNs / 1_000_000
                                + " ms, "
                                + limit,
                        new SocketTimeoutException(call)));
    }

    /** Tells that one call failed, and that the subject works on. */
    ConnectionException refused(String call, IOException why) {
        return new ConnectionException(
                "cannot " + call + " from " + subject + ": " + reason(why), why);
    }

    /** The system has no words for it. */
    static String reason(IOException why) {
        return why instanceof PortUnreachableException
                ? "nobody has the port there, as a datagram of before has shown"
                : Objects.requireNonNullElse(why.getMessage(), why.toString());
    }

    // ---------------------------------------------------------------- of what was broken off

    /** The reason for {@link #broken} of a connection on which no byte came or went. */
    static IOException idle(Duration limit) {
        return new SocketTimeoutException("idle for longer than idleLimit=" + limit);
    }

    /** The reason for {@link #broken} of an input that the codec cannot decode. */
    static IOException undecodable(Throwable cause) {
        return new Undecodable(cause);
    }

    /** Marks the failure of an input. */
    private static final class Undecodable extends IOException {
        private static final long serialVersionUID = 1L;

        Undecodable(Throwable cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** Tells why nothing comes or goes any more; fresh for each caller. */
    ConnectionException broken(String call, IOException why) {
        ConnectionException failure = described("cannot " + call + ": ", why);
        return isOfProgram(why) ? failure : blame(failure);
    }

    /** A codec that makes other messages than it says. */
    private static boolean isOfProgram(IOException why) {
        return why instanceof Undecodable && why.getCause() instanceof ClassCastException;
    }

    private ConnectionException described(String cannot, IOException why) {
        return switch (why) {
            case SocketTimeoutException idle ->
                    new ConnectionTimeoutException(
                            cannot + subject + " was " + idle.getMessage(), idle);
            case SSLException tls ->
                    new TlsException(
                            cannot + "TLS of " + subject + " failed: " + reasons(tls), tls);
            case Undecodable wrong ->
                    new CodecException(
                            cannot
                                    + subject
                                    + " sent what its codec cannot decode: "
                                    + wrong.getMessage(),
                            wrong);
            default ->
                    new ConnectionResetException(
                            cannot
                                    + subject
                                    + " was broken off: "
                                    + Objects.requireNonNullElse(
                                            why.getMessage(), "the other side is gone"),
                            why);
        };
    }

    /** BoringSSL's own error says nothing, but its cause does. */
    private static String reasons(SSLException why) {
        Throwable cause = why.getCause();
        String reason = String.valueOf(why.getMessage());
        String more = cause == null ? null : cause.getMessage();
        return more == null || reason.contains(more) ? reason : reason + ": " + more;
    }

    private <E extends ConnectionException> E blame(E failure) {
        return blamed == null ? failure : blamed.blame(failure);
    }
}
