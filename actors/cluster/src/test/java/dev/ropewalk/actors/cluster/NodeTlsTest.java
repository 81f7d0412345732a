package dev.ropewalk.actors.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.fibers.io.Tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Rule A7: nodes on real sockets know each other by their certificates, or are turned away. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeTlsTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir private static Path folder;
    private static X509Bundle authority;
    private static X509Bundle otherAuthority;

    sealed interface Word {}

    record Question(Recipient<Integer> replyTo) implements Word {}

    /** What each meeting begins with: a node that is right, and one of the same kind. */
    @FunctionalInterface
    private interface Body {
        void run(Node server, LogLines lines) throws Exception;
    }

    @BeforeAll
    static void authorities() throws Exception {
        authority = authority("CN=nodes");
        otherAuthority = authority("CN=strangers");
        write("ca.pem", authority.getCertificatePEM());
        write("other-ca.pem", otherAuthority.getCertificatePEM());
    }

    private static X509Bundle authority(String name) throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject(name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    private static Path write(String name, String text) throws Exception {
        return Files.writeString(folder.resolve(name), text);
    }

    /** A certificate for the node, in files that are called so. */
    private static void certify(String file, String node, X509Bundle by, boolean isExpired)
            throws Exception {
        CertificateBuilder builder =
                new CertificateBuilder()
                        .ecp256()
                        .subject("CN=" + node)
                        .addSanDnsName(node)
                        .addSanIpAddress("127.0.0.1");
        if (isExpired) {
            builder.notBefore(Instant.parse("2020-01-01T00:00:00Z"))
                    .notAfter(Instant.parse("2020-02-01T00:00:00Z"));
        }
        X509Bundle signed = builder.buildIssuedBy(by);
        write(file + ".pem", signed.getCertificatePathPEM());
        write(file + ".key", signed.getPrivateKeyPEM());
    }

    private static Path file(String name) {
        return folder.resolve(name);
    }

    private static Tls server(String file, String trusted) {
        return Tls.server(file(file + ".pem"), file(file + ".key")).withTrust(file(trusted));
    }

    private static Tls client(@Nullable String file, String trusted) {
        Tls client = Tls.client().withTrust(file(trusted));
        return file == null
                ? client
                : client.withCertificate(file(file + ".pem"), file(file + ".key"));
    }

    private static NodeOptions options(String name, Node... others) {
        String[] all = new String[others.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = "127.0.0.1:" + others[i].port();
        }
        return NodeOptions.named(name)
                .withProtocol(Protocol.of(Word.class))
                .withDiscovery(Discovery.of(all));
    }

    private static NodeOptions encrypted(String name, Node... others) throws Exception {
        certify(name, name, authority, false);
        return options(name, others).withTls(server(name, "ca.pem"), client(name, "ca.pem"));
    }

    private static void run(Body body) throws Exception {
        try (LogLines lines = new LogLines();
                ActorSystem system = ActorSystem.start("all");
                Node server = Node.start(system, encrypted("n1"))) {
            system.start(
                    "seven",
                    Actor.<Word>handler(
                            () ->
                                    word -> {
                                        if (word instanceof Question(var replyTo)) {
                                            replyTo.tell(7);
                                        }
                                        return Behavior.same();
                                    }));
            body.run(server, lines);
        }
    }

    private static void assertServed(Node client) {
        ActorRef<Word> seven = Objects.requireNonNull(client.at("n1").find("seven", Word.class));
        assertEquals(7, (int) seven.<Integer>ask(Question::new));
    }

    /**
     * Neither side has a peer, the reason is logged once, and a right node is served meanwhile.
     *
     * @param reason a part of the line
     */
    private static void assertRefused(NodeOptions wrong, String reason) throws Exception {
        run(
                (server, lines) -> {
                    NodeOptions toServer =
                            wrong.withDiscovery(Discovery.of("127.0.0.1:" + server.port()));
                    try (ActorSystem one = ActorSystem.start("stranger");
                            ActorSystem two = ActorSystem.start("n2");
                            Node stranger = Node.start(one, toServer);
                            Node right = Node.start(two, encrypted("n2", server))) {
                        assertTrue(right.awaitPeers(1, LIMIT), lines::toString);
                        await().atMost(LIMIT).until(() -> !warnings(lines, reason).isEmpty());
                        assertServed(right);
                        assertEquals(List.of(), stranger.peers());
                        assertEquals(List.of("n2"), server.peers());
                        List<String> told = warnings(lines, "");
                        assertEquals(told.stream().distinct().toList(), told, "each is told once");
                    }
                });
    }

    private static List<String> warnings(LogLines lines, String text) {
        return lines.with(" WARN ").stream()
                .filter(each -> each.contains("internal.node.") && each.contains(text))
                .toList();
    }

    @Test
    void A7_nodesWithCertificatesMeet() throws Exception {
        run(
                (server, lines) -> {
                    try (ActorSystem two = ActorSystem.start("n2");
                            Node client = Node.start(two, encrypted("n2", server))) {
                        assertTrue(client.awaitPeers(1, LIMIT), lines::toString);
                        assertServed(client);
                    }
                    assertEquals(List.of(), warnings(lines, ""));
                });
    }

    @Test
    void A7_certificateOfAnotherAuthorityIsRefused() throws Exception {
        certify("n3", "n3", otherAuthority, false);
        assertRefused(
                options("n3").withTls(server("n3", "ca.pem"), client("n3", "ca.pem")),
                "Empty client certificate chain"); // because the server names whom it trusts
    }

    @Test
    void A7_serverOfAnotherAuthorityIsRefusedByTheCaller() throws Exception {
        certify("n3", "n3", authority, false);
        assertRefused(
                options("n3").withTls(server("n3", "ca.pem"), client("n3", "other-ca.pem")),
                "unable to find valid certification path");
    }

    @Test
    void A7_expiredCertificateIsRefused() throws Exception {
        certify("n3", "n3", authority, true);
        assertRefused(
                options("n3").withTls(server("n3", "ca.pem"), client("n3", "ca.pem")),
                "NotAfter: ");
    }

    @Test
    void A7_nodeThatShowsNoCertificateIsRefused() throws Exception {
        certify("n3", "n3", authority, false);
        assertRefused(
                options("n3").withTls(server("n3", "ca.pem"), client(null, "ca.pem")),
                "Empty client certificate chain");
    }

    @Test
    void A7_certificateForAnotherNameIsRefused() throws Exception {
        certify("n4", "n4", authority, false);
        assertRefused(
                options("n3").withTls(server("n4", "ca.pem"), client("n4", "ca.pem")),
                "CERTIFICATE");
    }

    @Test
    void A7_nodeWithoutTlsIsRefused() throws Exception {
        assertRefused(options("n3"), "not an SSL/TLS record");
    }

    @Test
    void A7_withoutTlsANodeStaysOnThisMachine() {
        try (ActorSystem system = ActorSystem.start("all")) {
            IllegalArgumentException refused =
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Node.start(system, options("n1").withAddress("10.0.0.1", 0)));
            String said = String.valueOf(refused.getMessage());
            assertTrue(said.contains("NodeOptions.withTls"), said);
            assertTrue(said.contains("NodeOptions.withoutTls"), said);
        }
    }
}
