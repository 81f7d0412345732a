package dev.ropewalk.actors.cluster.ratis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.store.StoreEntry;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/** Rule A7: three processes, each with a server, that are killed and stopped. */
class RatisProcessTest {
    @TempDir private Path folder;

    private Servers servers;
    private final Map<String, RatisProcess> running = new LinkedHashMap<>();

    /** The highest number that was acknowledged for each key, and all revisions. */
    private final Map<String, Long> highest = new HashMap<>();

    private final Set<Long> revisions = new HashSet<>();

    @BeforeEach
    void makeServers() throws IOException {
        servers = new Servers(folder, options -> options);
    }

    @AfterEach
    void endAll() {
        running.values().forEach(RatisProcess::close);
        servers.close();
    }

    private RatisProcess start(String name) throws IOException {
        RatisProcess made =
                new RatisProcess(servers.options(name), folder.resolve("errors-" + name), "counts");
        running.put(name, made);
        return made;
    }

    private void startAll() throws IOException {
        for (String each : Servers.NAMES) {
            start(each);
        }
    }

    private RatisProcess get(String name) {
        return Objects.requireNonNull(running.get(name), name);
    }

    /** Takes so many acknowledgements. */
    private List<String> take(String name, int count) throws IOException, InterruptedException {
        List<String> last = List.of();
        for (int i = 0; i < count; i++) {
            last = get(name).next("W");
            note(last);
        }
        return last;
    }

    private void note(List<String> words) {
        String key = words.get(1);
        long number = Long.parseLong(words.get(2));
        long revision = Long.parseLong(words.get(3));
        assertTrue(number > highest.getOrDefault(key, 0L), () -> words + " after " + highest);
        assertTrue(revisions.add(revision), () -> revision + " was given twice: " + words);
        highest.put(key, number);
    }

    private void kill(String name) throws InterruptedException {
        RatisProcess killed = get(name);
        killed.kill();
        running.remove(name);
        for (String line : killed.rest()) {
            List<String> words = RatisProcess.words(line);
            if (line.startsWith("W ") && words.size() == 5) { // the last one may be cut
                note(words);
            }
        }
    }

    /** Nothing that was acknowledged is gone. */
    private void check() {
        servers.openAll();
        highest.forEach(
                (key, number) -> {
                    StoreEntry there = Servers.read(servers.get("n2"), key);
                    long now = RatisProcess.number(there);
                    assertTrue(now >= number, () -> key + " is " + now + " < " + number);
                    boolean isNew = now > number || revisions.contains(there.revision());
                    assertTrue(isNew, there::toString);
                });
        servers.close();
    }

    // ---------------------------------------------------------------- kill -9

    @Test
    @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
    void A7_killMinus9OfOneAndOfAllLosesNothingAcknowledged()
            throws IOException, InterruptedException {
        killOften(3);
    }

    @Test
    @Tag("stress")
    @Timeout(value = 1_800, threadMode = ThreadMode.SEPARATE_THREAD)
    void A7_killMinus9OfOneAndOfAllLosesNothingAcknowledgedAgainAndAgain()
            throws IOException, InterruptedException {
        killOften(50);
    }

    private void killOften(int rounds) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(rounds);
        for (int i = 0; i < rounds; i++) {
            startAll();
            String one = Servers.NAMES.get(random.nextInt(3));
            take(one, 20 + random.nextInt(200));
            kill(one);
            for (String each : running.keySet()) {
                take(each, 20);
            }
            start(one);
            take(one, 1 + random.nextInt(50));
            for (String each : Servers.NAMES) {
                kill(each);
            }
            // A lost write is seen in the next round: its number would be acknowledged again.
        }
        check();
        assertTrue(revisions.size() > 100 * rounds, () -> revisions.size() + " writes");
    }

    // ---------------------------------------------------------------- a leader that is stopped

    @Test
    @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
    void A7_aLeaderThatWasStoppedReadsNothingOld() throws IOException, InterruptedException {
        startAll();
        for (String each : Servers.NAMES) {
            take(each, 20);
        }
        for (int round = 0; round < 2; round++) {
            String leader = take("n1", 1).get(4);
            String other = Servers.NAMES.get(leader.equals("n1") ? 1 : 0);
            get(leader).signal("STOP");
            String next = leader;
            while (next.equals(leader)) {
                next = take(other, 1).get(4);
            }
            String key = other + "-0";
            long mark = highest.getOrDefault(key, 0L);
            while (highest.getOrDefault(key, 0L) <= mark + 5) {
                take(other, 1);
            }
            get(leader).rest().stream()
                    .filter(line -> line.startsWith("W "))
                    .map(RatisProcess::words)
                    .forEach(this::note);
            long acknowledged = highest.getOrDefault(key, 0L);
            get(leader).signal("CONT");
            assertReadsNothingOld(get(leader), key, acknowledged);
        }
        for (String each : Servers.NAMES) {
            kill(each);
        }
        check();
    }

    /** A read that had begun before may have any answer. */
    private void assertReadsNothingOld(RatisProcess process, String key, long acknowledged)
            throws IOException, InterruptedException {
        boolean isBegun = false;
        for (int seen = 0; seen < 3; ) {
            List<String> words = process.next("WBR");
            if (words.get(0).equals("W")) {
                note(words);
            } else if (words.get(0).equals("B")) {
                isBegun = true;
            } else if (isBegun && words.get(1).equals(key)) {
                long read = Long.parseLong(words.get(2));
                assertTrue(read >= acknowledged, () -> words + " < " + acknowledged);
                seen++;
            }
        }
    }

    // ---------------------------------------------------------------- a full disk

    /** A limit on the size of files, in blocks of 512 or 1,024 bytes, stands for it. */
    @Test
    @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
    void A7_aServerWhoseDiskIsFullEndsAndTheOthersGoOn() throws IOException, InterruptedException {
        running.put(
                "n1",
                new RatisProcess(
                        servers.options("n1"),
                        folder.resolve("errors-n1"),
                        "counts",
                        "sh",
                        "-c",
                        "ulimit -f 300; exec \"$0\" \"$@\""));
        start("n2");
        start("n3");
        take("n1", 1);
        String why = "";
        while (!why.contains("works no more")) {
            why = String.join(" ", get("n1").next("UF"));
        }
        assertTrue(why.contains("make room"), why);
        take("n2", 20);
    }
}
