package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.Turnstile;
import dev.ropewalk.fibers.spi.Alarm;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSession;

/** The agreement on TLS, which begins by itself when the connection is open. On the cord. */
final class Handshake {
    private final TcpConnection connection;
    private final Turnstile waiter;
    private final Tls tls;

    /** Of the whole agreement; null before and behind it. */
    private @Nullable Alarm alarm;

    private @Nullable SSLSession session;
    private @Nullable IOException failure;

    Handshake(TcpConnection connection, Tls tls) {
        this.connection = connection;
        this.tls = tls;
        this.waiter = new Turnstile(connection, "fiber that waits for TLS");
    }

    /** Waits until the sides have agreed. */
    SSLSession await() {
        waiter.checkFree();
        while (session == null) {
            if (failure != null) {
                throw connection.errors.broken("agree on TLS", failure);
            }
            waiter.await("TLS of " + connection, Long.MAX_VALUE);
        }
        return session;
    }

    boolean hasAgreed() {
        return session != null;
    }

    // ---------------------------------------------------------------- Netty's side

    /** Netty's own limits are those of a step each: the choice of a certificate, and the rest. */
    void begin() {
        long limitNs = tls.handshakeLimitNs();
        if (limitNs != Long.MAX_VALUE) {
            alarm = Alarm.after(limitNs, this::late);
        }
    }

    private void late() {
        alarm = null;
        connection.failed(
                new SSLHandshakeException(
                        "no agreement within handshakeLimit=" + tls.handshakeLimit()));
    }

    /** Cancels the limit. */
    void end() {
        if (alarm != null) {
            alarm.cancel();
            alarm = null;
        }
    }

    void agreed(SSLSession on) {
        end();
        session = on;
        waiter.wake();
    }

    /** Also if the connection was closed before. */
    void failed(Throwable why) {
        end();
        if (session == null && failure == null) {
            failure = why instanceof IOException io ? io : new SSLException(why);
            waiter.wake();
        }
    }

    /** No answer can come any more. */
    void inputEnded(@Nullable IOException why) {
        failed(why == null ? new EOFException("the other side has ended TLS") : why);
    }
}
