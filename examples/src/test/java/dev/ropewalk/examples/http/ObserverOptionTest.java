package dev.ropewalk.examples.http;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.ServerProgram;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

/** The option {@code --observer} of the servers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverOptionTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String PREFIX = "the observer is at ";

    private static int run(PrintStream err, Output out, String... arguments) {
        return new Main().run(List.of(arguments), out, err);
    }

    private static Output output(ByteArrayOutputStream to) {
        return new Output(to, UTF_8);
    }

    @Test
    void theServerAndItsConnectionsAreSeen() throws IOException, InterruptedException {
        PrintStream before = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setErr(new PrintStream(told, true, UTF_8));
        Thread program =
                Thread.ofPlatform()
                        .start(() -> run(before, output(said), "--port=0", "--observer=0"));
        try {
            await().atMost(LONG).until(() -> said.toString(UTF_8).contains("listens on"));
            String line =
                    told.toString(UTF_8)
                            .lines()
                            .filter(each -> each.startsWith(PREFIX))
                            .findFirst()
                            .orElseThrow();
            URI observer = URI.create(line.substring(PREFIX.length()));
            String where = said.toString(UTF_8).strip();
            int port = Integer.parseInt(where.substring(where.lastIndexOf(':') + 1));
            try (Socket open = new Socket(InetAddress.getLoopbackAddress(), port)) {
                await().atMost(LONG)
                        .until(
                                () ->
                                        metrics(observer)
                                                .lines()
                                                .anyMatch(
                                                        each ->
                                                                each.contains("connections")
                                                                        && each.contains("http")
                                                                        && each.endsWith(" 1")));
                assertTrue(open.isConnected());
            }
        } finally {
            System.setErr(before);
            program.interrupt(); // as good as Ctrl-C
            program.join();
        }
    }

    private static String metrics(URI observer) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI target = URI.create("http://" + observer.getAuthority() + "/metrics");
            HttpRequest request =
                    HttpRequest.newBuilder(target)
                            .header("Authorization", "Bearer " + observer.getFragment())
                            .build();
            return client.send(request, BodyHandlers.ofString()).body();
        }
    }

    @Test
    void aPortInUseIsALineAndTheServerEnds() throws IOException {
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            String observer = "--observer=" + used.getLocalPort();
            PrintStream to = new PrintStream(err, true, UTF_8);
            int status = run(to, output(said), "--port=0", observer);
            assertEquals(ServerProgram.CANNOT_START, status);
            String text = err.toString(UTF_8);
            assertEquals(1, text.lines().count(), text);
            assertTrue(text.startsWith("http: the observer: "), text);
            assertEquals("", said.toString(UTF_8));
        }
    }
}
