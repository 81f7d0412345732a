package dev.ropewalk.fibers.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Runs;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Rule F9: traces of what happens to fibers, and events of the flight recorder. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberTraceTest {
    /** Remembers what it was told of named fibers. */
    private static final class Log implements FiberTrace {
        private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

        private void add(String event, Fiber<?> fiber) {
            if (fiber.name().length() == 1) {
                lines.add(fiber.name() + " " + event);
            }
        }

        @Override
        public void spun(Fiber<?> fiber) {
            add("spun", fiber);
        }

        @Override
        public void scheduled(Fiber<?> fiber) {
            add("scheduled", fiber);
        }

        @Override
        public void switchedIn(Fiber<?> fiber) {
            add("in", fiber);
        }

        @Override
        public void switchedOut(Fiber<?> fiber) {
            add("out", fiber);
        }

        @Override
        public void ended(Fiber<?> fiber) {
            add("ended", fiber);
        }
    }

    private static void check(boolean holds, Object what) {
        if (!holds) {
            throw new AssertionError(String.valueOf(what));
        }
    }

    private static void onBothStacks(Action body) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            Cord.run(CordOptions.named("traced").withStacks(stacks), Callables.of(body));
        }
    }

    private static void in(String main) throws IOException, InterruptedException {
        String file = "@" + System.getProperty("ropewalk.args.file");
        OtherJvm.Ended ended =
                OtherJvm.run(
                        List.of(file, "-Dropewalk.fiberTraces=true", "-Dropewalk.checks=true"),
                        Main.class,
                        main);
        assertEquals(0, ended.exit(), ended.output());
    }

    /** What the other JVM runs: throws if something is wrong. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws Exception {
            switch (args[0]) {
                case "life" -> onBothStacks(Main::life);
                case "pairs" -> onBothStacks(Main::pairs);
                case "hostile" -> onBothStacks(Main::hostile);
                default -> record();
            }
        }

        private static void life() {
            Log log = new Log();
            log.install();
            Fiber<?> a = Fiber.spin("a", () -> Fiber.suspend());
            Fiber.snooze();
            a.schedule("value");
            a.await();
            log.remove();
            Fiber.spin("b", () -> {}).await();
            List<String> expected =
                    List.of(
                            "a spun",
                            "a scheduled",
                            "a in",
                            "a out",
                            "a scheduled",
                            "a in",
                            "a ended",
                            "a out");
            check(log.lines.equals(expected), log.lines);
        }

        /** Who was switched in is switched out before anybody else is switched in. */
        private static void pairs() {
            Log log = new Log();
            log.install();
            List<Fiber<?>> all = new ArrayList<>();
            for (char name = 'a'; name <= 'z'; name++) {
                all.add(Fiber.spin(String.valueOf(name), Main::mixed));
            }
            Fiber.awaitAll(all);
            Fiber.snooze(); // the last one is switched out
            log.remove();
            Set<String> ended = new HashSet<>();
            String running = "";
            for (String line : log.lines) {
                String name = line.substring(0, 1);
                if (line.endsWith(" in")) {
                    check(running.isEmpty(), line + " while " + running + " in " + log.lines);
                    running = name;
                } else if (line.endsWith(" out")) {
                    check(running.equals(name), line + " while " + running + " in " + log.lines);
                    running = "";
                } else if (line.endsWith(" ended")) {
                    check(ended.add(name), log.lines);
                }
            }
            check(running.isEmpty() && ended.size() == 26, log.lines);
        }

        private static void mixed() throws InterruptedException {
            Cord cord = Cord.current();
            for (int i = 0; i < 5; i++) {
                switch (cord.nextInt(4)) {
                    case 0 -> Fiber.snooze();
                    case 1 -> Fiber.sleep(Duration.ofNanos(1_000));
                    case 2 -> Fiber.spin(() -> {}).await();
                    default -> {
                        Fiber.current().schedule(i);
                        Fiber.suspend();
                    }
                }
            }
        }

        /** A trace that waits, one that throws, and one that does things to fibers. */
        private static void hostile() {
            Log log = new Log();
            Fiber<?> other = Fiber.spin("other", () -> Fiber.suspend());
            int[] waited = new int[1];
            FiberTrace waits =
                    new FiberTrace() {
                        @Override
                        public void switchedIn(Fiber<?> fiber) {
                            waited[0]++;
                            Fiber.snooze(); // a switch in the middle of a switch
                        }
                    };
            FiberTrace busy =
                    new FiberTrace() {
                        @Override
                        public void switchedIn(Fiber<?> fiber) {
                            other.schedule("from a trace");
                        }
                    };
            Fiber.snooze();
            waits.install();
            busy.install();
            log.install();
            Fiber.spin("a", () -> {}).await();
            check("from a trace".equals(other.await()), "other");
            Fiber.spin("b", () -> Fiber.snooze()).await();
            busy.remove();
            log.remove();
            waits.remove(); // it was taken out before
            check(log.lines.contains("b ended"), log.lines);
            check(waited[0] == 1, "waited=" + waited[0]);
        }

        private static final long KINDS =
                Stream.of(StackKind.values()).filter(StackKind::isAvailable).count();

        private static void record() throws IOException {
            FiberTrace trace = FiberTrace.toFlightRecorder();
            trace.install();
            Path file = Files.createTempFile("trace", ".jfr");
            try (Recording recording = new Recording()) {
                recording.enable("dev.ropewalk.FiberRun").withThreshold(Duration.ZERO);
                recording.start();
                onBothStacks(
                        () -> {
                            Fiber.spin("good", () -> Fiber.sleep(Duration.ofNanos(1))).await();
                            check(Runs.failureOf(Fiber.spin("bad", Main::fail)::await) != null, "");
                        });
                recording.stop();
                recording.dump(file);
                List<RecordedEvent> all = RecordingFile.readAllEvents(file);
                check(count(all, "dev.ropewalk.FiberSpin", "good") == KINDS, all);
                check(count(all, "dev.ropewalk.FiberEnd", "good") == KINDS, all);
                check(count(all, "dev.ropewalk.FiberRun", "good") == 2 * KINDS, all);
                check(count(all, "dev.ropewalk.FiberEnd", "bad") == KINDS, all);
                check(
                        all.stream()
                                .filter(each -> each.hasField("failure"))
                                .anyMatch(each -> text(each, "failure").contains("bad luck")),
                        all);
            } finally {
                Files.delete(file);
            }
        }

        private static void fail() {
            throw new IllegalStateException("bad luck");
        }

        private static String text(RecordedEvent event, String field) {
            return String.valueOf(event.getString(field));
        }

        private static long count(List<RecordedEvent> all, String type, String fiber) {
            return all.stream()
                    .filter(each -> each.getEventType().getName().equals(type))
                    .filter(each -> text(each, "fiber").equals(fiber))
                    .count();
        }
    }

    @Test
    void F9_traceIsToldTheLifeOfAFiberInOrder() throws IOException, InterruptedException {
        in("life");
    }

    @Test
    void F9_switchesComeInPairs() throws IOException, InterruptedException {
        in("pairs");
    }

    @Test
    void misuse_traceThatWaitsOrThrowsIsTakenOutAndBreaksNothing()
            throws IOException, InterruptedException {
        in("hostile");
    }

    @Test
    void F9_flightRecorderGetsEvents() throws IOException, InterruptedException {
        in("record");
    }

    @Test
    void misuse_installWithoutTheFlagSaysWhatToDo() {
        Throwable thrown = Runs.failureOf(() -> new Log().install());
        assertTrue(thrown instanceof IllegalStateException, thrown::toString);
        assertTrue(
                String.valueOf(thrown.getMessage()).contains("-Dropewalk.fiberTraces=true"),
                thrown::toString);
    }
}
