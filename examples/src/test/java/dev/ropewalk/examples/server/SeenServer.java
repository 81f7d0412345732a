package dev.ropewalk.examples.server;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server with the option {@code --observer}, as its users start and see it. */
public final class SeenServer {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Pattern ADDRESS = Pattern.compile("the observer is at (\\S+)");
    private static final Pattern PORT = Pattern.compile("listens on 127\\.0\\.0\\.1:(\\d+)");

    private SeenServer() {}

    /**
     * Starts it, connects once, and waits until the numbers of its observer have that connection.
     *
     * @param program fresh
     * @param group of its connections
     * @param more options beside the port and the observer's
     */
    public static void assertConnectionsAreSeen(ServerProgram program, String group, String... more)
            throws IOException, InterruptedException {
        PrintStream before = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        List<String> arguments = new ArrayList<>(List.of("--port=0", "--observer=0"));
        arguments.addAll(List.of(more));
        System.setErr(new PrintStream(told, true, UTF_8));
        Thread running =
                Thread.ofPlatform()
                        .start(() -> program.run(arguments, new Output(said, UTF_8), before));
        try {
            await().atMost(LONG).until(() -> PORT.matcher(said.toString(UTF_8)).find());
            URI observer = URI.create(first(ADDRESS, told));
            int port = Integer.parseInt(first(PORT, said));
            try (Socket open = new Socket(InetAddress.getLoopbackAddress(), port)) {
                await().atMost(LONG).until(() -> isSeen(metrics(observer), group));
                assertTrue(open.isConnected());
            }
        } finally {
            System.setErr(before);
            running.interrupt(); // as good as Ctrl-C
            running.join();
        }
    }

    private static String first(Pattern pattern, ByteArrayOutputStream in) {
        Matcher found = pattern.matcher(in.toString(UTF_8));
        assertTrue(found.find(), () -> pattern + " is not in " + in.toString(UTF_8));
        return found.group(1);
    }

    private static boolean isSeen(String metrics, String group) {
        return metrics.lines()
                .anyMatch(
                        each ->
                                each.contains("_connections{")
                                        && each.contains('"' + group + '"')
                                        && each.endsWith(" 1"));
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
}
