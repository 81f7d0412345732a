package dev.ropewalk.examples.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.routing.EventBus;
import dev.ropewalk.actors.testing.Probe;
import dev.ropewalk.examples.build.BuildEvent.Ended;
import dev.ropewalk.examples.build.BuildEvent.Failed;
import dev.ropewalk.examples.build.BuildEvent.Finished;
import dev.ropewalk.examples.build.BuildEvent.Skipped;
import dev.ropewalk.examples.build.BuildEvent.Started;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Which tasks run when, on virtual time, with commands that only take time. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class GraphTest {
    private static final long[] GAMES = LongStream.rangeClosed(1, 40).toArray();

    @TempDir private Path directory;

    /**
     * A command is {@code MS} or {@code MS fail}, or {@code throw}: so long it takes, and so it
     * ends. Remembers the most that ran at once.
     */
    private static final class Timetable implements Commands {
        private final Set<Path> inUse = new HashSet<>();
        private int atOnce;
        private int ended;

        private synchronized void begin(Path scratch) {
            assertTrue(inUse.add(scratch), scratch + " is lent twice");
            atOnce = Math.max(atOnce, inUse.size());
        }

        private synchronized void end(Path scratch) {
            ended++;
            inUse.remove(scratch);
        }

        @Override
        public int run(String command, Path scratch, Consumer<String> output) throws IOException {
            begin(scratch);
            try {
                assertEquals(0, entries(scratch));
                Files.createDirectory(scratch.resolve("left"));
                if (command.equals("throw")) {
                    throw new IOException("no shell");
                }
                String[] words = command.split(" ", -1);
                Fiber.sleep(Duration.ofMillis(Long.parseLong(words[0])));
                Files.delete(scratch.resolve("left"));
                return words.length == 1 ? 0 : 7;
            } finally {
                end(scratch);
            }
        }
    }

    private static int entries(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return (int) all.count();
        }
    }

    /** One build, and what it told. */
    private final class Lab {
        final Timetable commands = new Timetable();
        private final EventBus<BuildEvent> bus = EventBus.make();
        private final Probe<BuildEvent> told = Probe.named("told");
        private final List<Task> tasks;
        private final Scratch scratch = new Scratch(directory);
        final Build build;

        Lab(String text, String... options) throws BadFile, BadOption {
            bus.subscribe(BuildEvent.class, told.ref());
            tasks = BuildFile.parse("b.tasks", text.lines().toList()).inOrder(List.of());
            build = new Build(tasks, Options.parse(List.of(options)), commands, scratch, bus);
        }

        Summary run() throws IOException {
            return run(null);
        }

        Summary run(@Nullable Scheduler scheduler) throws IOException {
            Summary summary = build.run(scheduler);
            scratch.close();
            assertEquals(0, entries(directory), "scratch directories are left");
            return summary;
        }

        List<BuildEvent> events() {
            List<BuildEvent> events = new ArrayList<>();
            do {
                events.add(told.next());
            } while (!(events.getLast() instanceof Ended));
            return events;
        }

        /** Each event as a word or two. */
        List<String> log() {
            return events().stream().map(GraphTest::word).toList();
        }
    }

    private static String word(BuildEvent event) {
        return switch (event) {
            case Started started -> "+" + started.task();
            case Finished finished -> "-" + finished.task();
            case Failed failed -> "!" + failed.task();
            case Skipped skipped -> "/" + skipped.task();
            case Ended ended ->
                    ended.summary().built().size()
                            + " "
                            + ended.summary().failed().size()
                            + " "
                            + ended.summary().skipped().size();
            default -> event.toString();
        };
    }

    private static void onCord(Action body) {
        TestCord.run(body);
    }

    @Test
    void oneJobBuildsInTheOrderOfTheFileButForNeeds() {
        onCord(
                () -> {
                    Lab lab = new Lab("d: b\n 1\nc:\n 9\na:\n 1\nb: a\n 1\n", "--jobs=1");
                    lab.run();
                    assertEquals(
                            List.of("+c", "-c", "+a", "-a", "+b", "-b", "+d", "-d", "4 0 0"),
                            lab.log());
                    assertEquals(1, lab.commands.atOnce);
                });
    }

    @Test
    void asManyRunAtOnceAsThereAreJobsAndATaskBeginsWhenItsNeedsAreBuilt() {
        onCord(
                () -> {
                    Lab lab = new Lab("a:\n 10\nb:\n 30\nc: a\n 30\nd: a, b\n 5\n", "--jobs=2");
                    long beganNs = Cord.current().nanoTime();
                    lab.run();
                    assertEquals(40, (Cord.current().nanoTime() - beganNs) / 1_000_000);
                    assertEquals(2, lab.commands.atOnce);
                });
    }

    @Test
    void afterAFailureWhatRunsGoesOnAndNothingElseBegins() {
        onCord(
                () -> {
                    Lab lab =
                            new Lab(
                                    "bad:\n 5 fail\n 1\nslow:\n 50\nnext: slow\n 1\nneeds: bad\n",
                                    "--jobs=2");
                    Summary summary = lab.run();
                    assertEquals(List.of("slow"), summary.built());
                    assertEquals(List.of("bad"), summary.failed());
                    assertEquals(List.of("next", "needs"), summary.skipped());
                    assertEquals(2, lab.commands.ended, "the command behind the failed one ran");
                });
    }

    @Test
    void keepGoingBuildsWhatNeedsNoFailedTask() {
        String tasks =
                """
                bad:
                  5 fail
                free:
                  9
                needs: bad
                  1
                far: needs, free
                  1
                behind: free
                  1
                """;
        onCord(
                () -> {
                    Lab lab = new Lab(tasks, "--jobs=1", "--keep-going");
                    lab.run();
                    assertEquals(
                            List.of(
                                    "+bad", "!bad", "+free", "-free", "/needs", "/far", "+behind",
                                    "-behind", "2 1 2"),
                            lab.log());
                });
    }

    @Test
    void aFailureStopsTasksThatWaitForASlot() {
        onCord(
                () -> {
                    Lab lab =
                            new Lab(
                                    "a:\n 5 fail\nb:\n 5 fail\nc:\n 5 fail\nd:\n 5 fail\n",
                                    "--jobs=2");
                    Summary summary = lab.run();
                    assertEquals(2, lab.commands.ended);
                    assertEquals(2, summary.failed().size());
                    assertEquals(2, summary.skipped().size());
                });
    }

    @Test
    void aCommandThatCannotBeStartedIsAFailureOfItsTask() {
        onCord(
                () -> {
                    Lab lab = new Lab("a:\n throw\nb: a\n 1\n", "--jobs=1");
                    lab.run();
                    List<BuildEvent> events = lab.events();
                    assertEquals(
                            new Failed("a", 0, 0, "throw", "java.io.IOException: no shell"),
                            events.get(1));
                    assertEquals(new Skipped("b", "it needs a, which failed"), events.get(2));
                });
    }

    @Test
    void anInterruptEndsWhatRunsAndWhatWaitsForASlotAndSaysWhichIsWhich() {
        onCord(
                () -> {
                    Lab lab = new Lab("a:\n 10\nb: a\n 1000\nc: a\n 1000\n", "--jobs=1");
                    long beganNs = Cord.current().nanoTime();
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(Duration.ofMillis(100));
                                lab.build.interrupt();
                            });
                    Summary summary = lab.run();
                    assertEquals(100, (Cord.current().nanoTime() - beganNs) / 1_000_000);
                    assertTrue(summary.isInterrupted());
                    List<BuildEvent> events = lab.events();
                    assertEquals(
                            List.of(
                                    new Skipped("b", "the interrupt came while it ran"),
                                    new Skipped("c", "the interrupt came before it began"),
                                    new Ended(summary)),
                            events.subList(3, 6));
                });
    }

    @Test
    void anInterruptBeforeTheBeginBuildsNothing() {
        onCord(
                () -> {
                    Lab lab = new Lab("a:\n 10\n", "--jobs=4");
                    lab.build.interrupt();
                    assertEquals(List.of("a"), lab.run().skipped());
                });
    }

    @Test
    void anInterruptReachesTasksThatWaitForASlot() {
        onCord(
                () -> {
                    Lab lab = new Lab("a:\n 1000\nb:\n 1000\nc:\n 1000\nd:\n 1000\n", "--jobs=2");
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(Duration.ofMillis(100));
                                lab.build.interrupt();
                            });
                    assertEquals(List.of("a", "b", "c", "d"), lab.run().skipped());
                    assertEquals(2, lab.commands.ended);
                });
    }

    // ---------------------------------------------------------------- a game

    /** A random graph, with random times, failures and perhaps an interrupt. */
    @Test
    void whateverHappensEachTaskHasOneEndAndNoneBeginsBeforeItsNeedsAreBuilt() {
        for (long seed : TestCords.seedsOr(GAMES)) {
            TestCord.run(seed, true, () -> play(Cord.current()::nextInt, null));
        }
    }

    /** The same on threads, where a failure does not say how to see it again. */
    @Test
    void theSameOnSeveralCords() {
        Random dice = new Random(GAMES.length);
        CordOptions options = CordOptions.named("test").withStopLimit(Duration.ofSeconds(30));
        Cord.run(
                options,
                () -> {
                    SchedulerOptions three =
                            SchedulerOptions.named("test").withCords(3).withCord(options);
                    try (Scheduler scheduler = Scheduler.start(three)) {
                        for (int i = 0; i < GAMES.length; i++) {
                            play(dice::nextInt, scheduler);
                        }
                    }
                });
    }

    /**
     * One game.
     *
     * @param dice gives a random number from 0 up to another, and not that one
     */
    private void play(IntUnaryOperator dice, @Nullable Scheduler scheduler) throws Exception {
        int jobs = 1 + dice.applyAsInt(4);
        List<String> options = new ArrayList<>(List.of("--jobs=" + jobs));
        boolean isKeptGoing = dice.applyAsInt(2) == 0;
        if (isKeptGoing) {
            options.add("--keep-going");
        }
        Lab lab = new Lab(randomFile(dice), options.toArray(String[]::new));
        if (dice.applyAsInt(3) == 0) {
            Duration when = Duration.ofMillis(dice.applyAsInt(40));
            Fiber.spin(
                    () -> {
                        Fiber.sleep(when);
                        lab.build.interrupt();
                    });
        }
        Summary summary = lab.run(scheduler);
        assertTrue(lab.commands.atOnce <= jobs);
        checkEvents(lab, isKeptGoing || scheduler != null); // which may begin one meanwhile
        int ends = summary.built().size() + summary.failed().size() + summary.skipped().size();
        assertEquals(lab.tasks.size(), ends);
        if (!summary.isInterrupted() && summary.failed().isEmpty()) {
            assertEquals(List.of(), summary.skipped());
        }
    }

    private static String randomFile(IntUnaryOperator dice) {
        StringBuilder text = new StringBuilder();
        int tasks = 1 + dice.applyAsInt(12);
        for (int i = 0; i < tasks; i++) {
            text.append(i).append(':');
            for (int need = 0; need < i; need++) {
                text.append(dice.applyAsInt(3) == 0 ? " " + need : "");
            }
            for (int commands = dice.applyAsInt(3); commands > 0; commands--) {
                String end = dice.applyAsInt(8) == 0 ? " fail" : "";
                text.append("\n ").append(dice.applyAsInt(15)).append(end);
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static void checkEvents(Lab lab, boolean mayBeginLate) {
        Set<String> begun = new HashSet<>();
        Set<String> built = new HashSet<>();
        Set<String> over = new HashSet<>();
        boolean isFailed = false;
        for (BuildEvent event : lab.events()) {
            switch (event) {
                case Started started -> {
                    assertTrue(mayBeginLate || !isFailed, started + " after a failure");
                    assertTrue(begun.add(started.task()), started + " twice");
                    assertTrue(built.containsAll(needs(lab, started.task())), started + " early");
                }
                case Finished finished -> {
                    assertTrue(begun.contains(finished.task()) && over.add(finished.task()));
                    built.add(finished.task());
                }
                case Failed failed -> {
                    assertTrue(begun.contains(failed.task()) && over.add(failed.task()));
                    isFailed = true;
                }
                case Skipped skipped -> assertTrue(over.add(skipped.task()), skipped + " twice");
                default -> {}
            }
        }
        assertEquals(lab.tasks.size(), over.size());
    }

    private static List<String> needs(Lab lab, String name) {
        return lab.tasks.stream()
                .filter(each -> each.name().equals(name))
                .flatMap(each -> each.needs().stream())
                .toList();
    }
}
