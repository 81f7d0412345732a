package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.NamedTls;
import dev.ropewalk.fibers.spi.Waits;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.DomainWildcardMappingBuilder;
import io.netty.util.Mapping;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import javax.net.ssl.SSLException;

/**
 * How connections are encrypted: give it to {@link TcpOptions#withTls}.
 *
 * {@snippet file="dev/ropewalk/fibers/io/IoSnippetsTest.java" region="tls"}
 *
 * <p>A server has a certificate, and may have one for each of several names (SNI); either side may
 * have to show one that the other trusts. Certificates and keys are PEM files. They are read when
 * this is made and at {@link #reload}, which is file I/O on the calling thread: make it once, at
 * the start, and use it for all connections.
 *
 * <p>TLS 1.2 and 1.3 are spoken, by BoringSSL if {@code netty-tcnative} is on the class path,
 * otherwise by the JDK. A client checks that the certificate is for the host that it connected to.
 *
 * <p>The settings are immutable; {@link #reload} replaces the contents of the files as a whole, on
 * any thread.
 */
public final class Tls {
    private static final Duration DEFAULT_HANDSHAKE_LIMIT = Duration.ofSeconds(10);

    private final Values values;

    /** Of the files as they were read last. */
    private volatile Contexts contexts;

    private Tls(Values values) {
        this.values = values;
        Waits.nanos(values.handshakeLimit);
        this.contexts = read(values);
    }

    /** PEM files: a chain of certificates, its own first, and its private key. */
    private record Identity(Path certificates, Path key) {}

    /** By the default, and by names for a server. */
    private record Contexts(SslContext standard, Map<String, SslContext> byName) {
        Mapping<String, SslContext> mapping() {
            DomainWildcardMappingBuilder<SslContext> all =
                    new DomainWildcardMappingBuilder<>(standard);
            byName.forEach(all::add);
            return all.build();
        }
    }

    // ---------------------------------------------------------------- making

    /**
     * {@return TLS of a server}
     *
     * @param certificates a PEM file: its certificate, and those between that and a trusted one
     * @param key a PEM file: the private key, PKCS#8 without a password
     * @throws IllegalArgumentException if a file is missing, or is no such file
     */
    public static Tls server(Path certificates, Path key) {
        Values values = new Values();
        values.isServer = true;
        values.identity = new Identity(certificates, key);
        return new Tls(values);
    }

    /** {@return TLS of a client, which trusts the authorities that the JDK trusts} */
    public static Tls client() {
        return new Tls(new Values());
    }

    /**
     * {@return this with the authorities that it trusts instead of the JDK's} A server asks each
     * client for a certificate then, and refuses those without one (mutual TLS).
     *
     * @param certificates a PEM file with their certificates
     * @throws IllegalArgumentException if it is missing, or is no such file
     */
    public Tls withTrust(Path certificates) {
        return with(copy -> copy.trusted = certificates);
    }

    /**
     * {@return this with a certificate that a client shows to servers that ask for one}
     *
     * @param certificates as for {@link #server}
     * @param key as for {@link #server}
     * @throws IllegalArgumentException if a file is missing, or is no such file; or for a server
     */
    public Tls withCertificate(Path certificates, Path key) {
        if (values.isServer) {
            throw new IllegalArgumentException(
                    "this server has a certificate; give one for a name with withHost");
        }
        return with(copy -> copy.identity = new Identity(certificates, key));
    }

    /**
     * {@return this with a certificate for clients that ask for that host (SNI)} Others get the
     * certificate of {@link #server}.
     *
     * @param name a host, or {@code *.} and a domain
     * @param certificates as for {@link #server}
     * @param key as for {@link #server}
     * @throws IllegalArgumentException if a file is missing, or is no such file; or for a client
     */
    public Tls withHost(String name, Path certificates, Path key) {
        if (!values.isServer) {
            throw new IllegalArgumentException("only a server has certificates for hosts");
        }
        return with(
                copy -> {
                    copy.hosts = new LinkedHashMap<>(copy.hosts);
                    copy.hosts.put(name, new Identity(certificates, key));
                });
    }

    /**
     * {@return this with the host that a client asks for and whose certificate it wants, instead of
     * the one that it connects to}
     *
     * @param name the host
     * @throws IllegalArgumentException for a server
     */
    public Tls withServerName(String name) {
        if (values.isServer) {
            throw new IllegalArgumentException("a server asks for no host");
        }
        Objects.requireNonNull(name, "name");
        return with(copy -> copy.serverName = name);
    }

    /**
     * {@return this with another limit on the agreement of the two sides} 10 s by default.
     *
     * @param limit how long it may take
     */
    public Tls withHandshakeLimit(Duration limit) {
        return with(copy -> copy.handshakeLimit = limit);
    }

    /** Of the two that there are; for tests. */
    Tls withEngine(SslProvider engine) {
        return with(copy -> copy.engine = engine);
    }

    private Tls with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new Tls(copy);
    }

    /**
     * Reads the files again: connections that begin after that use their new contents. Open
     * connections go on. On any thread.
     *
     * @throws IllegalArgumentException if a file is missing, or is no such file; then nothing
     *     changes
     */
    public void reload() {
        contexts = read(values);
    }

    // ---------------------------------------------------------------- reading

    private static Contexts read(Values values) {
        Map<String, SslContext> byName = new LinkedHashMap<>();
        values.hosts.forEach((name, identity) -> byName.put(name, context(values, identity)));
        return new Contexts(context(values, values.identity), byName);
    }

    private static SslContext context(Values values, @Nullable Identity identity) {
        try {
            SslContextBuilder builder = builder(values, identity);
            Path trusted = values.trusted;
            if (trusted != null) {
                builder.trustManager(file("certificates", trusted));
            }
            return builder.sslProvider(values.engine()).build();
        } catch (SSLException wrong) {
            throw new IllegalArgumentException(
                    "cannot use certificates="
                            + (identity == null ? values.trusted : identity)
                            + ": "
                            + wrong.getMessage(),
                    wrong);
        }
    }

    private static SslContextBuilder builder(Values values, @Nullable Identity identity) {
        if (identity == null) {
            return SslContextBuilder.forClient();
        }
        File certificates = file("certificates", identity.certificates);
        File key = file("key", identity.key);
        try {
            return values.isServer
                    ? SslContextBuilder.forServer(certificates, key)
                            .clientAuth(
                                    values.trusted == null ? ClientAuth.NONE : ClientAuth.REQUIRE)
                    : SslContextBuilder.forClient().keyManager(certificates, key);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    identity
                            + " are no certificates and their key: are they PEM files, and the key"
                            + " PKCS#8 without a password?",
                    wrong);
        }
    }

    private static File file(String what, Path path) {
        if (!Files.isReadable(path)) {
            throw new IllegalArgumentException(
                    what + "=" + path.toAbsolutePath() + " cannot be read; is it there?");
        }
        return path.toFile();
    }

    // ---------------------------------------------------------------- for a connection

    boolean isServer() {
        return values.isServer;
    }

    /** Whether the other side may ask for another agreement in the middle. */
    boolean mayAgreeAgain() {
        return values.engine() == SslProvider.JDK;
    }

    /** The first handler of a server's connection. */
    ChannelHandler serverHandler(Channel channel) {
        Contexts current = contexts;
        if (current.byName.isEmpty()) {
            return unlimited(current.standard.newHandler(channel.alloc()));
        }
        return new NamedTls(current.mapping());
    }

    /** The first handler of a client's connection. */
    ChannelHandler clientHandler(Channel channel, SocketAddress address) {
        SslContext context = contexts.standard;
        String name = values.serverName;
        if (address instanceof InetSocketAddress inet) {
            return unlimited(
                    context.newHandler(
                            channel.alloc(),
                            name == null ? inet.getHostString() : name,
                            inet.getPort()));
        }
        return unlimited(
                name == null
                        ? context.newHandler(channel.alloc())
                        : context.newHandler(channel.alloc(), name, 0));
    }

    /** The limit is {@link Handshake}'s. */
    private static SslHandler unlimited(SslHandler handler) {
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    Duration handshakeLimit() {
        return values.handshakeLimit;
    }

    long handshakeLimitNs() {
        return Waits.nanos(values.handshakeLimit);
    }

    @Override
    public String toString() {
        return "TLS of a " + (values.isServer ? "server" : "client");
    }

    /** Changed only while it is a copy that no other code has yet. */
    private static final class Values implements Cloneable {
        boolean isServer;
        @Nullable Identity identity;
        @Nullable Path trusted;
        @Nullable String serverName;
        Map<String, Identity> hosts = Map.of();
        Duration handshakeLimit = DEFAULT_HANDSHAKE_LIMIT;

        /** Null for the better one. */
        @Nullable SslProvider engine;

        SslProvider engine() {
            SslProvider better = OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
            return engine == null ? better : engine;
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
