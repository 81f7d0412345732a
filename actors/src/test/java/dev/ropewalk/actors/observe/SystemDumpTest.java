package dev.ropewalk.actors.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Peek;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.TooManyRestartsException;
import dev.ropewalk.fibers.testing.TestCord;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Rule A6: a system is seen as a tree, and at a glance; crashes are reported. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SystemDumpTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private record Work(String what, Duration time) {}

    private static Actor<Work> worker() {
        return Actor.handler(
                () ->
                        work -> {
                            if (work.what().equals("crash")) {
                                throw new Crash("the secret is 42");
                            }
                            Fiber.sleep(work.time());
                            return Behavior.same();
                        });
    }

    private static ActorDump actor(SystemDump dump, String path) {
        return (ActorDump) dump.find(path).orElseThrow(() -> new AssertionError(dump.toString()));
    }

    // ---------------------------------------------------------------- a cord that is silent

    /** What a test does while a cord does not answer. */
    @FunctionalInterface
    private interface WhileSilent {
        void look(ActorSystem system) throws Exception;
    }

    /**
     * An actor of its own cord keeps that, and another one lies deeper in the tree, on a cord that
     * takes its time.
     */
    private static void withSilentCord(WhileSilent body) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (Cord healthy = Cord.start(CordOptions.named("healthy"));
                Cord stuck = Cord.start(CordOptions.named("stuck"));
                ActorSystem system =
                        ActorSystem.start(
                                Tree.oneForOne("system"),
                                ActorSystemOptions.defaults().withCords(1))) {
            ActorRef<String> keeping =
                    system.root()
                            .spin(
                                    stuck,
                                    "keeping",
                                    Actor.handler(
                                            () ->
                                                    _ -> {
                                                        begun.countDown();
                                                        go.await();
                                                        return Behavior.same();
                                                    }));
            Supervisor below = system.supervise("below", World.MANY_RESTARTS);
            below.start(healthy, "fine", worker());
            healthy.spin(
                    "slow",
                    () -> {
                        while (!go.await(20, TimeUnit.MILLISECONDS)) {
                            Fiber.snooze();
                        }
                    });
            keeping.tell("keep");
            begun.await();
            try {
                body.look(system);
            } finally {
                go.countDown();
            }
        }
    }

    @Test
    void A6_aSilentCordHidesNoOtherInADump() throws Exception {
        withSilentCord(
                system -> {
                    SystemDump dump = system.dump(Duration.ofMillis(400));
                    assertNull(actor(dump, "system/keeping").phase());
                    String json = dump.toJson();
                    assertTrue(json.contains("\"phase\":\"SILENT\""), json);
                    assertEquals(ActorPhase.UP, actor(dump, "system/below/fine").phase());
                });
    }

    @Test
    void A6_aSilentCordHidesNoOtherInASnapshot() throws Exception {
        withSilentCord(
                system -> {
                    SystemSnapshot seen = system.snapshot(Duration.ofMillis(400));
                    assertEquals(List.of("stuck"), seen.silent());
                    assertEquals(
                            List.of("system/below/fine"),
                            seen.actors().stream().map(ActorGlance::path).toList());
                });
    }

    // ---------------------------------------------------------------- the tree

    @Test
    void A6_aDumpTellsOfEachActorAndSupervisor() {
        World.anywhere(
                world -> {
                    Supervisor below =
                            world.system.supervise(
                                    "below", world.keepingFailures(World.MANY_RESTARTS));
                    ActorRef<Work> busy = world.spin(below, "busy", worker());
                    ActorRef<Work> idle = world.spin(below, "idle", worker());
                    ActorRef<String> parent =
                            world.spin(
                                    "parent",
                                    Actor.<String>handler(
                                            self -> {
                                                self.spin("own", worker());
                                                return Behavior.state("grown", m -> same());
                                            }));
                    idle.tell(new Work("crash", Duration.ZERO));
                    world.settle();
                    busy.tell(new Work("first", SECOND));
                    world.settle();
                    busy.tell(new Work("second", SECOND));
                    Fiber.sleep(Duration.ofMillis(20));
                    busy.tell(new Work("third", SECOND));
                    world.settle();
                    SystemDump dump = world.system.dump();
                    ActorDump seen = actor(dump, "system/below/busy");
                    assertEquals(ActorPhase.UP, seen.phase());
                    assertEquals(2, seen.queued());
                    assertTrue(
                            Objects.requireNonNull(seen.current()).contains("first"),
                            seen::toString);
                    assertTrue(
                            Objects.requireNonNull(seen.waitsFor()).contains("sleep"),
                            seen::toString);
                    Duration oldest = Objects.requireNonNull(seen.oldest());
                    assertTrue(oldest.toMillis() >= 20, seen::toString);
                    ActorDump other = actor(dump, "system/below/idle");
                    assertEquals(1, other.restarts());
                    assertNull(other.oldest());
                    assertNull(other.current());
                    assertEquals("its next message", other.waitsFor());
                    assertEquals("grown", actor(dump, "system/parent").state());
                    assertNotNull(actor(dump, "system/parent/own"));
                    String text = dump.toString();
                    assertTrue(text.contains("system/below: supervisor RUNNING"), text);
                    assertTrue(text.contains("in state grown"), text);
                    String json = dump.toJson();
                    assertTrue(json.startsWith("{\"system\":\"system\",\"deadLetters\":1"), json);
                    assertTrue(json.contains("\"path\":\"system/parent/own\""), json);
                    assertEquals(count(json, '{'), count(json, '}'), json);
                    busy.terminate();
                    assertTrue(busy.awaitEnd(SECOND));
                    parent.stop();
                    idle.stop();
                });
    }

    private static Behavior<String> same() {
        return Behavior.same();
    }

    private static long count(String text, char what) {
        return text.chars().filter(each -> each == what).count();
    }

    @Test
    void A6_theOldestMessageIsAtLeastAsOldAsItIsToldAfterOthersWereTaken() {
        World.local(
                world -> {
                    ActorRef<Work> ref = world.spin("ref", worker());
                    world.settle();
                    for (int i = 0; i < 200; i++) {
                        ref.tell(new Work("w" + i, Duration.ofMillis(3)));
                        Fiber.sleep(Duration.ofMillis(2));
                    }
                    // At 400 ms 133 are done; the oldest queued one is the 135th, told at 268 ms.
                    ActorDump seen = actor(world.system.dump(), "system/ref");
                    long age = Objects.requireNonNull(seen.oldest()).toMillis();
                    assertTrue(age >= 120 && age <= 160, seen::toString);
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    /** What waited before is gone. */
    @Test
    void A6_theFirstOfAnEmptyMailboxIsAsOldAsItself() {
        World.local(
                world -> {
                    ActorRef<Work> ref = world.spin("ref", worker());
                    world.settle();
                    for (int i = 0; i < 3; i++) {
                        ref.tell(new Work("early" + i, Duration.ofMillis(10)));
                        Fiber.sleep(Duration.ofMillis(4));
                    }
                    Fiber.sleep(Duration.ofMillis(10)); // at 22 ms the last one is begun
                    assertNull(actor(world.system.dump(), "system/ref").oldest());
                    ref.tell(new Work("late", Duration.ofMillis(10)));
                    Fiber.sleep(Duration.ofMillis(5));
                    ActorDump seen = actor(world.system.dump(), "system/ref");
                    assertEquals(Duration.ofMillis(5), seen.oldest(), seen::toString);
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    /** The clock of cords that share a thread moves while none of them polls. */
    @Test
    void A6_aMessageIsAsOldAsItselfOnCordsInTurnsToo() {
        World.overThreeCords(
                1,
                false,
                world -> {
                    ActorRef<Work> ref = world.spin("ref", worker());
                    world.settle();
                    Fiber.sleep(Duration.ofHours(1));
                    ref.tell(new Work("begun", Duration.ofMillis(10)));
                    world.settle();
                    ref.tell(new Work("waits", Duration.ofMillis(10)));
                    Fiber.sleep(Duration.ofMillis(5));
                    ActorDump seen = actor(world.system.dump(), "system/ref");
                    long age = Objects.requireNonNull(seen.oldest()).toMillis();
                    assertTrue(age >= 4 && age <= 6, seen::toString);
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    /** What waits in its {@code toString}. */
    private static final class Waiting {
        @Override
        public String toString() {
            Fiber.sleep(Duration.ofMillis(1));
            return "waited";
        }
    }

    @Test
    void A6_theNameOfAStateIsShownInOneLine() {
        World.local(
                world -> {
                    ActorRef<String> ref =
                            world.spin(
                                    "odd",
                                    Actor.<String>handler(
                                            () -> Behavior.state("one\ntwo", _ -> same())));
                    world.settle();
                    String text = world.system.dump().toString();
                    assertEquals(3, text.lines().count(), text);
                    assertTrue(text.contains("in state one two"), text);
                    ref.stop();
                });
    }

    @Test
    void A6_aMessageThatWaitsInItsToStringDisturbsNoDump() {
        World.anywhere(
                world -> {
                    ActorRef<Object> ref =
                            world.spin(
                                    "ref",
                                    Actor.handler(
                                            () ->
                                                    message -> {
                                                        Fiber.sleep(Duration.ofMillis(5));
                                                        return Behavior.same();
                                                    }));
                    ref.tell(new Waiting());
                    world.settle();
                    ActorDump seen = actor(world.system.dump(), "system/ref");
                    if (seen.current() != null) { // on a real clock it may be over
                        assertTrue(seen.current().contains("toString failed"), seen::toString);
                    }
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    // ---------------------------------------------------------------- light snapshots

    @Test
    void A6_aSnapshotVisitsOnlyActorsThatHaveChanged() {
        World.anywhere(
                world -> {
                    List<ActorRef<Work>> refs = new ArrayList<>();
                    for (int i = 0; i < 1_000; i++) {
                        refs.add(world.spin("w" + i, worker()));
                    }
                    world.settle();
                    SystemSnapshot first = world.system.snapshot();
                    assertEquals(1_000, first.visited());
                    assertEquals(1_000, first.actors().size());
                    SystemSnapshot second = world.system.snapshot();
                    assertEquals(0, second.visited());
                    assertEquals(first.actors(), second.actors());
                    refs.get(7).tell(new Work("a", Duration.ZERO)); // is handed over: no change
                    refs.get(8).tell(new Work("crash", Duration.ZERO));
                    world.settle();
                    refs.get(9).tell(new Work("held", SECOND));
                    world.settle();
                    refs.get(9).tell(new Work("queued", Duration.ZERO));
                    world.settle();
                    SystemSnapshot third = world.system.snapshot();
                    assertEquals(2, third.visited());
                    assertEquals(1, glance(third, "system/w8").restarts());
                    assertEquals(1, glance(third, "system/w9").queued());
                    assertEquals(1, world.system.snapshot().visited(), "the one that is not empty");
                    refs.get(9).terminate();
                    assertTrue(refs.get(9).awaitEnd(SECOND));
                    ActorRef<Work> late = world.spin("late", worker());
                    world.settle();
                    SystemSnapshot fourth = world.system.snapshot();
                    assertEquals(1, fourth.visited(), "one that has ended is forgotten without");
                    assertEquals(1_000, fourth.actors().size());
                    assertEquals(ActorPhase.UP, glance(fourth, "system/late").phase());
                    late.stop();
                });
    }

    @Test
    void A6_actorsThatEndWhileNobodyLooksAreForgotten() {
        World.anywhere(
                world -> {
                    world.system.snapshot(); // somebody has looked, once
                    for (int i = 0; i < 100; i++) {
                        ActorRef<Work> ref = world.spin("w" + i, worker());
                        world.settle();
                        ref.stop();
                        assertTrue(ref.awaitEnd(SECOND));
                    }
                    world.settle();
                    assertEquals(0, Peek.changedOfSnapshots(world.system));
                    assertEquals(List.of(), world.system.snapshot().actors());
                });
    }

    @Test
    void A6_neitherASnapshotNorAnActivityCallsCodeOfTheProgram() {
        World.anywhere(
                world -> {
                    boolean[] isAsked = new boolean[1];
                    Object message =
                            new Object() {
                                @Override
                                public String toString() {
                                    isAsked[0] = true;
                                    return "a message";
                                }
                            };
                    ActorRef<Object> ref =
                            world.spin(
                                    "ref",
                                    Actor.handler(
                                            () ->
                                                    each -> {
                                                        Fiber.sleep(Duration.ofMinutes(1));
                                                        return Behavior.same();
                                                    }));
                    ref.tell(message);
                    ref.tell(message);
                    world.settle();
                    assertEquals(1, world.system.snapshot().actors().getFirst().queued());
                    ActorActivity activity = ActorInspector.of(ref).activity();
                    assertEquals(1, activity.glance().queued());
                    String type = String.valueOf(activity.handles());
                    assertTrue(type.startsWith("SystemDumpTest$"), type);
                    assertFalse(isAsked[0]);
                    ref.terminate();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    private static ActorGlance glance(SystemSnapshot snapshot, String path) {
        return snapshot.actors().stream()
                .filter(each -> each.path().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError(path));
    }

    /** Whatever happens in between, a snapshot says what a dump says. */
    @Test
    void A6_snapshotsAgreeWithDumps() {
        for (long seed = 1; seed <= 20; seed++) {
            long now = seed;
            World.overThreeCords(now, true, world -> agree(now, world));
        }
    }

    private static void agree(long seed, World world) {
        SplittableRandom random = new SplittableRandom(seed);
        List<ActorRef<Work>> refs = new ArrayList<>();
        for (int step = 0; step < 100; step++) {
            switch (random.nextInt(8)) {
                case 0, 1 ->
                        refs.add(
                                world.system
                                        .root()
                                        .spin(
                                                world.cords.get(random.nextInt(3)),
                                                "a" + step,
                                                worker()));
                case 2 -> any(random, refs).ifPresent(ActorRef::terminate);
                case 3 ->
                        any(random, refs)
                                .ifPresent(ref -> ref.tell(new Work("crash", Duration.ZERO)));
                case 4 ->
                        any(random, refs)
                                .ifPresent(ref -> ref.tell(new Work("w", Duration.ofMillis(3))));
                case 5 -> Fiber.sleep(Duration.ofMillis(random.nextInt(4)));
                default -> {
                    for (int i = 0; i < 20; i++) {
                        Fiber.sleep(Duration.ofNanos(1));
                    }
                    SystemSnapshot snapshot = world.system.snapshot();
                    SystemDump dump = world.system.dump();
                    for (ActorGlance each : snapshot.actors()) {
                        ActorDump full = actor(dump, each.path());
                        ActorGlance same =
                                new ActorGlance(
                                        full.path(),
                                        full.number(),
                                        each.type(),
                                        full.cord(),
                                        Objects.requireNonNull(full.phase()),
                                        full.queued() + full.postponed(),
                                        full.oldest(),
                                        full.restarts());
                        assertEquals(same, each, "seed=" + seed + " step=" + step);
                    }
                    assertEquals(
                            dump.root().children().size(),
                            snapshot.actors().size(),
                            "seed=" + seed + " step=" + step);
                }
            }
        }
        refs.forEach(ActorRef::terminate);
    }

    private static java.util.Optional<ActorRef<Work>> any(
            SplittableRandom random, List<ActorRef<Work>> refs) {
        return refs.isEmpty()
                ? java.util.Optional.empty()
                : java.util.Optional.of(refs.get(random.nextInt(refs.size())));
    }

    @Test
    void A6_postponedMessagesAreCountedBesideTheQueuedOnes() {
        World.local(
                world -> {
                    ActorRef<String> ref =
                            world.spin(
                                    "putting off",
                                    Actor.<String>handler(
                                            self ->
                                                    Behavior.state(
                                                            "busy",
                                                            message -> {
                                                                if (message.equals("sleep")) {
                                                                    Fiber.sleep(SECOND);
                                                                } else {
                                                                    self.postpone();
                                                                }
                                                                return same();
                                                            })));
                    for (String message : List.of("a", "b", "sleep", "c")) {
                        ref.tell(message);
                    }
                    world.settle();
                    ActorDump seen = actor(world.system.dump(), ref.path());
                    assertEquals(1, seen.queued());
                    assertEquals(2, seen.postponed());
                    String text = world.system.dump().toString();
                    assertTrue(text.contains("queued=1, the oldest for 0 ms, postponed=2"), text);
                    ref.terminate();
                    assertTrue(ref.awaitEnd(SECOND));
                    world.letters.clear();
                });
    }

    // ---------------------------------------------------------------- crashes

    /** A worker that is told to crash, and then something else. */
    private static void crash(
            Actor<Work> worker, List<FailureReport> reports, ActorSystemOptions options) {
        Tree tree = Tree.of("shop", World.MANY_RESTARTS.onFailure(reports::add));
        try (ActorSystem system = ActorSystem.start(tree, options.withDeadLetters(_ -> {}))) {
            ActorRef<Work> ref = system.spin("w", worker);
            ref.tell(new Work("crash", SECOND));
            ref.tell(new Work("next", Duration.ZERO));
            ref.stop();
            assertTrue(ref.awaitEnd(SECOND));
        }
    }

    @Test
    void A6_aCrashIsReportedWithItsMessageAndStateRedacted() {
        TestCord.run(
                () -> {
                    List<FailureReport> reports = new ArrayList<>();
                    crash(
                            worker().onFailure(FailedMessage.retry(2)),
                            reports,
                            ActorSystemOptions.defaults()
                                    .withRedaction(
                                            thing ->
                                                    thing instanceof Work work
                                                            ? "a work: " + work.what()
                                                            : "a state"));
                    assertEquals(2, reports.size(), reports::toString);
                    FailureReport first = reports.getFirst();
                    assertEquals("shop/w", first.path());
                    assertEquals("a work: crash", first.message());
                    assertEquals(1, first.attempt());
                    assertEquals(2, reports.get(1).attempt());
                    assertEquals("a state", first.state());
                    assertEquals(1, first.queued());
                    assertEquals(0, first.restarts());
                    assertEquals(1, reports.get(1).restarts());
                    assertTrue(first.failure() instanceof Crash);
                    assertTrue(first.toString().contains("message: a work: crash, attempt 1"));
                });
    }

    /** A termination is no crash, and one that is killed while it waits has no message. */
    @Test
    void A6_aReportIsOfAFailureWithOrWithoutAMessage() {
        List<FailureReport> reports = new ArrayList<>();
        TestCord.run(
                () -> {
                    reports.clear();
                    Tree tree = Tree.of("shop", World.MANY_RESTARTS.onFailure(reports::add));
                    try (ActorSystem system = ActorSystem.start(tree, _ -> {})) {
                        system.start("terminated", worker()).terminate();
                        ActorRef<Work> killed = system.start("killed", worker());
                        killed.kill();
                        Fiber.sleep(Duration.ofNanos(1));
                        killed.stop();
                        assertTrue(killed.awaitEnd(SECOND));
                    }
                    assertEquals(1, reports.size(), reports::toString);
                    assertEquals("shop/killed", reports.getFirst().path());
                    assertNull(reports.getFirst().message());
                    assertEquals(0, reports.getFirst().attempt());
                });
    }

    @Test
    void A6_aRedactionThatThrowsHides() {
        TestCord.run(
                () -> {
                    List<FailureReport> reports = new ArrayList<>();
                    crash(
                            worker(),
                            reports,
                            ActorSystemOptions.defaults()
                                    .withRedaction(
                                            _ -> {
                                                throw new Crash("the redaction");
                                            }));
                    assertEquals(1, reports.size());
                    assertEquals(
                            "hidden, because the redaction failed: " + Work.class.getName(),
                            reports.getFirst().message());
                });
    }

    /** The redaction runs as no fiber: what would wait is refused, and hides. */
    @Test
    void A6_aRedactionThatWaitsHides() {
        TestCord.run(
                () -> {
                    List<FailureReport> reports = new ArrayList<>();
                    crash(
                            worker(),
                            reports,
                            ActorSystemOptions.defaults()
                                    .withRedaction(
                                            thing -> {
                                                Fiber.sleep(SECOND);
                                                return thing;
                                            }));
                    assertEquals(
                            "hidden, because the redaction failed: " + Work.class.getName(),
                            reports.getFirst().message());
                });
    }

    /** What no incarnation did has no message: a supervisor that gives up, and its path. */
    @Test
    void A6_aSupervisorThatFailsIsReportedByItsPath() {
        TestCord.run(
                () -> {
                    List<FailureReport> reports = new ArrayList<>();
                    Supervision above = World.MANY_RESTARTS.onFailure(reports::add);
                    Supervision strict = Supervision.oneForOne().intensity(0, SECOND);
                    try (ActorSystem system =
                            ActorSystem.start(
                                    Tree.of("shop", above, Tree.of("till", strict)),
                                    ActorSystemOptions.defaults().withDeadLetters(_ -> {}))) {
                        ActorRef<Work> ref = system.supervisor("till").spin("w", worker());
                        ref.tell(new Work("crash", Duration.ZERO));
                        Fiber.sleep(Duration.ofMillis(1));
                        assertEquals(1, reports.size(), reports::toString);
                        FailureReport report = reports.getFirst();
                        assertEquals("shop/till", report.actor());
                        assertEquals(0, report.number());
                        assertTrue(report.failure() instanceof TooManyRestartsException);
                        assertNull(report.message());
                        assertTrue(report.toString().contains("message: none"), report::toString);
                    }
                });
    }

    // ---------------------------------------------------------------- the recorder

    @Test
    void A6_theFlightRecorderHearsOfActors(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("actors.jfr");
        try (Recording recording = new Recording()) {
            for (String event :
                    List.of(
                            "ActorStart",
                            "ActorRestart",
                            "ActorFailure",
                            "ActorEnd",
                            "DeadLetter")) {
                recording.enable("dev.ropewalk." + event);
            }
            recording.start();
            World.local(
                    world -> {
                        ActorRef<Work> ref = world.spin("recorded", worker());
                        ref.tell(new Work("crash", SECOND));
                        ref.stop();
                        assertTrue(ref.awaitEnd(SECOND));
                    });
            recording.stop();
            recording.dump(file);
        }
        List<String> names =
                RecordingFile.readAllEvents(file).stream()
                        .filter(SystemDumpTest::isOurs)
                        .map(event -> event.getEventType().getName().substring(13))
                        .distinct()
                        .sorted()
                        .toList();
        assertEquals(
                List.of("ActorEnd", "ActorFailure", "ActorRestart", "ActorStart", "DeadLetter"),
                names);
    }

    private static boolean isOurs(RecordedEvent event) {
        String name = event.getEventType().getName();
        if (name.equals("dev.ropewalk.DeadLetter")) {
            assertSame(Work.class.getName().length(), event.getString("messageType").length());
            return event.getString("recipient").startsWith("system/recorded#");
        }
        return name.startsWith("dev.ropewalk.Actor")
                && event.getString("actor").equals("system/recorded");
    }
}
