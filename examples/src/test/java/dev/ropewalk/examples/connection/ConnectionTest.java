package dev.ropewalk.examples.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** The client against servers in memory that are absent, late, and broken off. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ConnectionTest {
    private static final int PORT = 7;
    private static final Duration LONG = Duration.ofHours(1);

    /** A server of a test, which notes what it gets. */
    private static final class Server implements AutoCloseable {
        final List<String> lines = new ArrayList<>();
        final TcpListener listener = TcpListener.bind("127.0.0.1", PORT);
        int clients;
        int open;

        Server() {
            Fiber.spin("server", () -> listener.serve("client", this::serve));
        }

        private void serve(TcpConnection client) {
            clients++;
            open++;
            try {
                answer(client);
            } finally {
                open--;
            }
        }

        private void answer(TcpConnection client) {
            for (String line; (line = client.readLine()) != null; ) {
                lines.add(line);
                switch (line) {
                    case "bye" -> {
                        return;
                    }
                    case "fail" -> {
                        client.reset();
                        return;
                    }
                    case "silence" -> {}
                    case "twice" -> client.write("TWICE\nTWICE\n");
                    default -> client.write(line.toUpperCase(Locale.ROOT) + "\n");
                }
            }
        }

        @Override
        public void close() {
            listener.close();
        }
    }

    /** A test of the client. */
    @FunctionalInterface
    private interface Body {
        void run(ActorRef<Connection.Message> client) throws Exception;
    }

    private static void run(Body body) {
        TestCord.run(
                () -> {
                    List<Object> letters = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start(Tree.oneForOne("app"), letters::add)) {
                        body.run(system.spin("client", Connection.actor("127.0.0.1", PORT)));
                        assertEquals(0, system.root().restarts(), "it failed");
                    }
                    assertEquals(List.of(), letters);
                });
    }

    private static String ask(ActorRef<Connection.Message> client, String line) {
        return client.ask(to -> new Connection.Ask(line, to), LONG);
    }

    @Test
    void questionsAreAnswered() {
        run(
                client -> {
                    try (Server server = new Server()) {
                        assertEquals("ONE", ask(client, "one"));
                        assertEquals("TWO", ask(client, "two"));
                        assertEquals(List.of("one", "two"), server.lines);
                        assertEquals(1, server.clients);
                    }
                });
    }

    /** Nobody listens: the questions wait, and are sent once, in their order. */
    @Test
    void aServerThatComesLate() {
        run(
                client -> {
                    List<Fiber<String>> asking = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        int number = i;
                        asking.add(Fiber.spin("asking", () -> ask(client, "q" + number)));
                        Fiber.sleep(Duration.ofNanos(1));
                    }
                    Fiber.sleep(Duration.ofMinutes(3));
                    assertTrue(asking.stream().noneMatch(each -> each.state() == FiberState.DEAD));
                    assertEquals(5, client.mailbox().queued());
                    try (Server server = new Server()) {
                        for (int i = 0; i < 5; i++) {
                            assertEquals("Q" + i, asking.get(i).await());
                        }
                        assertEquals(List.of("q0", "q1", "q2", "q3", "q4"), server.lines);
                    }
                });
    }

    /** More than the client keeps: those are told why, and the others are answered all the same. */
    @Test
    void tooManyQuestionsForAServerThatComesLate() {
        run(
                client -> {
                    List<CompletableFuture<String>> asked = new ArrayList<>();
                    for (int i = 0; i <= Connection.MAX_WAITING; i++) {
                        String line = "q" + i;
                        asked.add(
                                client.<String>askLater(to -> new Connection.Ask(line, to), LONG)
                                        .toCompletableFuture());
                    }
                    Fiber.sleep(Duration.ofMinutes(1));
                    CompletableFuture<String> late =
                            client.<String>askLater(to -> new Connection.Ask("late", to), LONG)
                                    .toCompletableFuture();
                    Fiber.sleep(Duration.ofSeconds(1));
                    Throwable refused =
                            Objects.requireNonNull(asked.getLast().exceptionNow().getCause());
                    assertEquals(
                            "100 questions wait for a connection to 127.0.0.1:7",
                            refused.getMessage());
                    assertInstanceOf(
                            ConnectionException.class,
                            Objects.requireNonNull(late.exceptionNow().getCause()).getCause(),
                            "what it failed with");
                    try (Server server = new Server()) {
                        Fiber.sleep(Duration.ofMinutes(1));
                        for (int i = 0; i < Connection.MAX_WAITING; i++) {
                            assertEquals("Q" + i, asked.get(i).resultNow());
                        }
                        assertEquals(Connection.MAX_WAITING, server.lines.size());
                    }
                });
    }

    /** What was sent and not answered fails; what comes after that is answered. */
    @Test
    void aConnectionThatIsBrokenOff() {
        run(
                client -> {
                    try (Server server = new Server()) {
                        for (String end : List.of("bye", "fail")) {
                            assertEquals("ONE", ask(client, "one"));
                            CompletableFuture<String> silence =
                                    client.<String>askLater(
                                                    to -> new Connection.Ask("silence", to), LONG)
                                            .toCompletableFuture();
                            Fiber.sleep(Duration.ofSeconds(1));
                            assertThrows(AskFailedException.class, () -> ask(client, end));
                            assertTrue(silence.isCompletedExceptionally());
                            assertEquals("TWO", ask(client, "two"));
                        }
                        assertEquals(3, server.clients);
                    }
                });
    }

    /** An answer too many is nobody's: the connection ends, and the next question has its own. */
    @Test
    void anAnswerThatNobodyAskedFor() {
        run(
                client -> {
                    try (Server server = new Server()) {
                        assertEquals("TWICE", ask(client, "twice"));
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals(0, server.listener.open());
                        assertEquals("ONE", ask(client, "one"));
                        assertEquals(2, server.clients);
                    }
                });
    }

    @Test
    void aQuestionOfTwoLinesIsRefused() {
        run(client -> assertThrows(IllegalArgumentException.class, () -> ask(client, "one\ntwo")));
    }

    /** Hung up after half a minute without a question, and there again for the next one. */
    @Test
    void anIdleConnection() {
        run(
                client -> {
                    try (Server server = new Server()) {
                        ask(client, "one");
                        Fiber.sleep(Duration.ofSeconds(20));
                        ask(client, "two");
                        assertEquals(1, server.listener.open());
                        Fiber.sleep(Duration.ofSeconds(40));
                        assertEquals(0, server.listener.open());
                        ask(client, "three");
                        assertEquals(2, server.clients);
                    }
                });
    }

    /** The server hears of the end of the client. */
    @Test
    void theEndOfTheActorClosesIt() {
        run(
                client -> {
                    try (Server server = new Server()) {
                        ask(client, "one");
                        client.stop();
                        assertTrue(client.awaitEnd(LONG));
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals(0, server.listener.open());
                    }
                });
    }

    /** The old incarnation has asked for one, and the new one for another. */
    @Test
    void ofTwoConnectionsOneIsClosed() {
        TestCord.run(
                () -> {
                    Supervision rules = Supervision.oneForOne().onFailure(_ -> {});
                    try (Server server = new Server();
                            ActorSystem system = ActorSystem.start(Tree.of("app", rules))) {
                        ActorRef<Connection.Message> client =
                                system.start("client", Connection.actor("127.0.0.1", PORT));
                        Fiber<String> asking = Fiber.spin("asking", () -> ask(client, "one"));
                        ActorInspector inspector = ActorInspector.of(client);
                        while (!"connecting".equals(inspector.dump().state())) {
                            Fiber.snooze();
                        }
                        inspector.suspend();
                        Fiber.sleep(Duration.ofMillis(1));
                        assertEquals(1, server.clients);
                        client.kill();
                        assertEquals("ONE", asking.await());
                        assertEquals("TWO", ask(client, "two"));
                        Fiber.sleep(Duration.ofMillis(1));
                        assertEquals(1, server.open);
                    }
                });
    }
}
