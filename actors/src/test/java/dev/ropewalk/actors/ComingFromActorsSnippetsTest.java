package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** The code of the guide's page for those who come from other actors, and what its tables say. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ComingFromActorsSnippetsTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static Step note(List<String> log, String what) {
        return Step.of(_ -> log.add(what));
    }

    // ---------------------------------------------------------------- from Erlang

    // @start region="server"
    sealed interface Counter {}

    record Get(Recipient<Integer> replyTo) implements Counter {} // handle_call

    record Add(int number) implements Counter {} // handle_cast

    record OwnerGone(ExitReason reason) implements Counter {} // handle_info

    static Actor<Counter> counter(ActorRef<?> owner, List<String> log) {
        return Actor.handler(
                (ActorContext<Counter> self) -> { // init
                    self.monitor(owner, down -> new OwnerGone(down.reason()));
                    self.atEnd(reason -> log.add("terminate: " + reason));
                    return counting(0);
                });
    }

    static Behavior<Counter> counting(int count) {
        return message ->
                switch (message) {
                    case Get(var replyTo) -> { // {reply, Count, Count}
                        replyTo.tell(count);
                        yield Behavior.same();
                    }
                    case Add(int number) -> counting(count + number); // {noreply, Count + Number}
                    case OwnerGone _ -> Behavior.stopped(); // {stop, normal, Count}
                };
    }

    // @end

    @Test
    void A1_aServerAsInErlang() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> owner = world.spin("owner", Step.actor());
                    ActorRef<Counter> counter = world.spin("counter", counter(owner, log));
                    counter.tell(new Add(40));
                    counter.tell(new Add(2));
                    assertEquals(42, counter.<Integer>ask(Get::new));
                    owner.stop();
                    assertTrue(counter.awaitEnd(LONG));
                    assertEquals(List.of("terminate: Normal[]"), log);
                });
    }

    /** A termination cannot be trapped, unlike exit(Pid, shutdown). */
    @Test
    void A4_aTerminationIsNotTrapped() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "ref",
                                    Step.actor(self -> self.trapExits(_ -> note(log, "trapped"))));
                    world.settle();
                    ref.terminate();
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of(), log);
                });
    }

    /** A message stays the sender's object: nothing is copied. */
    @Test
    void A3_aMessageIsNotCopied() {
        World.anywhere(
                world -> {
                    List<Object> log = World.log();
                    Object message = new Object();
                    ActorRef<Object> ref =
                            world.spin(
                                    "ref",
                                    Actor.handler(
                                            () ->
                                                    each -> {
                                                        log.add(each);
                                                        return Behavior.stopped();
                                                    }));
                    ref.tell(message);
                    assertTrue(ref.awaitEnd(LONG));
                    assertSame(message, log.getFirst());
                });
    }

    /** The failed message does not come again, and the others do, at the same address. */
    @Test
    void A5_aRestartKeepsTheAddressAndTheMailbox() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor(_ -> log.add("start")));
                    ref.tell(Step.crash("no"));
                    ref.tell(note(log, "next"));
                    world.until(() -> log.size() == 3);
                    assertEquals(List.of("start", "start", "next"), log);
                    assertEquals(ref, world.system.find("ref"));
                    assertEquals(1, world.letters.size());
                });
    }

    /** The default is transient: a normal end is an end. */
    @Test
    void A5_aNormalEndIsNotFollowedByARestart() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor(_ -> log.add("start")));
                    ref.tell(Step.stop());
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("start"), log);
                    assertNull(world.system.find("ref"));
                });
    }

    // ---------------------------------------------------------------- from Pekko

    sealed interface Store {}

    record Loaded(String data) implements Store {}

    record Read(Recipient<String> replyTo) implements Store {}

    // @start region="stash"
    static Actor<Store> store() {
        return Actor.loop(
                self -> {
                    Loaded loaded = self.receive(Loaded.class); // the others stay: no stash
                    while (true) {
                        switch (self.receive()) {
                            case Read(var replyTo) -> replyTo.tell(loaded.data());
                            case Loaded newer -> loaded = newer;
                        }
                    }
                });
    }

    // @end

    @Test
    void A1_aStoreWithoutAStash() {
        World.anywhere(
                world -> {
                    ActorRef<Store> store = world.spin("store", store());
                    Fiber<String> early = Fiber.spin("early", () -> store.<String>ask(Read::new));
                    world.settle();
                    store.tell(new Loaded("data"));
                    assertEquals("data", early.await());
                });
    }

    /** Each adapt makes one more address; a new one takes the place of none. */
    @Test
    void A2_adaptersOfOneTypeStandSideBySide() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<Recipient<Integer>> adapters = World.log();
                    world.spin(
                            "ref",
                            Step.actor(
                                    self -> {
                                        adapters.add(self.adapt(n -> note(log, "one " + n)));
                                        adapters.add(self.adapt(n -> note(log, "two " + n)));
                                    }));
                    world.until(() -> adapters.size() == 2);
                    adapters.get(0).tell(1);
                    adapters.get(1).tell(2);
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of("one 1", "two 2"), log);
                });
    }

    /** Restarts of all children count together, and are one in five seconds unless changed. */
    @Test
    void A5_theSecondFailureInFiveSecondsEndsTheSupervisor() {
        World.local(
                world -> {
                    Supervisor below =
                            world.system.supervise(
                                    "below", world.keepingFailures(Supervision.oneForOne()));
                    List<String> log = World.log();
                    ActorRef<Step> one = world.spin(below, "one", Step.actor(_ -> log.add("one")));
                    ActorRef<Step> two = world.spin(below, "two", Step.actor(_ -> log.add("two")));
                    world.settle();
                    one.tell(Step.crash("first"));
                    world.settle();
                    assertEquals(List.of("one"), log.subList(2, log.size()));
                    two.tell(Step.crash("second"));
                    world.settle();
                    assertTrue(
                            world.failures.getLast().contains("gives up on two"),
                            world.failures.toString());
                });
    }

    // ---------------------------------------------------------------- from Quasar

    private static Actor<String> asking(ActorRef<Counter> counter, List<String> log) {
        // @start region="loop"
        return Actor.loop(
                self -> {
                    String first = self.receive(); // doRun, without @Suspendable
                    String next = self.receive(Duration.ofSeconds(1)); // null when it is over
                    String urgent = self.receive(text -> text.startsWith("!"));
                    int count = counter.ask(Get::new); // RequestReplyHelper.call
                    log.add(first + " " + next + " " + urgent + " " + count);
                });
        // @end
    }

    @Test
    void A1_aLoopAsInQuasar() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> owner = world.spin("owner", Step.actor());
                    ActorRef<Counter> counter = world.spin("counter", counter(owner, log));
                    ActorRef<String> ref = world.spin("ref", asking(counter, log));
                    ref.tell("a");
                    Fiber.sleep(Duration.ofSeconds(2));
                    ref.tell("b");
                    ref.tell("!");
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("a null ! 0"), log);
                });
    }

    /** A look that does not wait longer than one turn. */
    @Test
    void A1_aReceiveThatDoesNotWait() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    long beganNs = Cord.current().nanoTime();
                    ActorRef<String> ref =
                            world.spin(
                                    "ref",
                                    Actor.loop(
                                            self -> {
                                                log.add("" + self.receive(Duration.ZERO));
                                                log.add(self.receive());
                                            }));
                    world.until(() -> log.size() == 1);
                    ref.tell("later");
                    assertTrue(ref.awaitEnd(LONG));
                    assertEquals(List.of("null", "later"), log);
                    assertTrue(Cord.current().nanoTime() - beganNs < 1_000_000);
                });
    }

    /** With an intensity of 0 each failure goes up; a transient child is no exception. */
    @Test
    void A5_anIntensityOfNothingEscalates() {
        World.anywhere(
                world -> {
                    List<String> starts = World.log();
                    Supervisor below =
                            world.system.supervise(
                                    "below",
                                    world.keepingFailures(
                                            Supervision.oneForOne()
                                                    .intensity(0, Duration.ofSeconds(1))));
                    ActorRef<Step> ref =
                            world.spin(
                                    below,
                                    "ref",
                                    Step.actor(_ -> starts.add("start"))
                                            .restart(RestartRule.TRANSIENT));
                    ref.tell(Step.crash("no"));
                    world.until(() -> starts.size() == 2); // by the supervisor above
                    assertEquals(2, world.failures.size());
                    assertTrue(
                            world.failures.getLast().contains("gives up on ref"),
                            world.failures.toString());
                });
    }

    /** An ask makes no link: what becomes of the asked actor later does not concern the asker. */
    @Test
    void A2_aTimedOutAskLeavesNoTie() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> server =
                            world.spin("server", Step.actor().restart(RestartRule.TEMPORARY));
                    ActorRef<Step> caller = world.spin("caller", Step.actor());
                    caller.tell(
                            Step.of(
                                    _ ->
                                            assertThrows(
                                                    AskTimeoutException.class,
                                                    () ->
                                                            server.<String>ask(
                                                                    _ -> Step.of(_ -> {}),
                                                                    Duration.ofSeconds(1)))));
                    Fiber.sleep(Duration.ofSeconds(2));
                    server.tell(Step.crash("later"));
                    assertTrue(server.awaitEnd(LONG));
                    caller.tell(note(log, "goes on"));
                    world.until(() -> log.size() == 1);
                    assertEquals(List.of("server: later"), world.failures);
                });
    }

    /** None takes the place of another. */
    @Test
    void A4_eachExitIsTold() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> one =
                            world.spin("one", Step.actor().restart(RestartRule.TEMPORARY));
                    ActorRef<Step> two =
                            world.spin("two", Step.actor().restart(RestartRule.TEMPORARY));
                    ActorRef<Step> ref =
                            world.spin(
                                    "ref",
                                    Step.actor(
                                            self -> {
                                                self.trapExits(
                                                        exit -> note(log, exit.from().name()));
                                                self.link(one);
                                                self.link(two);
                                            }));
                    world.settle();
                    one.tell(Step.crash("both"));
                    two.tell(Step.crash("both"));
                    world.until(() -> log.size() == 2);
                    assertEquals(List.of("one", "two"), log.stream().sorted().toList());
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                });
    }
}
