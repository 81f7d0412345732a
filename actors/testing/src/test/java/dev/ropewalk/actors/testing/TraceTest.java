package dev.ropewalk.actors.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The same seed gives the same trace (rule F14). */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TraceTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Supervision MANY_RESTARTS =
            Supervision.oneForOne().intensity(1_000_000, SECOND).onFailure(_ -> {});

    /** A message that names who is to be told next. */
    private record Hop(int number, int hopsLeft) {}

    private static final int ACTORS = 3_000;
    private static final int TOKENS = 300;
    private static final int HOPS = 12;

    /**
     * Actors on three cords pass tokens on, sleep, crash, and lose some; which one is next is drawn
     * from the cord's seed.
     */
    private static Trace crowd(long seed, boolean seededOrder) {
        Trace trace = new Trace();
        TestCords.run(
                3,
                seed,
                seededOrder,
                cords -> {
                    List<ActorRef<Hop>> all = new ArrayList<>();
                    try (ActorSystem system =
                            ActorSystem.start("system", MANY_RESTARTS, trace::deadLetter)) {
                        Actor<Hop> actor =
                                trace.around(
                                        Faults.seeded(seed)
                                                .crashShare(0.02)
                                                .dropShare(0.01)
                                                .delayUpTo(Duration.ofMillis(2))
                                                .around(passing(all)));
                        for (int i = 0; i < ACTORS; i++) {
                            all.add(system.root().spin(cords.get(i % 3), "actor " + i, actor));
                        }
                        for (int i = 0; i < TOKENS; i++) {
                            all.get(i * 4).tell(new Hop(i, HOPS));
                        }
                        Fiber.sleep(SECOND);
                    }
                });
        return trace;
    }

    private static Actor<Hop> passing(List<ActorRef<Hop>> all) {
        return Actor.handler(
                () ->
                        hop -> {
                            if (hop.hopsLeft() > 0) {
                                int next = Cord.current().nextInt(all.size());
                                all.get(next).tell(new Hop(hop.number(), hop.hopsLeft() - 1));
                            }
                            return Behavior.same();
                        });
    }

    @Test
    void F14_thousandsOfActorsOnThreeCordsHaveTheTraceOfTheirSeed() {
        for (boolean seededOrder : new boolean[] {false, true}) {
            Trace first = crowd(42, seededOrder);
            first.expectSame(crowd(42, seededOrder));
            AssertionError differs =
                    assertThrows(
                            AssertionError.class, () -> first.expectSame(crowd(43, seededOrder)));
            Errors.assertMentions(differs, "differ behind line");
            List<String> lines = first.lines();
            assertTrue(first.count() > 2 * ACTORS + TOKENS * HOPS / 2, first::toString);
            for (String part :
                    List.of(" test-0 ", " test-1 ", " test-2 ", "starts", "gets Hop", "fails on")) {
                assertTrue(
                        lines.stream().anyMatch(line -> line.contains(part)),
                        () -> "no line with \"" + part + "\", so the comparison proves little");
            }
        }
    }

    @Test
    void F14_aTraceHasTheWholeLifeOfAnActor() {
        TestCord.run(
                () -> {
                    Trace trace = new Trace();
                    try (ActorSystem system =
                            ActorSystem.start("system", MANY_RESTARTS, trace::deadLetter)) {
                        ActorRef<Integer> actor =
                                system.start(
                                        "actor",
                                        trace.around(
                                                Actor.handler(
                                                        () ->
                                                                n ->
                                                                        100 / n > 50
                                                                                ? Behavior.stopped()
                                                                                : Behavior
                                                                                        .same())));
                        Fiber.sleep(SECOND);
                        List.of(5, 0, 1).forEach(actor::tell);
                        Probe.named("probe").expectDown(actor);
                        String who = actor.toString();
                        String failure = "java.lang.ArithmeticException: / by zero";
                        assertEquals(
                                List.of(
                                        "0 test " + who + " starts",
                                        "1000000000 test " + who + " gets 5",
                                        "1000000000 test " + who + " gets 0",
                                        "1000000000 test " + who + " fails on 0: " + failure,
                                        "1000000000 test " + who + " ends: failed: " + failure,
                                        "1000000000 test dead letter to system/actor#1, FAILED: 0",
                                        "1000000000 test " + who + " starts",
                                        "1000000000 test " + who + " gets 1",
                                        "1000000000 test " + who + " ends: Normal[]"),
                                trace.lines());
                    }
                });
    }

    @Test
    void F14_aLoopIsTracedToo() {
        TestCord.run(
                () -> {
                    Trace trace = new Trace();
                    try (ActorSystem system = ActorSystem.start("system", MANY_RESTARTS, _ -> {})) {
                        ActorRef<String> actor =
                                system.spin(
                                        "actor",
                                        trace.around(
                                                Actor.loop(
                                                        (ActorContext<String> self) -> {
                                                            self.receive();
                                                            self.receive(SECOND);
                                                            self.receive(SECOND);
                                                            throw new IllegalStateException("x");
                                                        })));
                        Probe<String> probe = Probe.named("probe");
                        actor.tell("a");
                        actor.tell("b");
                        Fiber.sleep(SECOND.dividedBy(2));
                        actor.tell("c");
                        Fiber.sleep(SECOND);
                        actor.terminate();
                        probe.expectDown(actor);
                        List<String> what =
                                trace.lines().stream()
                                        .map(line -> line.substring(line.indexOf('#') + 3))
                                        .toList();
                        assertEquals(
                                List.of(
                                        "starts",
                                        "gets a",
                                        "gets b",
                                        "gets c",
                                        "fails on c: java.lang.IllegalStateException: x",
                                        "ends: failed: java.lang.IllegalStateException: x",
                                        "starts"),
                                what.subList(0, 7));
                    }
                });
    }

    @Test
    void theDifferenceIsNamed() {
        Trace one = trace("a", "b", "c", "d", "e");
        Trace other = trace("a", "b", "c", "d", "x");
        AssertionError error = assertThrows(AssertionError.class, () -> one.expectSame(other));
        Errors.assertMentions(
                error, "behind line 4", "- - e, but the other has - - x", "[- - b, - - c, - - d]");
        error = assertThrows(AssertionError.class, () -> one.expectSame(trace("a", "b")));
        Errors.assertMentions(error, "behind line 2", "- - c, but the other has no more lines");
        one.expectSame(trace("a", "b", "c", "d", "e"));
    }

    @Test
    void whatIsNotKeptIsInTheDigest() {
        Trace one = new Trace(1);
        Trace other = new Trace(1);
        List.of("a", "b").forEach(one::add);
        List.of("a", "c").forEach(other::add);
        assertEquals(one.lines(), other.lines());
        assertEquals(2, one.count());
        assertNotEquals(one.digest(), other.digest());
        AssertionError error = assertThrows(AssertionError.class, () -> one.expectSame(other));
        Errors.assertMentions(error, "behind line 1", "a line that is not kept");
        assertThrows(IllegalArgumentException.class, () -> new Trace(-1));
    }

    /** The text of such a message is another one in each run. */
    @Test
    void F14_aMessageWithoutATextStandsThereByItsClass() {
        class Plain {}
        Runnable lambda = () -> {};
        List<List<String>> runs = new ArrayList<>();
        for (int run = 0; run < 2; run++) {
            Trace trace = new Trace();
            TestCord.run(
                    1,
                    false,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("system")) {
                            ActorRef<Object> actor =
                                    system.start(
                                            "actor",
                                            trace.around(
                                                    Actor.handler(() -> _ -> Behavior.same())));
                            actor.tell(new Plain());
                            actor.tell(lambda);
                            Fiber.sleep(SECOND);
                        }
                    });
            runs.add(trace.lines());
        }
        assertEquals(runs.getFirst(), runs.getLast());
        assertTrue(runs.getFirst().get(1).endsWith("gets " + Plain.class.getName()));
        assertTrue(runs.getFirst().get(2).endsWith("$$Lambda"), runs::toString);
    }

    private static Trace trace(String... lines) {
        Trace trace = new Trace();
        List.of(lines).forEach(trace::add);
        return trace;
    }

    /** The names of states, their entries, and other data go through what is put around. */
    @Test
    void A1_aStateMachineIsOneInsideATraceAndFaults() {
        TestCord.run(
                () -> {
                    Trace trace = new Trace();
                    List<String> log = new ArrayList<>();
                    Actor<String> machine =
                            Actor.handler((ActorContext<String> self) -> state(self, "a", 0, log))
                                    .keepState();
                    Actor<String> actor =
                            trace.around(
                                    Faults.none()
                                            .crash(message -> message.equals("crash"))
                                            .drop(message -> message.equals("lost"))
                                            .around(machine));
                    try (ActorSystem system =
                            ActorSystem.start("system", MANY_RESTARTS, trace::deadLetter)) {
                        ActorRef<String> ref = system.spin("m", actor);
                        for (String each :
                                List.of("later", "lost", "crash", "data", "again", "anew", "b")) {
                            ref.tell(each);
                        }
                        Fiber.sleep(SECOND.dividedBy(2));
                        assertTrue(
                                Cord.current().dump().toString().contains("in state b"),
                                "the actor finds the name");
                        Fiber.sleep(SECOND);
                        ref.tell("no entry");
                        Fiber.sleep(SECOND);
                    }
                    assertEquals(
                            List.of(
                                    "enter a0 from null",
                                    "a0:later",
                                    "a0:data",
                                    "a1:again",
                                    "enter a1 from a",
                                    "a1:anew",
                                    "enter a2 from a",
                                    "a2:b",
                                    "enter b2 from a",
                                    "b2:later",
                                    "b2:timeout",
                                    "b2:no entry"),
                            log);
                    String lines = trace.lines().toString();
                    assertTrue(lines.contains(" fails on no entry: "), lines);
                });
    }

    private static Behavior<String> state(
            ActorContext<String> self, String name, int data, List<String> log) {
        return Behavior.state(
                name,
                from -> {
                    if (name.equals("none")) {
                        throw new IllegalStateException("no entry");
                    }
                    log.add("enter " + name + data + " from " + from);
                    self.stateTimeout(SECOND, "timeout");
                    return Behavior.same();
                },
                message -> {
                    log.add(name + data + ":" + message);
                    return switch (message) {
                        case "later" -> {
                            if (name.equals("a")) {
                                self.postpone();
                            }
                            yield Behavior.same();
                        }
                        case "data" -> state(self, name, data + 1, log);
                        case "again" -> Behavior.repeat();
                        case "anew" -> Behavior.repeat(state(self, name, data + 1, log));
                        case "b" -> state(self, "b", data, log);
                        case "no entry" -> state(self, "none", data, log);
                        default -> Behavior.same();
                    };
                });
    }
}
