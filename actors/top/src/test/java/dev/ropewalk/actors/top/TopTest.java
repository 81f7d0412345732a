package dev.ropewalk.actors.top;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.observer.Observer;
import dev.ropewalk.actors.observer.ObserverOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The command asks a real observer, and what only looks like one. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TopTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final String EMPTY_ROWS =
            "\"systems\":[],\"system\":null,\"total\":0,\"from\":0,\"order\":[],\"rows\":[],"
                    + "\"sources\":[]}";

    /** Its status, and all that it printed. */
    private record Ran(int status, String out, String err) {}

    private static Ran run(Duration limit, Map<String, String> environment, String... words) {
        return run(limit, environment, new ByteArrayInputStream(new byte[0]), words);
    }

    private static Ran run(
            Duration limit, Map<String, String> environment, InputStream in, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream errors = new PrintStream(err, true, UTF_8);
        int status = Main.run(List.of(words), environment, in, out, UTF_8, errors, false, limit);
        return new Ran(status, out.toString(UTF_8), err.toString(UTF_8));
    }

    private static void assertStopped(int status, String part, Ran ran) {
        assertEquals(status, ran.status, ran::toString);
        assertEquals("", ran.out);
        assertTrue(ran.err.startsWith("ropewalk-top: "), ran::toString);
        assertTrue(ran.err.contains(part), ran::toString);
        assertEquals(1, ran.err.lines().count(), ran::toString);
    }

    // ---------------------------------------------------------------- bad options

    @Test
    void misuse_wrongWordsAreNamedAndEndWithTwo() {
        Map<String, String> none = Map.of();
        assertStopped(2, "which process?", run(SHORT, none));
        assertStopped(2, "there is one address, not 2", run(SHORT, none, "a:1", "b:2"));
        assertStopped(2, "--fast is no option", run(SHORT, none, "--fast", "7090"));
        assertStopped(2, "--rows 501 is not", run(SHORT, none, "--rows", "501", "7090"));
        assertStopped(2, "--rows has no value", run(SHORT, none, "7090", "--rows"));
        assertStopped(2, "--sort heat is not", run(SHORT, none, "--sort=heat", "7090"));
        assertStopped(2, "--once takes no value", run(SHORT, none, "--once=1", "7090"));
        assertStopped(2, "no address", run(SHORT, none, "ftp://a:1/#t"));
        assertStopped(2, "no address", run(SHORT, none, "http://a:1/page#t"));
        assertStopped(2, "no address", run(SHORT, none, "\u001b[2J"));
        assertStopped(2, "has no token", run(SHORT, none, "http://127.0.0.1:7090/"));
        assertStopped(2, "signs", run(SHORT, Map.of("ROPEWALK_TOKEN", "a\r\nb"), "7090"));
        assertStopped(2, "cannot be read", run(SHORT, none, "--token-file", "/none", "7090"));
    }

    @Test
    void misuse_anErrorDoesNotShowTheToken() throws IOException {
        assertFalse(run(SHORT, Map.of(), "ftp://a:1/#geheim").err.contains("geheim"));
        assertFalse(run(SHORT, Map.of(), freeAddress() + "#geheim").err.contains("geheim"));
    }

    @Test
    void helpIsShown() {
        Ran ran = run(SHORT, Map.of(), "--help");
        assertEquals(0, ran.status);
        assertTrue(ran.out.contains("--token-file"), ran::toString);
    }

    // ---------------------------------------------------------------- no observer

    private static String freeAddress() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "http://127.0.0.1:" + free.getLocalPort() + "/";
        }
    }

    @Test
    void anAddressWithoutAProcessIsTold() throws IOException {
        assertStopped(1, "cannot be reached", run(LONG, Map.of(), freeAddress() + "#token"));
    }

    private static Ran with(FakeObserver fake) {
        return run(SHORT, Map.of(), "--once", fake.address());
    }

    @Test
    void whatIsNoObserverIsTold() throws IOException {
        String head = "{\"version\":1,\"process\":{},\"cords\":[],";
        Map<String, String> answers =
                Map.of(
                        "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n",
                        "answers with 404 no",
                        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n",
                        "answers with text/html",
                        "220 mail.example.com ESMTP\r\n\r\n",
                        "is no observer",
                        FakeObserver.stream("{\"version\":2}"),
                        "version=2 != 1",
                        FakeObserver.stream("{\"version\":1}"),
                        "is none of an observer",
                        FakeObserver.stream("{\"version\":1,"),
                        "is none of an observer",
                        FakeObserver.stream("[".repeat(10_000)),
                        "is none of an observer",
                        FakeObserver.stream(head + EMPTY_ROWS, head + EMPTY_ROWS + "}"),
                        "is none of an observer",
                        FakeObserver.stream(
                                head + EMPTY_ROWS,
                                "{\"version\":1,\"process\":[],\"cords\":{}," + EMPTY_ROWS),
                        "is none of an observer");
        for (Map.Entry<String, String> each : answers.entrySet()) {
            try (FakeObserver fake = FakeObserver.thatGoesOn(each.getKey())) {
                assertStopped(1, each.getValue(), with(fake));
            }
        }
    }

    @Test
    void anAnswerThatDoesNotComeOrStopsHasALimit() throws IOException {
        for (String answer : List.of("", "HTTP/1.1 20", FakeObserver.stream() + "data: {\"ver")) {
            try (FakeObserver fake = FakeObserver.thatGoesOn(answer)) {
                assertStopped(1, "has not answered for 300 ms", with(fake));
            }
        }
    }

    @Test
    void anAnswerThatEndsIsTheEndOfTheProcess() throws IOException {
        String half = FakeObserver.stream() + "data: {\"ver";
        try (FakeObserver fake = FakeObserver.thatEnds(half)) {
            assertStopped(1, "has ended", with(fake));
        }
    }

    @Test
    void aLookWithoutAnEndIsLimited() throws IOException {
        String endless = FakeObserver.stream() + "x".repeat(Feed.MAX_EVENT_BYTES + 1);
        try (FakeObserver fake = FakeObserver.thatGoesOn(endless)) {
            assertStopped(1, "more than 16777216 bytes", run(LONG, Map.of(), fake.address()));
        }
    }

    /** The observer cleans texts itself; this does not rely on it. */
    @Test
    void signsOfControlAreHarmless() throws IOException {
        String name = "a\\u001b[2J\\u009b1m\\u202eb\\ud800";
        String event =
                "{\"version\":1,\"process\":{\"pid\":1,\"java\":\""
                        + name
                        + "\",\"processors\":1,\"heapUsed\":1,\"heapMax\":1},\"cords\":[{\"name\":\""
                        + name
                        + "\",\"busy\":null,\"silent\":true,\"running\":\""
                        + name
                        + "\",\"stack\":[],\"cycles\":[\""
                        + name
                        + "\"]}],"
                        + EMPTY_ROWS;
        for (String format : List.of("--once", "--json")) {
            try (FakeObserver fake = FakeObserver.thatEnds(FakeObserver.stream(event, event))) {
                Ran ran = run(SHORT, Map.of(), "--once", format, fake.address());
                assertEquals(0, ran.status, ran::toString);
                assertTrue(
                        ran.out
                                .chars()
                                .noneMatch(
                                        each ->
                                                (Character.isISOControl(each) && each != '\n')
                                                        || each == 0x202e),
                        ran::out);
                assertTrue(ran.out.contains("[2J"), ran::out);
            }
        }
    }

    // ---------------------------------------------------------------- a real one

    private static ActorRef<String> busy(ActorSystem system, String name) {
        Actor<String> actor = Actor.handler(() -> _ -> Behavior.same());
        return system.spin(name, actor);
    }

    @Test
    void aWrongTokenIsTold() {
        try (Observer observer = Observer.start(ObserverOptions.loopback())) {
            String address = "http://127.0.0.1:" + observer.port() + "/#wrong";
            assertStopped(1, "refuses the token", run(LONG, Map.of(), address));
            String other = "http://localhost.:" + observer.port() + "/#wrong";
            Ran ran = run(LONG, Map.of(), other);
            assertEquals(1, ran.status, ran::toString);
        }
    }

    @Test
    void onceShowsCordsAndActorsWithTheirRates() {
        try (ActorSystem shop = ActorSystem.start("top-shop");
                Observer observer = Observer.start(ObserverOptions.loopback())) {
            busy(shop, "till").tell("five");
            Ran ran =
                    run(
                            LONG,
                            Map.of("COLUMNS", "100"),
                            "--once",
                            "--system",
                            "top-shop",
                            observer.address());
            assertEquals(0, ran.status, ran::toString);
            assertTrue(ran.out.contains("pid " + ProcessHandle.current().pid()), ran::out);
            assertTrue(ran.out.contains("system top-shop: 1 actors"), ran::out);
            assertTrue(ran.out.contains("top-shop/till"), ran::out);
            assertTrue(ran.out.lines().allMatch(each -> each.length() <= 100), ran::out);
            assertFalse(ran.out.contains("\u001b"), ran::out);
            String cord =
                    ran.out.lines().filter(each -> each.startsWith("observer ")).findFirst().get();
            assertTrue(cord.contains("%"), "its share is known: " + cord);
        }
    }

    @Test
    void jsonIsOneWholeDocumentALineUntilTheProcessEnds() throws IOException {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Lines out = new Lines();
        AtomicInteger status = new AtomicInteger(-1);
        try (ActorSystem shop = ActorSystem.start("top-shop")) {
            busy(shop, "till");
            Observer observer = Observer.start(ObserverOptions.loopback());
            List<String> words = List.of("--json", "--sort=rate", observer.address());
            Thread command =
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            status.set(
                                                    Main.run(
                                                            words,
                                                            Map.of(),
                                                            InputStream.nullInputStream(),
                                                            out,
                                                            UTF_8,
                                                            new PrintStream(err, true, UTF_8),
                                                            false,
                                                            LONG)));
            await().until(() -> out.count() >= 2);
            observer.close();
            await().until(() -> !command.isAlive());
        }
        assertEquals(1, status.get(), () -> err.toString(UTF_8));
        assertTrue(err.toString(UTF_8).contains("has ended"), () -> err.toString(UTF_8));
        String[] lines = out.toString().split("\n", -1);
        for (int i = 0; i < lines.length - 1; i++) {
            JsonObject each = JsonParser.parseString(lines[i]).getAsJsonObject();
            assertEquals(1, each.get("version").getAsInt());
            assertFalse(each.getAsJsonArray("rows").isEmpty(), "all rows: " + each);
            assertEquals(each.getAsJsonArray("order").size(), each.getAsJsonArray("rows").size());
        }
    }

    /** Keeps what is written; counts lines. */
    private static final class Lines extends OutputStream {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int each) {
            all.write(each);
        }

        synchronized long count() {
            return all.toString(UTF_8).chars().filter(each -> each == '\n').count();
        }

        @Override
        public synchronized String toString() {
            return all.toString(UTF_8);
        }
    }

    @Test
    void theTokenMayComeFromTheEnvironmentAFileOrTheInput(@TempDir Path home) throws IOException {
        try (Observer observer = Observer.start(ObserverOptions.loopback())) {
            String[] both = observer.address().split("#", -1);
            Path file = Files.writeString(home.resolve("token"), both[1] + "\n");
            String port = String.valueOf(observer.port());
            Map<String, String> environment = Map.of("ROPEWALK_TOKEN", both[1]);
            assertEquals(0, run(LONG, environment, "--once", port).status);
            assertEquals(
                    0,
                    run(LONG, Map.of(), "--once", "--token-file", file.toString(), both[0]).status);
            InputStream in = new ByteArrayInputStream((both[1] + "\n").getBytes(UTF_8));
            assertEquals(0, run(LONG, Map.of(), in, "--once", "--token-file=-", both[0]).status);
        }
    }

    @Test
    void anOutputThatIsFullIsTold() {
        try (Observer observer = Observer.start(ObserverOptions.loopback())) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            OutputStream full =
                    new OutputStream() {
                        @Override
                        public void write(int each) throws IOException {
                            throw new IOException("No space left");
                        }
                    };
            int status =
                    Main.run(
                            List.of("--once", observer.address()),
                            Map.of(),
                            InputStream.nullInputStream(),
                            full,
                            UTF_8,
                            new PrintStream(err, true, UTF_8),
                            false,
                            LONG);
            assertEquals(3, status);
            assertTrue(err.toString(UTF_8).contains("No space left"), () -> err.toString(UTF_8));
        }
    }
}
