package dev.ropewalk.actors.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.RollingProgram.Tally;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Rule A7: while the nodes of a program are exchanged for a newer version, asks are answered. */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class RollingExchangeTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration WHILE = Duration.ofMillis(500);

    /** All of one run; those that were exchanged too. */
    private final List<Tally> first = new ArrayList<>();

    private final List<Tally> second = new ArrayList<>();

    @TempDir private Path folder;

    @Test
    void A7_rollingExchangeLosesNoAskThatHasARetry() {
        int retries = 0;
        for (long seed : TestCords.seedsOr(LongStream.range(0, 10).toArray())) {
            first.clear();
            second.clear();
            SimCluster.run(3, seed, true, this::startFirst, cluster -> exchange(cluster, seed));
            retries += first.stream().mapToInt(each -> each.retries.get()).sum();
        }
        assertTrue(retries > 0, "no ask met an exchange");
    }

    private Node startFirst(NodeOptions options) {
        return start(RollingProgram.FIRST, options, first);
    }

    private Node startSecond(NodeOptions options) {
        return start(RollingProgram.SECOND, options, second);
    }

    private static Node start(RollingProgram version, NodeOptions options, List<Tally> tallies) {
        Tally tally = new Tally();
        tallies.add(tally);
        return version.start(options, tally);
    }

    private void exchange(SimCluster cluster, long seed) throws Exception {
        assertTrue(cluster.awaitPeers(LONG));
        Fiber.sleep(WHILE);
        for (String name : cluster.names()) {
            if ((seed + name.charAt(1)) % 2 == 0) { // the other ones are killed
                assertTrue(cluster.<Boolean>on(name, () -> leave(cluster, name)), name);
            }
            cluster.restart(name, this::startSecond);
            assertTrue(cluster.awaitPeers(LONG));
            Fiber.sleep(WHILE);
        }
        assertEquals(3, first.size());
        assertEquals(3, second.size());
        for (Tally each : first) {
            assertEquals(List.of(), each.wrong, each::toString);
            assertTrue(each.byOld.get() + each.byNew.get() > 10, each::toString);
        }
        for (Tally each : second) {
            assertEquals(List.of(), each.wrong, each::toString);
            assertEquals(List.of(), each.unreadable, each::toString);
            assertTrue(each.byNew.get() > 10 && each.notes.get() > 10, each::toString);
        }
        assertTrue(second.getFirst().ofOld.get() > 10, second::toString);
        assertTrue(second.getFirst().byOld.get() > 10, second::toString);
        assertUnreadable(first.getLast());
    }

    /** An old node cannot read the type that is new, and says which. */
    private static void assertUnreadable(Tally old) {
        assertFalse(old.unreadable.isEmpty(), old::toString);
        for (String each : old.unreadable) {
            assertTrue(
                    each.contains("the type note cannot be read: this program does not have it"),
                    each);
        }
    }

    private static boolean leave(SimCluster cluster, String name) {
        return RollingProgram.leave(cluster.node(name));
    }

    // ---------------------------------------------------------------- real processes

    @Test
    void A7_rollingExchangeOfProcessesLosesNoAskThatHasARetry()
            throws IOException, InterruptedException {
        Path errors = folder.resolve("errors");
        List<NodeProcess> all = new ArrayList<>();
        try {
            int[] ports = new int[3];
            for (int i = 0; i < ports.length; i++) {
                all.add(process(errors, RollingProgram.FIRST, i, ports));
                ports[i] = port(all.get(i));
            }
            all.forEach(each -> awaitAnswers(each, "byOld"));
            for (int i = 0; i < ports.length; i++) {
                NodeProcess old = all.get(i);
                if (i == 1) {
                    assertFine(tally(old)); // it is killed
                    old.close();
                } else {
                    old.say(RollingProcess.LEAVE);
                    old.awaitExit();
                    assertFine(old.lines("tally ").getLast().text());
                    assertEquals("left true", old.lines("left ").getFirst().text());
                }
                all.set(i, process(errors, RollingProgram.SECOND, i, ports));
                awaitAnswers(all.get(i), i == 2 ? "byNew" : "byOld");
                if (i == 2) {
                    assertNoteIsUnreadable(old);
                }
            }
            for (NodeProcess each : all) {
                awaitAnswers(each, "byNew");
                awaitAnswers(each, "notes");
                assertFine(tally(each));
                assertEquals(0, number(tally(each), "unreadable"), each::toString);
            }
        } catch (IOException | RuntimeException | AssertionError failed) {
            failed.addSuppressed(new IOException(all + Files.readString(errors)));
            throw failed;
        } finally {
            all.forEach(NodeProcess::close);
        }
    }

    private static NodeProcess process(Path errors, RollingProgram version, int place, int[] ports)
            throws IOException {
        return new NodeProcess(
                RollingProcess.class,
                errors,
                "n" + (place + 1),
                IntStream.concat(
                                IntStream.of(ports[place]),
                                IntStream.of(ports).filter(each -> each > 0))
                        .mapToObj(String::valueOf)
                        .collect(
                                () -> new ArrayList<>(List.of(version.name())),
                                List::add,
                                List::addAll)
                        .toArray(String[]::new));
    }

    private static int port(NodeProcess of) {
        await().atMost(LONG).until(() -> !of.lines("port ").isEmpty());
        return Integer.parseInt(of.lines("port ").getFirst().text().substring("port ".length()));
    }

    private static String tally(NodeProcess of) throws IOException {
        int before = of.lines("tally ").size();
        of.say("tell");
        await().atMost(LONG).until(() -> of.lines("tally ").size() > before);
        return of.lines("tally ").getLast().text();
    }

    /** And until it has both peers. */
    private static void awaitAnswers(NodeProcess of, String what) {
        await().atMost(LONG)
                .until(
                        () -> {
                            String tally = tally(of);
                            return number(tally, what) > 10 && number(tally, "peers") == 2;
                        });
    }

    private static int number(String tally, String name) {
        String value = tally.substring(tally.indexOf(name + "=") + name.length() + 1);
        return Integer.parseInt(value.substring(0, value.indexOf(' ')));
    }

    private static void assertFine(String tally) {
        assertTrue(tally.endsWith(" wrong=[]"), tally);
    }

    private static void assertNoteIsUnreadable(NodeProcess old) {
        String line = old.lines("unreadable ").getLast().text();
        assertTrue(line.contains("the type note cannot be read"), line);
    }
}
