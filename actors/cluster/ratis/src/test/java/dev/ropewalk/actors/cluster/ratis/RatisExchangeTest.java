package dev.ropewalk.actors.cluster.ratis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.cluster.NodeProcess;
import dev.ropewalk.actors.cluster.NodeProcess.Line;
import dev.ropewalk.actors.cluster.RollingSums;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Rules A7 and A8: three processes, each with a server of the store, are exchanged one by one under
 * load, by a program whose messages and states have a component more.
 */
@Timeout(value = 240, threadMode = ThreadMode.SEPARATE_THREAD)
class RatisExchangeTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    /** For each process, before and behind an exchange: each sum is met some times. */
    private static final int ADDED = 5 * SumProcess.KEYS;

    @TempDir private Path folder;

    /** All that were started, in order, with their names. */
    private final List<NodeProcess> all = new ArrayList<>();

    private final Map<String, NodeProcess> running = new LinkedHashMap<>();

    @Test
    void A8_aNewerProgramReadsTheStatesOfTheOlderOneAndNoAskFails()
            throws IOException, InterruptedException {
        Map<String, String> servers = Servers.addresses(Servers.NAMES);
        Path errors = folder.resolve("errors");
        try {
            for (String each : Servers.NAMES) {
                start(each, RollingSums.OLD, servers, errors);
            }
            awaitAdded();
            for (String each : Servers.NAMES) {
                NodeProcess old = Objects.requireNonNull(running.get(each));
                old.say(SumProcess.LEAVE);
                old.awaitExit();
                assertEquals("left true", old.lines("left ").getFirst().text());
                start(each, RollingSums.NEW, servers, errors);
                awaitAdded();
            }
            assertSumsCountByOne(); // before they are killed, one behind the other
        } catch (IOException | RuntimeException | AssertionError failed) {
            failed.addSuppressed(new IOException(all + Files.readString(errors)));
            throw failed;
        } finally {
            all.forEach(NodeProcess::close);
        }
    }

    private void start(String name, RollingSums version, Map<String, String> servers, Path errors)
            throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.add(version.name());
        arguments.add(folder.resolve(name).toString());
        servers.forEach((each, at) -> arguments.add(each + "=" + at));
        NodeProcess made =
                new NodeProcess(SumProcess.class, errors, name, arguments.toArray(String[]::new));
        running.put(name, made);
        all.add(made);
    }

    /** By each of the three, from now on. */
    private void awaitAdded() {
        Map<NodeProcess, Integer> before = new HashMap<>();
        running.values().forEach(each -> before.put(each, added(each)));
        await().atMost(LONG)
                .until(
                        () ->
                                running.values().stream()
                                        .allMatch(
                                                each ->
                                                        added(each) - before.getOrDefault(each, 0)
                                                                >= ADDED));
        running.values().forEach(each -> assertEquals(List.of(), each.lines("failed ")));
    }

    private static int added(NodeProcess of) {
        return of.lines("added ").size();
    }

    /** No answer is gone, and none counts twice: a successor goes on from the last sum. */
    private void assertSumsCountByOne() {
        assertEquals(2 * Servers.NAMES.size(), all.size());
        Map<String, Long> sums = new HashMap<>();
        for (NodeProcess each : all) {
            assertEquals(List.of(), each.lines("failed "));
            for (Line line : each.lines("added ")) {
                List<String> words = RatisProcess.words(line.text());
                long sum = Long.parseLong(words.get(2));
                assertEquals(sums.merge(words.get(1), 1L, Long::sum), sum, line.text());
            }
        }
        assertEquals(Servers.NAMES.size() * SumProcess.KEYS, sums.size());
    }
}
