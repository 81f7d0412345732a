package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.Timers;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The code of the guide's page on ends, and what its tables say. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EndingSnippetsTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static Step note(List<String> log, String what) {
        return Step.of(_ -> log.add(what));
    }

    // ---------------------------------------------------------------- one actor

    @Test
    void A4_stopAndAwait() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> account = world.spin("account", Step.actor());
                    // @start region="stop"
                    account.tell(note(log, "handled"));
                    account.stop(); // after that message
                    boolean isOver = account.awaitEnd(Duration.ofSeconds(5));
                    // @end
                    assertTrue(isOver);
                    assertEquals(List.of("handled"), log);
                });
    }

    /** With a message in hand, two are told, and the end in between. */
    @ParameterizedTest
    @CsvSource({
        "stop, TRANSIENT, [wait one], [two ENDED], Normal[]",
        "stop, PERMANENT, [wait one two], [], Normal[]",
        "stopped, TRANSIENT, [wait one], [two ENDED], Normal[]",
        "stopped, PERMANENT, [wait one two], [], Normal[]",
        "fail, TRANSIENT, [wait one two], [crash FAILED], Failed",
        "fail, TEMPORARY, [wait one], [crash FAILED two ENDED], Failed",
        "terminate, TRANSIENT, [], [wait FAILED one ENDED two ENDED], Shutdown",
        "terminate, PERMANENT, [one two], [wait FAILED], Shutdown",
        "kill, TRANSIENT, [one two], [wait FAILED], Killed[]",
        "kill, TEMPORARY, [], [wait FAILED one ENDED two ENDED], Killed[]",
        "link, TRANSIENT, [one two], [wait FAILED], Killed[]",
        "link, TEMPORARY, [], [wait FAILED one ENDED two ENDED], Killed[]",
        "byName, PERMANENT, [], [wait FAILED one ENDED two ENDED], Shutdown",
        "close, PERMANENT, [], [wait FAILED one ENDED two ENDED], Shutdown",
        "grace, PERMANENT, [wait one two], [], Normal[]",
    })
    void A4_whatEachEndDoes(
            String how, RestartRule rule, String handled, String lost, String reason) {
        World.local(
                world -> {
                    ActorSystem outside = ActorSystem.start("outside");
                    List<String> log = World.log();
                    List<String> reasons = World.log();
                    List<String> letters = World.log();
                    world.system.onDeadLetter(l -> letters.add(l.message() + " " + l.reason()));
                    ActorRef<String> ref = world.system.spin("ref", noting(log).restart(rule));
                    ActorRef<Step> peer =
                            world.spin(
                                    "peer",
                                    Step.actor(self -> self.link(ref))
                                            .restart(RestartRule.TEMPORARY));
                    outside.spin(
                            "watcher",
                            Step.actor(
                                    self ->
                                            self.monitorEach(
                                                    ref,
                                                    down ->
                                                            note(
                                                                    reasons,
                                                                    down.reason().toString()))));
                    world.settle();
                    ref.tell("wait");
                    world.settle();
                    ref.tell("one");
                    end(world, how, ref, peer);
                    ref.tell("two");
                    Fiber.sleep(Duration.ofSeconds(2));
                    assertEquals(handled, log.toString().replace(",", ""));
                    assertEquals(lost, letters.toString().replace(",", ""));
                    assertTrue(reasons.getFirst().startsWith(reason), reasons.toString());
                    outside.close();
                });
    }

    private static Actor<String> noting(List<String> log) {
        return Actor.handler(
                () ->
                        message -> {
                            switch (message) {
                                case "end" -> {
                                    return Behavior.stopped();
                                }
                                case "crash" -> throw new Crash("no");
                                case "wait" -> {
                                    Fiber.sleep(Duration.ofSeconds(1));
                                    log.add(message);
                                }
                                default -> log.add(message);
                            }
                            return Behavior.same();
                        });
    }

    private static void end(World world, String how, ActorRef<String> ref, ActorRef<Step> peer) {
        switch (how) {
            case "stop" -> ref.stop();
            case "stopped" -> ref.tell("end");
            case "fail" -> ref.tell("crash");
            case "terminate" -> ref.terminate();
            case "kill" -> ref.kill();
            case "link" -> peer.kill();
            case "byName" -> Fiber.spin("stopper", () -> world.system.root().stop("ref"));
            case "close" -> Fiber.spin("closer", world.system::close);
            default -> Fiber.spin("closer", () -> world.system.stop(LONG));
        }
    }

    // ---------------------------------------------------------------- end hooks

    /** What a journal writes to. */
    private record Page(List<String> log) implements AutoCloseable {
        void write(String line) {
            if (line.isEmpty()) {
                throw new Crash("nothing to write");
            }
            log.add(line);
        }

        @Override
        public void close() {
            log.add("closed");
        }
    }

    // @start region="hooks"
    static Behavior<String> journal(ActorContext<String> self, List<String> log) {
        Page page = self.owns(new Page(log)); // closed at the end
        self.atEnd(reason -> page.write("end: " + reason)); // before that
        return line -> {
            page.write(line);
            return Behavior.same();
        };
    }

    // @end

    @Test
    void A4_hooksRunLastMadeFirst() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "journal",
                                    Actor.handler(
                                            (ActorContext<String> self) -> journal(self, log)));
                    ref.tell("one");
                    ref.tell("");
                    ref.tell("two");
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(
                            List.of(
                                    "one",
                                    "end: Failed[cause=dev.ropewalk.actors.testkit.Crash: nothing"
                                            + " to write]",
                                    "closed",
                                    "two",
                                    "end: Normal[]",
                                    "closed"),
                            log);
                });
    }

    /** The page's table of what stays with the state. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A5_whatKeepStateChanges(boolean keeps) {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> watched = world.spin("watched", Step.actor());
                    Actor<Step> definition =
                            Step.actor(
                                    self -> {
                                        log.add("made");
                                        if (log.size() > 1) {
                                            return;
                                        }
                                        owning(self, log, watched);
                                    });
                    ActorRef<Step> ref =
                            world.spin("ref", keeps ? definition.keepState() : definition);
                    ActorRef<Step> linked =
                            world.spin("linked", Step.actor().restart(RestartRule.TEMPORARY));
                    world.settle();
                    ref.tell(Step.of(self -> self.link(linked)));
                    CompletionStage<String> open = ref.askLater(_ -> Step.of(_ -> {}), LONG);
                    world.settle();
                    ref.tell(Step.crash("no"));
                    world.settle();
                    assertTrue(linked.awaitEnd(LONG), "a link is the incarnation's");
                    assertTrue(
                            open.toCompletableFuture().isCompletedExceptionally(),
                            "so is a question that it has taken");
                    log.add("crashed");
                    Fiber.sleep(Duration.ofSeconds(2));
                    watched.stop();
                    world.settle();
                    ActorRef<Step> other =
                            world.spin("other", Step.actor().restart(RestartRule.TEMPORARY));
                    if (keeps) {
                        ref.tell(Step.of(self -> self.link(other)));
                        world.settle();
                        other.tell(Step.crash("other"));
                        world.settle();
                    }
                    log.add("ends");
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(
                            keeps
                                    ? "[made, child ended, crashed, tick, down, trapped, ends,"
                                            + " hook]"
                                    : "[made, child ended, hook, made, crashed, ends]",
                            log.toString());
                });
    }

    private static void owning(ActorContext<Step> self, List<String> log, ActorRef<Step> watched) {
        self.atEnd(_ -> log.add("hook"));
        self.timers().once(Duration.ofSeconds(1), note(log, "tick"));
        self.monitor(watched, _ -> note(log, "down"));
        self.trapExits(_ -> note(log, "trapped"));
        self.spin("child", Step.actor(child -> child.atEnd(_ -> log.add("child ended"))));
    }

    // ---------------------------------------------------------------- timers

    // @start region="timers"
    enum Event {
        CLICK,
        FLUSH,
        IDLE
    }

    static Behavior<Event> session(ActorContext<Event> self, Runnable flush) {
        Timers<Event> timers = self.timers();
        timers.fixedRate(Duration.ofSeconds(10), Event.FLUSH);
        timers.once("idle", Duration.ofMinutes(1), Event.IDLE);
        return event ->
                switch (event) {
                    case CLICK -> { // a new timer takes the place of the one of its name
                        timers.once("idle", Duration.ofMinutes(1), Event.IDLE);
                        yield Behavior.same();
                    }
                    case FLUSH -> {
                        flush.run();
                        yield Behavior.same();
                    }
                    case IDLE -> Behavior.stopped();
                };
    }

    // @end

    @Test
    void A6_aSessionEndsWhenItIsIdle() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Event> session =
                            world.spin(
                                    "session",
                                    Actor.handler(
                                            (ActorContext<Event> self) ->
                                                    session(self, () -> log.add("flush"))));
                    Fiber.sleep(Duration.ofSeconds(45));
                    session.tell(Event.CLICK);
                    assertFalse(session.awaitEnd(Duration.ofSeconds(59)));
                    assertTrue(session.awaitEnd(Duration.ofSeconds(2)));
                    assertEquals(10, log.size());
                });
    }

    // ---------------------------------------------------------------- others' ends

    /** The messages of a desk. */
    sealed interface Desk {}

    record Parsed(ExitReason reason) implements Desk {}

    record Gone(String name, ExitReason reason) implements Desk {}

    record Open(ActorRef<String> account) implements Desk {}

    static Behavior<Desk> desk(ActorContext<Desk> self, List<String> log, Actor<String> parser) {
        // @start region="children"
        ActorRef<String> child = self.spin("parser", parser, down -> new Parsed(down.reason()));
        child.tell("line");
        // @end
        return message -> {
            switch (message) {
                case Parsed(var reason) -> log.add("parsed " + reason);
                case Gone(var name, var reason) -> log.add(name + " " + reason);
                case Open(var account) -> {
                    // @start region="monitor"
                    Monitor monitor =
                            self.monitor(
                                    account, down -> new Gone(down.actor().name(), down.reason()));
                    // @end
                    assertEquals(account, monitor.actor());
                }
            }
            return Behavior.same();
        };
    }

    @Test
    void A4_aDeskHearsOfOthersEnds() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> account = world.spin("account", noting(World.log()));
                    ActorRef<Desk> desk =
                            world.spin(
                                    "desk",
                                    Actor.handler(
                                            (ActorContext<Desk> self) ->
                                                    desk(
                                                            self,
                                                            log,
                                                            Actor.handler(
                                                                    () ->
                                                                            _ ->
                                                                                    Behavior
                                                                                            .stopped()))));
                    world.until(() -> log.size() == 1);
                    desk.tell(new Open(account));
                    world.settle();
                    account.tell("crash"); // a restart is no end
                    account.stop();
                    world.until(() -> log.size() == 2);
                    desk.tell(new Open(account)); // of one that is over
                    world.until(() -> log.size() == 3);
                    assertEquals(
                            List.of("parsed Normal[]", "account Normal[]", "account NoActor[]"),
                            log);
                });
    }

    private sealed interface Work {}

    private record Lost(ActorRef<?> from, ExitReason reason) implements Work {}

    private static Actor<Work> worker(ActorRef<?> partner, List<String> log, boolean traps) {
        return Actor.handler(
                (ActorContext<Work> self) -> {
                    if (traps) {
                        // @start region="trap"
                        self.trapExits(exit -> new Lost(exit.from(), exit.reason()));
                        // @end
                    }
                    // @start region="links"
                    self.link(partner); // one fails, both fail
                    // @end
                    return work ->
                            switch (work) {
                                case Lost(var from, var reason) -> {
                                    log.add(from.name() + " " + reason);
                                    yield Behavior.same();
                                }
                            };
                });
    }

    /** The page's table of what an exit does to a linked actor. */
    @ParameterizedTest
    @CsvSource({
        "stop, false, goes on",
        "terminate, false, Shutdown",
        "fail, false, Failed",
        "kill, false, Killed",
        "over, false, NoActor",
        "stop, true, partner Normal",
        "terminate, true, partner Shutdown",
        "fail, true, partner Failed",
        "kill, true, partner Killed",
        "over, true, partner NoActor",
    })
    void A4_whatAnExitDoes(String how, boolean traps, String expected) {
        World.local(
                world -> {
                    List<String> log = World.log();
                    List<String> ends = World.log();
                    ActorRef<Step> partner =
                            world.spin("partner", Step.actor().restart(RestartRule.TEMPORARY));
                    world.settle();
                    if (how.equals("over")) {
                        partner.stop();
                        assertTrue(partner.awaitEnd(LONG));
                    }
                    ActorRef<Work> worker =
                            world.spin(
                                    "worker",
                                    worker(partner, log, traps).restart(RestartRule.TEMPORARY));
                    world.spin(
                            "watcher",
                            Step.actor(
                                    self ->
                                            self.monitor(
                                                    worker,
                                                    down -> note(ends, down.reason().toString()))));
                    if (!how.equals("over")) {
                        world.settle();
                        switch (how) {
                            case "stop" -> partner.stop();
                            case "terminate" -> partner.terminate();
                            case "kill" -> partner.kill();
                            default -> partner.tell(Step.crash("no"));
                        }
                    }
                    world.settle();
                    String seen = log.isEmpty() && ends.isEmpty() ? "goes on" : "" + log + ends;
                    assertTrue(seen.contains(expected), seen);
                    assertEquals(traps || how.equals("stop"), ends.isEmpty(), seen);
                });
    }

    // ---------------------------------------------------------------- the system

    @Test
    void A6_aSystemEndsWithGrace() {
        TestCord.run(
                () -> {
                    List<String> log = World.log();
                    ActorSystem system =
                            ActorSystem.start("bank", Supervision.oneForOne(), _ -> {});
                    ActorRef<Step> slow = system.spin("slow", Step.actor());
                    slow.tell(Step.of(_ -> Fiber.sleep(LONG)));
                    slow.tell(note(log, "never"));
                    // @start region="grace"
                    StopReport report = system.stop(Duration.ofSeconds(10));
                    for (StopReport.Left left : report.left()) {
                        log.add(left.actor().path() + ": " + left.mailbox().queued() + " left");
                    }
                    // @end
                    assertEquals(List.of("bank/slow: 1 left"), log);
                    assertFalse(report.isComplete());
                    system.close(); // no effect
                });
    }

    /** What the page says of an actor that tells itself the next message. */
    @Test
    void A6_graceEndsAnActorThatTellsItself() {
        World.local(
                world -> {
                    ActorRef<String> ref =
                            world.spin(
                                    "endless",
                                    Actor.handler(
                                            (ActorContext<String> self) ->
                                                    message -> {
                                                        Fiber.sleep(Duration.ofMillis(1));
                                                        self.self().tell(message);
                                                        return Behavior.same();
                                                    }));
                    ref.tell("again");
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertTrue(world.system.stop(Duration.ofSeconds(1)).isComplete());
                    assertEquals(List.of("endless ENDED again"), world.deadLetters());
                });
    }
}
