package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;

/** Rule A4: monitors. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class MonitorTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static Step noteDown(List<String> log, Down down) {
        return Step.of(_ -> log.add(down.actor().name() + " " + down.reason()));
    }

    /** An actor that monitors the other one and notes its ends. */
    private static ActorRef<Step> watcher(World world, ActorRef<?> watched, List<String> log) {
        ActorRef<Step> watcher =
                world.spin(
                        "watcher",
                        Step.actor(self -> self.monitor(watched, down -> noteDown(log, down))));
        world.settle();
        return watcher;
    }

    @Test
    void A4_eachReason() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> stops = world.spin("stops", Step.actor());
                    watcher(world, stops, log);
                    stops.stop();
                    ActorRef<Step> fails =
                            world.spin("fails", Step.actor().restart(RestartRule.TEMPORARY));
                    watcher(world, fails, log);
                    fails.tell(Step.crash("no"));
                    world.settle();
                    ActorRef<Step> killed =
                            world.spin("killed", Step.actor().restart(RestartRule.TEMPORARY));
                    watcher(world, killed, log);
                    killed.kill();
                    world.settle();
                    ActorRef<Step> terminated = world.spin("terminated", Step.loop(_ -> {}));
                    watcher(world, terminated, log);
                    terminated.terminate();
                    world.settle();
                    watcher(world, terminated, log);
                    assertEquals(
                            List.of(
                                    "stops Normal[]",
                                    "fails Failed[cause=dev.ropewalk.actors.testkit.Crash: no]",
                                    "killed Killed[]",
                                    "terminated Shutdown[why=it was terminated]",
                                    "terminated NoActor[]"),
                            log);
                });
    }

    /** A restart is no end of the actor, unless each incarnation is asked for. */
    @Test
    void A4_ofTheActorOrOfEachIncarnation() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<String> each = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    watcher(world, ref, log);
                    world.spin(
                            "each",
                            Step.actor(
                                    self -> self.monitorEach(ref, down -> noteDown(each, down))));
                    world.settle();
                    ref.tell(Step.crash("one"));
                    ref.tell(Step.crash("two"));
                    world.settle();
                    assertEquals(List.of(), log);
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("ref Normal[]"), log);
                    assertEquals(
                            List.of(
                                    "ref Failed[cause=dev.ropewalk.actors.testkit.Crash: one]",
                                    "ref Failed[cause=dev.ropewalk.actors.testkit.Crash: two]",
                                    "ref Normal[]"),
                            each);
                });
    }

    /** Rule A3: a result told before the end comes first, whatever the mailbox. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void A3_downComesAfterWhatTheActorToldBefore(boolean isBounded) {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> worker = world.spin("worker", Step.actor());
                    Actor<Step> watching =
                            Step.actor(self -> self.monitor(worker, down -> noteDown(log, down)));
                    ActorRef<Step> watcher =
                            world.spin(
                                    "watcher",
                                    isBounded
                                            ? watching.mailbox(
                                                    MailboxOptions.bounded(2)
                                                            .withOverflow(Overflow.SUSPEND))
                                            : watching);
                    world.settle();
                    worker.tell(
                            _ -> {
                                for (int i = 0; i < 5; i++) {
                                    int number = i;
                                    watcher.tell(Step.of(_ -> log.add("result " + number)));
                                }
                                return Behavior.stopped();
                            });
                    world.until(() -> log.size() == 6);
                    assertEquals("result 4", log.get(4));
                    assertEquals("worker Normal[]", log.get(5));
                });
    }

    /** DOWN finds a full mailbox: it needs no permit, and none drops it. */
    @ParameterizedTest
    @ValueSource(strings = {"SUSPEND", "FAIL", "DROP_NEW", "DROP_OLD"})
    void A3_noPolicyDropsIt(String overflow) {
        World.anywhere(
                world -> {
                    List<Fiber<?>> waiting = World.log();
                    List<String> log = World.log();
                    ActorRef<Step> worker = world.spin("worker", Step.actor());
                    ActorRef<Step> watcher =
                            world.spin(
                                    "watcher",
                                    Step.actor(
                                                    self ->
                                                            self.monitor(
                                                                    worker,
                                                                    down -> noteDown(log, down)))
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(
                                                                    Overflow.valueOf(overflow))));
                    world.settle();
                    watcher.tell(
                            Step.of(
                                    _ -> {
                                        waiting.add(Fiber.current());
                                        Fiber.suspend();
                                    }));
                    world.settle();
                    watcher.tell(Step.of(_ -> log.add("one")));
                    worker.stop();
                    world.settle();
                    assertEquals(2, watcher.mailbox().queued());
                    if (overflow.startsWith("DROP")) {
                        watcher.tell(Step.of(_ -> log.add("two")));
                        world.settle();
                        assertEquals(2, watcher.mailbox().queued());
                    }
                    world.on(
                            () -> {
                                waiting.getFirst().schedule(null);
                                return true;
                            });
                    world.settle();
                    assertEquals(
                            overflow.equals("DROP_OLD")
                                    ? List.of("worker Normal[]", "two")
                                    : List.of("one", "worker Normal[]"),
                            log);
                });
    }

    @Test
    void A4_aCancelledMonitorIsSilentThoughItsDownIsQueued() {
        World.anywhere(
                world -> {
                    List<Fiber<?>> waiting = World.log();
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    ActorRef<Step> watcher =
                            world.spin(
                                    "watcher",
                                    Step.actor(
                                            self -> {
                                                Monitor monitor =
                                                        self.monitor(
                                                                ref, down -> noteDown(log, down));
                                                assertEquals(ref, monitor.actor());
                                                self.self()
                                                        .tell(
                                                                Step.of(
                                                                        _ -> {
                                                                            waiting.add(
                                                                                    Fiber
                                                                                            .current());
                                                                            Fiber.suspend();
                                                                            monitor.cancel();
                                                                            monitor.cancel();
                                                                        }));
                                            }));
                    world.settle();
                    ref.stop();
                    world.settle();
                    assertEquals(1, watcher.mailbox().queued());
                    world.on(
                            () -> {
                                waiting.getFirst().schedule(null);
                                return true;
                            });
                    world.settle();
                    assertEquals(0, watcher.mailbox().queued());
                    assertEquals(List.of(), log);
                });
    }

    @Test
    void A4_severalMonitorsEachTell() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    watcher(world, ref, log);
                    watcher(world, ref, log);
                    world.spin(
                            "both",
                            Step.actor(
                                    self -> {
                                        self.monitor(ref, down -> noteDown(log, down));
                                        self.monitor(ref, down -> noteDown(log, down));
                                    }));
                    world.settle();
                    ref.stop();
                    world.settle();
                    assertEquals(4, log.size());
                });
    }

    @Test
    void A4_anActorThatNeverRan() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Step> ref =
                            world.spin(
                                    "ref",
                                    Step.actor(
                                            _ -> {
                                                throw new Crash("start");
                                            }));
                    watcher(world, ref, log);
                    assertEquals(1, log.size());
                });
    }

    @Test
    void A4_ofItselfIsAMistake() {
        World.anywhere(
                world -> {
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    List<String> log = World.log();
                    ref.tell(
                            Step.of(
                                    self ->
                                            log.add(
                                                    String.valueOf(
                                                            assertThrows(
                                                                            IllegalArgumentException
                                                                                    .class,
                                                                            () ->
                                                                                    self.monitor(
                                                                                            ref,
                                                                                            _ ->
                                                                                                    Step
                                                                                                            .stop()))
                                                                    .getMessage()))));
                    world.until(() -> log.size() == 1);
                    assertTrue(log.getFirst().startsWith("monitor of system/ref#"), log.toString());
                });
    }

    // ---------------------------------------------------------------- waiting for an end

    @Test
    void A4_awaitEnd() {
        World.anywhere(
                world -> {
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    assertFalse(ref.awaitEnd(Duration.ZERO));
                    ref.tell(Step.crash("restarted"));
                    assertFalse(ref.awaitEnd(Duration.ofMillis(1)));
                    ref.stop();
                    assertTrue(ref.awaitEnd(LONG));
                    assertTrue(ref.awaitEnd(LONG));
                    ActorRef<Step> other = world.spin("other", Step.actor());
                    List<String> log = World.log();
                    other.tell(
                            Step.of(
                                    _ ->
                                            log.add(
                                                    String.valueOf(
                                                            assertThrows(
                                                                            IllegalStateException
                                                                                    .class,
                                                                            () ->
                                                                                    other.awaitEnd(
                                                                                            Duration
                                                                                                    .ZERO))
                                                                    .getMessage()))));
                    world.until(() -> log.size() == 1);
                    assertEquals(
                            "other would wait for its own end", Errors.inShort(log.getFirst()));
                });
    }
}
