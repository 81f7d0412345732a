package dev.ropewalk.examples.bank.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * Rule A8, by processes of the machine that keep the store themselves: no acknowledged transfer is
 * gone, and each counts once, whatever is killed or stopped.
 */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class NodesMainTest {
    private static final int RUNS = 3;
    private static final int STRESS_RUNS = 50;
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration LONGER_THAN_A_LEASE = Duration.ofSeconds(5);

    /** Below the ports that the system gives away, and of this process alone. */
    private static final long OBSERVER = 20_000 + ProcessHandle.current().pid() % 4_000 * 3;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void needsProcesses() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/fd")), "no /proc");
    }

    private int run(String... arguments) {
        out.reset();
        List<String> all = new ArrayList<>(List.of("--node"));
        all.addAll(List.of(arguments));
        return NodesMain.run(all, new Output(out, UTF_8), new PrintStream(err, true, UTF_8));
    }

    private String text() {
        return out.toString(UTF_8) + err.toString(UTF_8);
    }

    private void assertExact(String... arguments) {
        assertEquals(NodesMain.EXACT, run(arguments), this::text);
        String end = "\nthe sum of 30 accounts is 30,000, as at first; no acknowledged transfer is";
        assertTrue(text().contains(end), this::text);
    }

    @Test
    @Timeout(value = 900, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_processesThatKeepTheStoreAreKilledAndStopped() {
        for (int seed = 1; seed <= RUNS; seed++) {
            assertExact("--seconds=1", "--seed=" + seed); // three faults at least
            if (seed == 1) { // others draw other faults
                String all = text();
                assertTrue(all.contains("n1, n2, n3 are killed"), all);
                assertTrue(all.contains(" stops for ") && all.contains(" stop for "), all);
            }
        }
    }

    @Test
    @Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_aNewerProgramTakesTheirPlacesAndNoAskFails() {
        assertExact("--seconds=1", "--scenario=exchange");
        assertTrue(text().contains("n3 leaves for version 2"), this::text);
    }

    /** As a reader of the README does it, by the numbers that it prints. */
    @Test
    void A8_aProcessThatIsKilledAndOneThatIsStoppedByHandLoseNoTransfer() {
        CompletableFuture<Void> hand = CompletableFuture.runAsync(this::killOneAndStopAnother);
        assertExact("--seconds=20", "--scenario=none", "--observer=" + OBSERVER);
        hand.join();
        assertEquals(2, addresses("n2").size(), this::text);
        assertEquals(2, numbers("n2").size(), this::text);
        assertEquals(1, numbers("n3").size(), this::text);
    }

    private void killOneAndStopAnother() {
        Awaitility.await().atMost(LONG).until(() -> text().contains(" transfers\n"));
        signal("KILL", numbers("n2").getFirst());
        Awaitility.await().atMost(LONG).until(() -> numbers("n2").size() == 2);
        String other = numbers("n3").getFirst();
        signal("STOP", other);
        Awaitility.await().pollDelay(LONGER_THAN_A_LEASE).until(() -> true);
        String page = page(addresses("n1").getFirst());
        assertTrue(page.contains("\"name\":\"node\"") && page.contains("shards"), page);
        signal("CONT", other);
    }

    /** Of the processes that a node has had. */
    private List<String> numbers(String node) {
        return Pattern.compile(node + " is process (\\d+)")
                .matcher(text())
                .results()
                .map(each -> each.group(1))
                .toList();
    }

    private List<URI> addresses(String node) {
        return Pattern.compile(node + " is shown at (\\S+)")
                .matcher(text())
                .results()
                .map(each -> URI.create(each.group(1)))
                .toList();
    }

    /** What the observer of a process tells programs. */
    private static String page(URI observer) {
        URI now = URI.create("http://" + observer.getAuthority() + "/api/v1/now");
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(now)
                            .header("Authorization", "Bearer " + observer.getFragment())
                            .build();
            return client.send(request, BodyHandlers.ofString()).body();
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void signal(String name, String process) {
        try {
            assertEquals(0, new ProcessBuilder("kill", "-" + name, process).start().waitFor());
        } catch (IOException | InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    @Tag("stress")
    @Timeout(value = 3_600, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_processesThatKeepTheStoreAreKilledAndStoppedAgainAndAgain() {
        for (int seed = 0; seed < STRESS_RUNS; seed++) {
            assertExact("--seconds=15", "--seed=" + seed);
        }
    }

    // ---------------------------------------------------------------- the command line

    @Test
    void badOptionsAndHelp() {
        assertEquals(NodesMain.BAD_OPTION, run("--scenario=earthquake"));
        assertEquals(NodesMain.BAD_OPTION, run("--store=jdbc:mysql://127.0.0.1/bank"));
        assertEquals(NodesMain.BAD_OPTION, run("--accounts=2"));
        assertEquals(NodesMain.BAD_OPTION, run("--chaos=0.1"));
        assertEquals(NodesMain.BAD_OPTION, run("file"));
        List<String> lines = err.toString(UTF_8).lines().toList();
        assertEquals(5, lines.size(), lines::toString);
        assertTrue(
                lines.getFirst().contains("earthquake is not faults, exchange or none"),
                lines::toString);
        assertEquals(NodesMain.EXACT, run("--help"));
        assertEquals(NodesOptions.USAGE, out.toString(UTF_8));
    }
}
