package dev.ropewalk.actors.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Rule A7: the end of a process is seen by another one at once, its silence within four seconds.
 */
class TwoProcessesTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final String DOWN = "down Unreachable[node=b]";

    @TempDir private Path folder;

    @Test
    @Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
    void A7_deathSilenceAndReturnOfAProcess() throws IOException, InterruptedException {
        run(3, Duration.ofSeconds(3), Duration.ofSeconds(6)); // much else runs beside it
    }

    @Test
    @Tag("stress")
    @Timeout(value = 1_800, threadMode = ThreadMode.SEPARATE_THREAD)
    void A7_deathSilenceAndReturnOfAProcessAgainAndAgain()
            throws IOException, InterruptedException {
        run(50, Duration.ofSeconds(1), Duration.ofSeconds(4));
    }

    private void run(int rounds, Duration death, Duration silence)
            throws IOException, InterruptedException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/fd")), "no /proc");
        Path errors = folder.resolve("errors");
        try (NodeProcess a = new NodeProcess("a", 0, 0, errors)) {
            int portOfA = port(a);
            NodeProcess b = new NodeProcess("b", 0, portOfA, errors);
            try {
                int portOfB = port(b);
                awaitUp(a, b, 1, 1);
                long sockets = a.sockets();
                String fibers = fibers(a);
                int sessions = 1;
                for (int i = 0; i < rounds; i++) {
                    long killedNs = NodeProcess.nanoTime();
                    b.close();
                    awaitDown(a, sessions, killedNs, death);
                    b = new NodeProcess("b", portOfB, portOfA, errors); // at once, where it was
                    awaitUp(a, b, ++sessions, 1);

                    long stoppedNs = NodeProcess.nanoTime();
                    b.signal("STOP");
                    awaitDown(a, sessions, stoppedNs, silence);
                    assertEquals(1, b.lines("up ").size());
                    b.signal("CONT");
                    awaitUp(a, b, ++sessions, 2);
                    assertEquals(1, b.lines("down Unreachable[node=a]").size(), b::toString);
                }
                assertEquals(2 * rounds, a.lines(DOWN).size(), a::toString);
                assertIncarnations(a, rounds);
                await().atMost(LIMIT).until(() -> a.sockets() == sockets);
                await().atMost(LIMIT).until(() -> fibers(a).equals(fibers));
            } finally {
                b.close();
            }
        } catch (IOException | RuntimeException | AssertionError failed) {
            failed.addSuppressed(new IOException(Files.readString(errors)));
            throw failed;
        }
    }

    private static int port(NodeProcess of) {
        await().atMost(LIMIT).until(() -> !of.lines("port ").isEmpty());
        return Integer.parseInt(of.lines("port ").getFirst().text().substring("port ".length()));
    }

    private static String fibers(NodeProcess of) throws IOException {
        int before = of.lines("fibers ").size();
        of.countFibers();
        await().atMost(LIMIT).until(() -> of.lines("fibers ").size() > before);
        return of.lines("fibers ").getLast().text();
    }

    private static void awaitUp(NodeProcess a, NodeProcess b, int ofA, int ofB) {
        await().atMost(LIMIT)
                .until(() -> a.lines("up ").size() == ofA && b.lines("up ").size() == ofB);
    }

    private static void awaitDown(NodeProcess a, int count, long sinceNs, Duration limit) {
        await().atMost(LIMIT).until(() -> a.lines(DOWN).size() == count);
        long tookNs = a.lines(DOWN).getLast().atNs() - sinceNs;
        assertTrue(tookNs < limit.toNanos(), () -> "it took ms: " + tookNs / 1_000_000);
    }

    /** One that was killed comes back as another, and one that was silent as the same. */
    private static void assertIncarnations(NodeProcess a, int rounds) {
        List<NodeProcess.Line> up = a.lines("up ");
        for (int i = 0; i < rounds; i++) {
            assertNotEquals(up.get(2 * i).text(), up.get(2 * i + 1).text());
            assertEquals(up.get(2 * i + 1).text(), up.get(2 * i + 2).text());
        }
    }
}
