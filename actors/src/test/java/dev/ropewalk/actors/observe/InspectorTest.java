package dev.ropewalk.actors.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Rule A6: one actor is looked into, suspended and traced, from any thread. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class InspectorTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Otherwise each message of the process goes on to look for taps. */
    @AfterEach
    void noTapIsLeft() {
        assertFalse(Taps.areAny());
    }

    private static ActorRef<String> logger(World world, List<String> log) {
        return world.spin(
                "logger",
                Actor.handler(
                        () ->
                                message -> {
                                    if (message.equals("crash")) {
                                        throw new Crash("crash");
                                    }
                                    log.add(message);
                                    return Behavior.same();
                                }));
    }

    private static ActorRef<String> loop(World world, List<String> log) {
        return world.spin(
                "loop",
                Actor.loop(
                        self -> {
                            for (; ; ) {
                                log.add(self.receive());
                            }
                        }));
    }

    // ---------------------------------------------------------------- suspending

    @Test
    void A6_aSuspendedActorKeepsItsMessagesUntilItIsResumed() {
        World.anywhere(
                world -> {
                    for (boolean isLoop : new boolean[] {false, true}) {
                        List<String> log = World.log();
                        ActorRef<String> ref = isLoop ? loop(world, log) : logger(world, log);
                        ref.tell("a");
                        world.settle();
                        ActorInspector inspector = ActorInspector.of(ref);
                        inspector.suspend();
                        inspector.suspend();
                        ref.tell("b");
                        ref.tell("c");
                        world.settle();
                        assertEquals(List.of("a"), log);
                        assertEquals(ActorPhase.SUSPENDED, inspector.dump().phase());
                        assertEquals(2, inspector.dump().queued());
                        assertEquals("a resume", inspector.dump().waitsFor());
                        inspector.resume();
                        inspector.resume();
                        world.settle();
                        assertEquals(List.of("a", "b", "c"), log);
                        assertEquals(ActorPhase.UP, inspector.dump().phase());
                        ref.tell("d");
                        ref.stop();
                        assertTrue(ref.awaitEnd(SECOND));
                        assertEquals(List.of("a", "b", "c", "d"), log);
                    }
                });
    }

    @Test
    void A6_aMessageInHandIsFinishedAndTheNextOneNotBegun() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "slow",
                                    Actor.handler(
                                            () ->
                                                    message -> {
                                                        Fiber.sleep(Duration.ofMillis(2));
                                                        log.add(message);
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    ref.tell("b");
                    world.settle();
                    ActorInspector inspector = ActorInspector.of(ref);
                    inspector.suspend();
                    world.until(() -> log.size() == 1);
                    world.settle();
                    assertEquals(List.of("a"), log);
                    inspector.resume();
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    assertEquals(List.of("a", "b"), log);
                });
    }

    @Test
    void A6_aResumptionInTheMiddleOfAnEntryLosesNothing() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Behavior<String> open =
                            Behavior.state(
                                    "open",
                                    _ -> {
                                        Fiber.sleep(Duration.ofMillis(5));
                                        log.add("entered");
                                        return Behavior.same();
                                    },
                                    message -> {
                                        log.add(message);
                                        return Behavior.same();
                                    });
                    ActorRef<String> ref =
                            world.spin(
                                    "machine",
                                    Actor.handler(() -> Behavior.state("shut", message -> open)));
                    world.settle();
                    ref.tell("go");
                    world.settle();
                    ActorInspector.of(ref).suspend();
                    ref.tell("a");
                    ref.tell("b");
                    ActorInspector.of(ref).resume();
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    assertEquals(List.of("entered", "a", "b"), log);
                });
    }

    @Test
    void A6_aSuspendedLoopThatReceivesWithALimitReturnsWhenItIsResumed() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "loop",
                                    Actor.<String>loop(
                                            self -> {
                                                @Nullable String got =
                                                        self.receive(Duration.ofMillis(1));
                                                log.add(String.valueOf(got));
                                                log.add(self.receive(String.class));
                                                log.add(self.receive(s -> s.startsWith("x")));
                                                log.add(self.receive());
                                            }));
                    ActorInspector inspector = ActorInspector.of(ref);
                    inspector.suspend();
                    Fiber.sleep(Duration.ofMillis(5));
                    world.settle();
                    assertEquals(List.of(), log, "its limit has passed");
                    inspector.resume();
                    world.until(() -> log.size() == 1);
                    inspector.suspend();
                    ref.tell("a");
                    world.settle();
                    inspector.resume();
                    world.until(() -> log.size() == 2);
                    inspector.suspend();
                    ref.tell("b");
                    ref.tell("x1");
                    world.settle();
                    assertEquals(List.of("null", "a"), log);
                    inspector.resume();
                    assertTrue(ref.awaitEnd(SECOND));
                    assertEquals(List.of("null", "a", "x1", "b"), log);
                });
    }

    @Test
    void A6_aPredicateThatBeginsToWaitWhileSuspendedLooksAtAllWhenItIsResumed() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "loop",
                                    Actor.<String>loop(
                                            self -> {
                                                log.add(self.receive(s -> s.equals("first")));
                                                Fiber.sleep(Duration.ofMillis(2));
                                                log.add(self.receive(s -> s.startsWith("x")));
                                            }));
                    ref.tell("a");
                    ref.tell("x"); // passed over by the first one
                    ref.tell("first");
                    world.until(() -> log.size() == 1);
                    ActorInspector inspector = ActorInspector.of(ref);
                    inspector.suspend();
                    Fiber.sleep(Duration.ofMillis(5));
                    ref.tell("b"); // wakes it
                    world.settle();
                    assertEquals(List.of("first"), log);
                    inspector.resume();
                    assertTrue(ref.awaitEnd(SECOND));
                    assertEquals(List.of("first", "x"), log);
                    world.letters.clear();
                });
    }

    /** Two wait, and the first suspends the actor from inside. */
    @Test
    void A6_anActorThatSuspendsItselfBeginsNoOther() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "self",
                                    Actor.handler(
                                            self ->
                                                    message -> {
                                                        log.add(message);
                                                        ActorInspector.of(self.self()).suspend();
                                                        return Behavior.same();
                                                    }));
                    for (String message : List.of("a", "b", "c")) {
                        ref.tell(message);
                    }
                    ref.stop();
                    for (int i = 1; i <= 3; i++) {
                        world.settle();
                        assertEquals(i, log.size());
                        ActorInspector.of(ref).resume();
                    }
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    /** It was handed to the actor, which has not seen it. */
    @Test
    void A6_aStopIsNoMessageInHand() {
        World.local(
                world -> {
                    ActorRef<String> ref = loop(world, World.log());
                    world.settle();
                    ref.stop();
                    assertNull(ActorInspector.of(ref).dump().current());
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    /** It was handed over, and the actor had no turn since. */
    @Test
    void A6_aMessageOnItsWayToAWaitingActorIsNotBegun() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> any = loop(world, log);
                    ActorRef<String> typed =
                            world.spin(
                                    "typed",
                                    Actor.loop(
                                            self -> {
                                                for (; ; ) {
                                                    log.add(self.receive(String.class));
                                                }
                                            }));
                    for (ActorRef<String> ref : List.of(any, typed, logger(world, log))) {
                        world.settle();
                        ref.tell("a");
                        ActorInspector inspector = ActorInspector.of(ref);
                        inspector.suspend();
                        world.settle();
                        ref.tell("b");
                        assertEquals(List.of(), log);
                        inspector.resume();
                        ref.stop();
                        assertTrue(ref.awaitEnd(SECOND));
                        assertEquals(List.of("a", "b"), log);
                        log.clear();
                    }
                });
    }

    @Test
    void A1_aSuspensionDoesNotProlongTheLimitOfAReceive() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "loop",
                                    Actor.loop(
                                            self ->
                                                    log.add(
                                                            "got "
                                                                    + self.receive(
                                                                            Duration.ofMillis(
                                                                                    10)))));
                    world.settle();
                    for (int i = 0; i < 3; i++) {
                        Fiber.sleep(Duration.ofMillis(3));
                        ActorInspector.of(ref).suspend();
                        ActorInspector.of(ref).resume();
                    }
                    assertEquals(List.of(), log);
                    assertTrue(ref.awaitEnd(Duration.ofMillis(2)));
                    assertEquals(List.of("got null"), log);
                });
    }

    /** What it waits for in the middle of a message, and nothing when it is over. */
    @Test
    void A6_aSuspendedActorWaitsForAResumeBetweenMessagesOnly() {
        World.local(
                world -> {
                    ActorRef<String> ref =
                            world.spin(
                                    "slow",
                                    Actor.handler(
                                            () ->
                                                    _ -> {
                                                        Fiber.sleep(Duration.ofMillis(5));
                                                        return Behavior.same();
                                                    }));
                    ref.tell("a");
                    world.settle();
                    ActorInspector inspector = ActorInspector.of(ref);
                    inspector.suspend();
                    String waitsFor = String.valueOf(inspector.dump().waitsFor());
                    assertTrue(waitsFor.contains("sleep"), waitsFor);
                    Fiber.sleep(Duration.ofMillis(6));
                    assertEquals("a resume", inspector.dump().waitsFor());
                    ref.terminate();
                    assertTrue(ref.awaitEnd(SECOND));
                    world.settle();
                    assertEquals(ActorPhase.ENDED, inspector.dump().phase());
                    assertNull(inspector.dump().waitsFor());
                });
    }

    @Test
    void A6_aSuspendedActorObeysSignalsAndAStopWaits() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> terminated = logger(world, log);
                    ActorInspector.of(terminated).suspend();
                    terminated.tell("kept");
                    terminated.terminate();
                    assertTrue(terminated.awaitEnd(SECOND));
                    ActorRef<String> stopped = logger(world, log);
                    ActorInspector.of(stopped).suspend();
                    stopped.stop();
                    world.settle();
                    assertFalse(stopped.awaitEnd(Duration.ofMillis(2)));
                    ActorInspector.of(stopped).resume();
                    assertTrue(stopped.awaitEnd(SECOND));
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void A6_aStopOfTheSystemTellsOfASuspendedActor() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorSystem system = ActorSystem.start("own");
                    ActorRef<String> ref =
                            system.spin("held", Actor.handler(() -> m -> Behavior.same()));
                    world.settle();
                    ActorInspector.of(ref).suspend();
                    ref.tell("kept");
                    StopReport report = system.stop(Duration.ofMillis(10));
                    assertEquals(
                            List.of("own/held"),
                            report.left().stream().map(left -> left.actor().path()).toList());
                    assertEquals(1, report.left().getFirst().mailbox().queued());
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void A6_aRestartResumes() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref = logger(world, log);
                    world.settle();
                    ActorInspector.of(ref).suspend();
                    ref.tell("a");
                    ref.kill();
                    world.until(() -> log.size() == 1);
                    assertEquals(ActorPhase.UP, ActorInspector.of(ref).dump().phase());
                    assertEquals(1, ActorInspector.of(ref).dump().restarts());
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                });
    }

    // ---------------------------------------------------------------- traces and numbers

    private record Get(String key, Recipient<String> replyTo) implements Request<String> {}

    @Test
    void A6_aTraceHoldsTheLastMessagesInAndOut() {
        World.anywhere(
                world -> {
                    ActorRef<String> sink = world.spin("sink", Actor.handler(() -> m -> same()));
                    ActorRef<Get> ref =
                            world.spin(
                                    "server",
                                    Actor.handler(
                                            () ->
                                                    get -> {
                                                        sink.tell("noted " + get.key());
                                                        get.replyTo().tell("value");
                                                        return Behavior.same();
                                                    }));
                    ActorInspector inspector = ActorInspector.of(ref);
                    ActorTrace trace = inspector.trace(4);
                    ActorStatistics statistics = inspector.statistics();
                    assertEquals("value", ref.<String>ask(reply -> new Get("a", reply), SECOND));
                    assertEquals("value", ref.<String>ask(reply -> new Get("b", reply), SECOND));
                    world.settle();
                    List<TraceEvent> events = trace.events();
                    assertEquals(4, events.size());
                    assertEquals(2, trace.dropped());
                    assertEquals(
                            List.of(
                                    TraceEvent.Kind.OUT,
                                    TraceEvent.Kind.IN,
                                    TraceEvent.Kind.OUT,
                                    TraceEvent.Kind.OUT),
                            events.stream().map(TraceEvent::kind).toList());
                    assertEquals("noted b", events.get(2).message());
                    assertEquals("system/sink#1", events.get(2).to());
                    assertEquals("b", ((Get) events.get(1).message()).key());
                    assertNull(events.get(1).to());
                    assertEquals(2, statistics.in());
                    assertEquals(4, statistics.out());
                    trace.close();
                    trace.close();
                    statistics.close();
                    assertEquals("value", ref.<String>ask(reply -> new Get("c", reply), SECOND));
                    world.settle();
                    assertEquals(events, trace.events());
                    assertEquals(2, statistics.in());
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    sink.stop();
                });
    }

    private static Behavior<String> same() {
        return Behavior.same();
    }

    @Test
    void A6_aTraceTellsOfNoMessageThatWasNotSent() {
        World.anywhere(
                world -> {
                    ActorRef<String> full =
                            world.spin(
                                    "full",
                                    Actor.<String>loop(
                                                    self -> {
                                                        Fiber.sleep(Duration.ofMillis(5));
                                                        for (; ; ) {
                                                            self.receive();
                                                        }
                                                    })
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.FAIL)));
                    List<String> log = World.log();
                    ActorRef<String> teller =
                            world.spin(
                                    "teller",
                                    Actor.handler(
                                            () ->
                                                    message -> {
                                                        try {
                                                            full.tell(message);
                                                        } catch (MailboxFullException refused) {
                                                            log.add(message);
                                                        }
                                                        return Behavior.same();
                                                    }));
                    world.settle();
                    ActorTrace trace = ActorInspector.of(teller).trace(10);
                    teller.tell("a");
                    teller.tell("b");
                    teller.stop();
                    assertTrue(teller.awaitEnd(SECOND));
                    assertEquals(
                            3L - log.size(),
                            1L
                                    + trace.events().stream()
                                            .filter(e -> e.kind() == TraceEvent.Kind.OUT)
                                            .count());
                    full.stop();
                    assertTrue(full.awaitEnd(SECOND));
                });
    }

    private record Question(Recipient<String> to) {}

    /** A reply that is null, and one that an adapter has no room for. */
    @Test
    void A6_aTraceTellsOfNoReplyThatWasNotSent() {
        World.local(
                world -> {
                    List<Recipient<String>> adapters = World.log();
                    ActorRef<String> full =
                            world.spin(
                                    "full",
                                    Actor.<String>handler(
                                                    self -> {
                                                        adapters.add(self.adapt(text -> text));
                                                        return _ -> Behavior.same();
                                                    })
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.FAIL)));
                    ActorRef<Question> ref =
                            world.spin(
                                    "asked",
                                    Actor.handler(
                                            () ->
                                                    get -> {
                                                        assertThrows(
                                                                NullPointerException.class,
                                                                () -> get.to().tell(nothing()));
                                                        Recipient<String> adapter =
                                                                adapters.getFirst();
                                                        adapter.tell("first");
                                                        assertEquals(
                                                                TellResult.FULL,
                                                                adapter.tryTell("second"));
                                                        get.to().tell("reply");
                                                        return Behavior.same();
                                                    }));
                    world.settle();
                    ActorInspector.of(full).suspend();
                    try (ActorTrace trace = ActorInspector.of(ref).trace(10)) {
                        assertEquals("reply", ref.<String>ask(Question::new, SECOND));
                        assertEquals(
                                List.of("first", "reply"),
                                trace.events().stream()
                                        .filter(e -> e.kind() == TraceEvent.Kind.OUT)
                                        .map(TraceEvent::message)
                                        .toList());
                    }
                    ActorInspector.of(full).resume();
                    ref.stop();
                    full.stop();
                });
    }

    @SuppressWarnings("NullAway") // what a program without annotations does
    private static String nothing() {
        return null;
    }

    /** What an actor of the test does with a message, and the recipients that it has. */
    private record Sending(
            ActorContext<String> self, ActorRef<Object> any, ActorRef<Object> full) {}

    /** Each way to send that sends nothing is on the list too. */
    @Test
    void A6_aTraceTellsOfEachWayToSend() {
        World.local(
                world -> {
                    ActorRef<Object> any =
                            world.spin("any", Actor.handler(() -> _ -> Behavior.same()));
                    ActorRef<Object> full =
                            world.spin(
                                    "full",
                                    Actor.<Object>handler(() -> _ -> Behavior.same())
                                            .mailbox(
                                                    MailboxOptions.bounded(3)
                                                            .withOverflow(Overflow.FAIL)));
                    ActorRef<String> ref =
                            world.spin(
                                    "sender",
                                    Actor.handler(
                                            self ->
                                                    message -> {
                                                        send(message, new Sending(self, any, full));
                                                        return Behavior.same();
                                                    }));
                    world.settle();
                    ActorInspector.of(any).suspend();
                    ActorInspector.of(full).suspend();
                    try (ActorTrace trace = ActorInspector.of(ref).trace(30)) {
                        for (String way :
                                List.of(
                                        "tell",
                                        "router",
                                        "try",
                                        "later",
                                        "ask",
                                        "router to full",
                                        "ask full",
                                        "later full",
                                        "try full",
                                        "tell full")) {
                            ref.tell(way);
                            Fiber.sleep(Duration.ofMillis(2));
                        }
                        assertEquals(
                                List.of(
                                        "tell to any",
                                        "router to any",
                                        "try to any",
                                        "later to any",
                                        "ask to any",
                                        "router to full to full",
                                        "ask full to full",
                                        "later full to full",
                                        "tell full to full"),
                                trace.events().stream()
                                        .filter(e -> e.kind() == TraceEvent.Kind.OUT)
                                        .map(
                                                e ->
                                                        e.message()
                                                                + " to "
                                                                + Errors.inShort("" + e.to()))
                                        .toList());
                    }
                    for (ActorRef<?> each : List.of(ref, any, full)) {
                        each.terminate();
                        assertTrue(each.awaitEnd(SECOND));
                    }
                    world.letters.clear();
                });
    }

    private static void send(String way, Sending to) {
        Duration limit = Duration.ofMillis(1);
        switch (way) {
            case "tell" -> to.any().tell(way);
            case "router" -> Routing.roundRobin().over(List.of(to.any())).tell(way);
            case "router to full" -> Routing.roundRobin().over(List.of(to.full())).tell(way);
            case "try" -> to.any().tryTell(way);
            case "try full" -> assertEquals(TellResult.FULL, to.full().tryTell(way));
            case "tell full" -> to.full().tell(way); // a dead letter
            case "later", "later full" -> {
                var stage = (way.equals("later") ? to.any() : to.full()).askLater(_ -> way, limit);
                assertFalse(stage.toCompletableFuture().isDone());
            }
            default -> {
                ActorRef<Object> asked = way.equals("ask") ? to.any() : to.full();
                assertThrows(AskTimeoutException.class, () -> asked.ask(_ -> way, limit));
            }
        }
    }

    @Test
    void A6_statisticsCountUntilTheyAreClosed() {
        World.local(
                world -> {
                    ActorRef<String> ref = logger(world, World.log());
                    world.settle();
                    ActorStatistics counts = ActorInspector.of(ref).statistics();
                    Fiber.sleep(Duration.ofMillis(3));
                    ref.tell("a");
                    world.settle();
                    counts.close();
                    Duration time = counts.time();
                    assertTrue(time.toMillis() >= 3, time::toString);
                    Fiber.sleep(Duration.ofMillis(3));
                    counts.close();
                    ref.tell("b");
                    world.settle();
                    assertEquals(time, counts.time());
                    assertEquals(1, counts.in());
                    ref.stop();
                });
    }

    @Test
    void A6_whatIsReceivedIsCountedAndNoTellOfAnotherIsLookedAt() {
        World.anywhere(
                world -> {
                    assertFalse(Taps.onTells());
                    List<String> log = World.log();
                    ActorRef<String> end = logger(world, log);
                    Behavior<String> passesOn =
                            message -> {
                                end.tell(message);
                                return Behavior.same();
                            };
                    ActorRef<String> handler = world.spin("handler", Actor.handler(() -> passesOn));
                    ActorRef<String> loop =
                            world.spin(
                                    "loop",
                                    Actor.loop(
                                            self -> {
                                                for (; ; ) {
                                                    end.tell(self.receive());
                                                }
                                            }));
                    for (ActorRef<String> each : List.of(handler, loop)) {
                        each.tell("before");
                        world.settle();
                        ActorStatistics counts = ActorInspector.of(each).countReceived();
                        assertFalse(Taps.onTells(), "each tell would look for its sender");
                        for (int i = 0; i < 5; i++) {
                            each.tell("one of many");
                        }
                        world.settle();
                        each.tell("one to an actor that waits");
                        world.settle();
                        assertEquals(6, counts.in());
                        assertEquals(0, counts.out());
                        ActorTrace trace = ActorInspector.of(each).trace(9);
                        assertTrue(Taps.onTells(), "a trace tells of what is sent");
                        each.tell("traced");
                        world.settle();
                        assertEquals(
                                List.of(TraceEvent.Kind.IN, TraceEvent.Kind.OUT),
                                trace.events().stream().map(TraceEvent::kind).toList());
                        trace.close();
                        world.settle();
                        assertFalse(Taps.onTells());
                        assertEquals(7, counts.in());
                        assertEquals(0, counts.out());
                        counts.close();
                        world.settle();
                        assertFalse(Taps.areAny());
                        each.tell("behind");
                        world.settle();
                        assertEquals(7, counts.in());
                        each.stop();
                    }
                    assertEquals(18, log.size());
                    end.stop();
                });
    }

    @Test
    void A6_aTraceGoesOnOverARestartAndEndsWithTheActor() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref = logger(world, log);
                    ActorTrace trace = ActorInspector.of(ref).trace(10);
                    ref.tell("a");
                    ref.tell("crash");
                    ref.tell("b");
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    assertEquals(
                            List.of("a", "crash", "b"),
                            trace.events().stream().map(TraceEvent::message).toList());
                    trace.close();
                });
    }

    // ---------------------------------------------------------------- state

    @Test
    void A6_theStateIsThatOfTheServerOrTheBehavior() {
        World.anywhere(
                world -> {
                    ActorRef<Get> server =
                            world.spin(
                                    "server",
                                    Server.<Get, Integer>of(5)
                                            .call(
                                                    Get.class,
                                                    (state, get) -> Reply.of("x", state + 1))
                                            .actor());
                    world.settle();
                    assertEquals(5, ActorInspector.of(server).state());
                    assertEquals("x", server.<String>ask(reply -> new Get("a", reply), SECOND));
                    assertEquals(6, ActorInspector.of(server).state());
                    Behavior<String> inside = m -> Behavior.same();
                    ActorRef<String> machine =
                            world.spin(
                                    "machine", Actor.handler(() -> Behavior.state("open", inside)));
                    world.settle();
                    assertEquals(inside, ActorInspector.of(machine).state());
                    assertEquals("open", ActorInspector.of(machine).dump().state());
                    ActorRef<String> loop = loop(world, World.log());
                    world.settle();
                    assertNull(ActorInspector.of(loop).state());
                    server.stop();
                    machine.stop();
                    loop.stop();
                });
    }

    // ---------------------------------------------------------------- misuse

    @Test
    void misuse_anEndedActorIsNotTracedNorSuspended() {
        World.anywhere(
                world -> {
                    ActorRef<String> ref = logger(world, World.log());
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                    world.settle();
                    ActorInspector inspector = ActorInspector.of(ref);
                    Errors.assertMentions(
                            assertThrows(IllegalStateException.class, () -> inspector.trace(1)),
                            "trace of actor logger",
                            "has ended");
                    assertThrows(IllegalStateException.class, inspector::suspend);
                    assertThrows(IllegalStateException.class, inspector::resume);
                    assertThrows(IllegalStateException.class, inspector::statistics);
                    assertThrows(IllegalStateException.class, inspector::state);
                    assertEquals(ActorPhase.ENDED, inspector.dump().phase());
                });
    }

    @Test
    void misuse_aRouterIsNoActor() {
        World.local(
                world -> {
                    ActorRef<String> router =
                            Routing.<String>roundRobin()
                                    .over(world.system.group("g", String.class));
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> ActorInspector.of(router)),
                            "is no actor");
                    ActorRef<String> ref = logger(world, World.log());
                    assertThrows(
                            IllegalArgumentException.class, () -> ActorInspector.of(ref).trace(0));
                    ref.stop();
                });
    }

    @Test
    void A6_aCordThatDoesNotAnswerIsAnErrorThatNamesIt() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        try (ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("stuck"), ActorSystemOptions.defaults().withCords(1))) {
            ActorRef<String> ref =
                    system.spin(
                            "blocker",
                            Actor.handler(
                                    () ->
                                            m -> {
                                                begun.countDown();
                                                go.await(); // blocks the cord's thread
                                                return Behavior.same();
                                            }));
            ref.tell("x");
            begun.await();
            ActorInspector inspector = ActorInspector.of(ref).within(Duration.ofMillis(5));
            Errors.assertMentions(
                    assertThrows(FiberTimeoutException.class, inspector::dump),
                    "a dump of actor blocker",
                    "5 ms");
            assertThrows(FiberTimeoutException.class, () -> inspector.trace(1));
            assertTrue(system.dump(Duration.ofMillis(5)).toString().contains("SILENT"));
            SystemSnapshot early = system.snapshot(Duration.ofMillis(5));
            assertEquals(List.of("stuck-0"), early.silent());
            assertEquals(List.of(), early.actors());
            assertTrue(ActorSystem.all().contains(system));
            assertTrue(Cord.all().containsAll(system.cords()));
            go.countDown();
            SystemSnapshot late = system.snapshot(SECOND);
            assertEquals(List.of(), late.silent());
            assertEquals(
                    List.of("stuck/blocker"),
                    late.actors().stream().map(ActorGlance::path).toList());
        }
        assertTrue(ActorSystem.all().stream().noneMatch(system -> system.name().equals("stuck")));
        assertTrue(Cord.all().stream().noneMatch(cord -> cord.name().startsWith("stuck")));
    }
}
