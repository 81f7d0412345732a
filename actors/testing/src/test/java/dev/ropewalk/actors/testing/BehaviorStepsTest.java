package dev.ropewalk.actors.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.behavior.Committing;
import dev.ropewalk.actors.testing.Effect.TimerKind;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A behavior that is run without an actor. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BehaviorStepsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ExitReason NORMAL = new ExitReason.Normal();
    private static final ExitReason KILLED = new ExitReason.Killed();

    /** A message that says itself what the behavior does. */
    @FunctionalInterface
    private interface Do {
        Behavior<Do> run(ActorContext<Do> self) throws Exception;
    }

    @FunctionalInterface
    private interface Code {
        void run(ActorContext<Do> self) throws Exception;
    }

    private record Text(String text) implements Do {
        @Override
        public Behavior<Do> run(ActorContext<Do> self) {
            return Behavior.same();
        }
    }

    private static Do same(Code code) {
        return self -> {
            code.run(self);
            return Behavior.same();
        };
    }

    private static Actor<Do> doer() {
        return Actor.handler((ActorContext<Do> self) -> what -> what.run(self));
    }

    private static BehaviorSteps<Do> steps() {
        return BehaviorSteps.of(doer());
    }

    private static Actor<String> worker() {
        return Actor.handler(() -> _ -> Behavior.same());
    }

    // ---------------------------------------------------------------- steps

    private static Behavior<Integer> adding(int sum, Recipient<Integer> sums) {
        return number -> {
            if (number < 0) {
                return Behavior.unhandled();
            }
            if (number == 0) {
                return Behavior.stopped();
            }
            sums.tell(sum + number);
            return adding(sum + number, sums);
        };
    }

    @Test
    void A1_eachStepGoesOnWithTheBehaviorOfTheLast() throws Exception {
        Probe<Integer> sums = Probe.named("sums");
        BehaviorSteps<Integer> steps = BehaviorSteps.of(Actor.handler(() -> adding(0, sums)));
        assertSame(steps.run(1), steps.behavior());
        Behavior<Integer> before = steps.behavior();
        assertSame(Behavior.<Integer>unhandled(), steps.run(-1));
        assertSame(before, steps.behavior());
        steps.run(2);
        sums.expect(1);
        sums.expect(3);
        assertFalse(steps.isOver());
        assertSame(Behavior.<Integer>stopped(), steps.run(0));
        assertEquals(NORMAL, steps.reason());
        IllegalStateException over = assertThrows(IllegalStateException.class, () -> steps.run(1));
        Errors.assertMentions(over, "steps/actor", "over", "Normal");
        sums.expectNone(Duration.ZERO);
    }

    @Test
    void A1_aFactoryThatStopsIsOver() {
        assertEquals(NORMAL, BehaviorSteps.of(Actor.<Do>handler(Behavior::stopped)).reason());
        for (Behavior<Do> sign : List.of(Behavior.<Do>same(), Behavior.<Do>unhandled())) {
            IllegalStateException refused =
                    assertThrows(
                            IllegalStateException.class,
                            () -> BehaviorSteps.of(Actor.handler(() -> sign)));
            Errors.assertMentions(refused, "the factory returned Behavior." + sign);
        }
    }

    @Test
    @SuppressWarnings("NullAway") // null is what this is about
    void nullIsRefused() {
        assertThrows(
                IllegalStateException.class,
                () -> BehaviorSteps.of(Actor.<Do>handler((ActorContext<Do> _) -> null)));
        BehaviorSteps<Do> steps = steps();
        IllegalStateException error =
                assertThrows(IllegalStateException.class, () -> steps.run(_ -> null));
        Errors.assertMentions(error, "the behavior returned null", "Behavior.same()");
        assertInstanceOf(ExitReason.Failed.class, steps.reason());
    }

    @Test
    void aLoopCannotBeRunStepByStep() {
        IllegalArgumentException refused =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> BehaviorSteps.of("looper", Actor.loop(_ -> {})));
        Errors.assertMentions(refused, "looper", "loop style", "Probe");
        BehaviorSteps<Do> steps = steps();
        assertThrows(IllegalStateException.class, () -> steps.run(same(ActorContext::receive)));
    }

    @Test
    void A2_askReturnsTheReply() throws Exception {
        BehaviorSteps<Recipient<String>> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                () ->
                                        replyTo -> {
                                            replyTo.tell("it");
                                            return Behavior.same();
                                        }));
        assertEquals("it", steps.<String>ask(replyTo -> replyTo));
        BehaviorSteps<Do> silent = steps();
        AssertionError error =
                assertThrows(
                        AssertionError.class, () -> silent.<String>ask(_ -> new Text("question")));
        Errors.assertMentions(error, "the asker of steps/actor", "no message");
    }

    @Test
    void A5_theAttemptIsWhatTheTestSays() throws Exception {
        List<Integer> attempts = new ArrayList<>();
        BehaviorSteps<Do> steps = steps();
        steps.run(same(self -> attempts.add(self.attempt())), 3);
        steps.run(same(self -> attempts.add(self.attempt())));
        assertEquals(List.of(3, 1), attempts);
    }

    // ---------------------------------------------------------------- effects

    @Test
    void effectsAreKeptInTheirOrder() throws Exception {
        BehaviorSteps<Do> steps = steps();
        Probe<String> out = steps.probe("out");
        Actor<String> worker = worker();
        steps.run(
                same(
                        self -> {
                            ActorRef<String> child = self.spin("child", worker);
                            child.tell("work");
                            out.tell("spun");
                            self.monitor(child, down -> new Text("" + down.reason()));
                            self.self().tell(new Text("again"));
                            child.stop();
                            out.fail(new IllegalStateException("x"));
                        }));
        Effect.Spun spun = steps.expectEffect(Effect.Spun.class);
        assertEquals("child", spun.name());
        assertSame(worker, spun.actor());
        steps.expectEffect(new Effect.Told(spun.ref(), "work"));
        steps.expectEffect(new Effect.Told(out.ref(), "spun"));
        steps.expectEffect(new Effect.Watched(spun.ref(), false));
        steps.expectEffect(new Effect.Told(steps.self(), new Text("again")));
        AssertionError error =
                assertThrows(AssertionError.class, () -> steps.expectEffect(Effect.Linked.class));
        Errors.assertMentions(error, "an effect of Linked", "Stopped", "ToldFailure");
        error = assertThrows(AssertionError.class, steps::expectNoEffects);
        Errors.assertMentions(error, "expected no effects", "Stopped");
        steps.expectEffect(new Effect.Stopped(spun.ref(), NORMAL));
        assertEquals(1, steps.effects().size());
        steps.expectNoEffects();
        error = assertThrows(AssertionError.class, () -> steps.expectEffect(Effect.Linked.class));
        Errors.assertMentions(error, "but there is none");

        assertEquals("work", steps.child("child").next());
        assertEquals(NORMAL, steps.child(spun.ref()).endReason());
        out.expect("spun");
        error = assertThrows(AssertionError.class, () -> steps.child("kid"));
        Errors.assertMentions(error, "no child kid", "[child]");
    }

    @Test
    void whatTheTestTellsIsNoEffect() throws Exception {
        BehaviorSteps<Do> steps = steps();
        Probe<String> out = steps.probe("out");
        out.tell("by the test");
        steps.self().tell(new Text("by the test"));
        steps.expectNoEffects();
        assertEquals(1, steps.runQueued());
    }

    @Test
    void theFactoryIsTheFirstStep() {
        BehaviorSteps<Do> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                (ActorContext<Do> self) -> {
                                    self.trapExits(exit -> new Text("" + exit));
                                    return what -> what.run(self);
                                }));
        steps.expectEffect(new Effect.TrappedExits());
        steps.expectNoEffects();
    }

    // ---------------------------------------------------------------- to itself

    @Test
    void whatItTellsItselfWaits() throws Exception {
        BehaviorSteps<Do> steps = steps();
        List<String> log = new ArrayList<>();
        steps.run(
                same(
                        self -> {
                            self.self().tell(same(_ -> log.add("first")));
                            self.self().tell(same(_ -> log.add("second")));
                            log.add("now");
                        }));
        assertEquals(List.of("now"), log);
        steps.runOne();
        assertEquals(List.of("now", "first"), log);
        assertEquals(1, steps.queued());
        assertEquals(1, steps.runQueued());
        assertEquals(List.of("now", "first", "second"), log);
        AssertionError error = assertThrows(AssertionError.class, steps::runOne);
        Errors.assertMentions(error, "none is queued");
    }

    /** What it tells is no effect of a message that fails. */
    @Test
    void A1_whatIsHeldIsAnEffectWhenTheMessageHasCompleted() throws Exception {
        BehaviorSteps<Do> steps = steps();
        Probe<String> out = steps.probe("out");
        List<Integer> before = new ArrayList<>();
        Code telling =
                self -> {
                    out.ref().tell("a");
                    assertEquals(TellResult.ACCEPTED, out.ref().tryTell("b"));
                    self.self().tell(new Text("again"));
                    out.ref().fail(new IllegalStateException("x"));
                    before.add(steps.effects().size());
                };
        steps.run(same(self -> held(self, telling)));
        assertEquals(List.of(0), before);
        steps.expectEffect(new Effect.Told(out.ref(), "a"));
        steps.expectEffect(new Effect.Told(out.ref(), "b"));
        steps.expectEffect(new Effect.Told(steps.self(), new Text("again")));
        steps.expectEffect(Effect.ToldFailure.class);
        steps.expectNoEffects();
        assertEquals(1, steps.queued());
        assertThrows(
                IllegalStateException.class,
                () ->
                        steps.run(
                                same(
                                        self -> {
                                            held(self, telling);
                                            throw new IllegalStateException("crash");
                                        })));
        steps.expectNoEffects();
    }

    private static void held(ActorContext<Do> self, Code code) throws Exception {
        Committing.of(self)
                .holding(
                        () -> {
                            code.run(self);
                            return true;
                        });
    }

    @Test
    void oneThatTellsItselfForEverIsTold() {
        BehaviorSteps<Integer> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                (ActorContext<Integer> self) ->
                                        n -> {
                                            self.self().tell(n + 1);
                                            return Behavior.same();
                                        }));
        steps.self().tell(0);
        AssertionError error = assertThrows(AssertionError.class, steps::runQueued);
        Errors.assertMentions(error, "told itself more than 100000 messages");
    }

    @Test
    void A4_aStopOfItsOwnComesInItsTurnAndATerminationAtOnce() throws Exception {
        BehaviorSteps<Do> stopped = steps();
        stopped.run(
                same(
                        self -> {
                            self.self().tell(new Text("before"));
                            self.self().stop();
                        }));
        assertFalse(stopped.isOver());
        assertEquals(2, stopped.runQueued());
        assertEquals(NORMAL, stopped.reason());

        BehaviorSteps<Do> terminated = steps();
        terminated.run(same(self -> self.self().terminate()));
        assertInstanceOf(ExitReason.Shutdown.class, terminated.reason());
        assertTrue(terminated.self().awaitEnd(Duration.ZERO));
    }

    @Test
    void A2_adaptedRepliesAndPipesQueue() throws Exception {
        BehaviorSteps<Do> steps = steps();
        List<String> log = new ArrayList<>();
        Probe<Recipient<Integer>> store = steps.probe("store");
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> failing = new CompletableFuture<>();
        steps.run(
                same(
                        self -> {
                            store.tell(
                                    self.adapt(
                                            n -> same(_ -> log.add("got " + n)),
                                            failure -> same(_ -> log.add("" + failure))));
                            self.pipe(stage, text -> same(_ -> log.add("piped " + text)));
                            self.pipe(failing, _ -> new Text("no"));
                        }));
        Recipient<Integer> replyTo = store.next();
        replyTo.tell(7);
        replyTo.fail(new IllegalStateException("none"));
        stage.complete("x");
        assertEquals(List.of(), log);
        assertEquals(3, steps.runQueued());
        assertEquals(List.of("got 7", "java.lang.IllegalStateException: none", "piped x"), log);
        IllegalStateException cause = new IllegalStateException("why");
        failing.completeExceptionally(cause);
        RuntimeException failed = assertThrows(RuntimeException.class, steps::runQueued);
        assertSame(cause, failed.getCause());
        assertTrue(steps.isOver());
    }

    // ---------------------------------------------------------------- timers

    @Test
    void A6_timersGoOffByHand() throws Exception {
        BehaviorSteps<Do> steps = steps();
        List<String> log = new ArrayList<>();
        Do tick = same(_ -> log.add("tick"));
        Do once = same(_ -> log.add("once"));
        steps.run(
                same(
                        self -> {
                            self.timers().fixedRate("tick", SECOND, tick);
                            self.timers().once(SECOND.multipliedBy(3), once);
                            self.timers().once("never", SECOND, new Text("never"));
                            assertTrue(self.timers().cancel("never"));
                        }));
        steps.expectEffect(new Effect.TimerSet("tick", TimerKind.FIXED_RATE, SECOND, tick));
        steps.effects();
        steps.fire("tick");
        assertEquals(List.of("tick"), log);
        log.clear();
        assertEquals(4, steps.pass(SECOND.multipliedBy(4)));
        assertEquals(List.of("tick", "once", "tick", "tick"), log);
        AssertionError error = assertThrows(AssertionError.class, () -> steps.fire("never"));
        Errors.assertMentions(error, "no timer never", "tick FIXED_RATE at PT5S");
        steps.fireNext();
        assertEquals(5, log.size());
        steps.run(same(self -> self.timers().cancelAll()));
        steps.expectEffect(new Effect.TimerCancelled("tick", tick));
        error = assertThrows(AssertionError.class, steps::fireNext);
        Errors.assertMentions(error, "expected an active timer");
        assertEquals(0, steps.pass(Duration.ofDays(1)));
    }

    @Test
    void A6_aFixedDelayCountsFromItsMessageAndANameIsTakenOver() throws Exception {
        BehaviorSteps<Do> steps = steps();
        List<String> log = new ArrayList<>();
        steps.run(
                same(
                        self -> {
                            self.timers().fixedDelay("t", SECOND, same(_ -> log.add("old")));
                            self.timers()
                                    .fixedDelay(
                                            "t", SECOND.multipliedBy(2), same(_ -> log.add("new")));
                        }));
        assertEquals(2, steps.pass(SECOND.multipliedBy(5)));
        assertEquals(List.of("new", "new"), log);
        assertThrows(
                IllegalArgumentException.class,
                () ->
                        steps.run(
                                same(
                                        self ->
                                                self.timers()
                                                        .fixedRate(Duration.ZERO, new Text("")))));
    }

    /** Once more each time, but a timer that its own message sets anew stays. */
    @Test
    void A6_aMessageMaySetItsOwnTimerAnew() throws Exception {
        BehaviorSteps<Integer> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                (ActorContext<Integer> self) -> {
                                    self.timers().once("t", SECOND, 1);
                                    return n -> {
                                        self.timers().once("t", SECOND, n + 1);
                                        return n == 3 ? Behavior.stopped() : Behavior.same();
                                    };
                                }));
        assertEquals(3, steps.pass(Duration.ofDays(1)));
        assertTrue(steps.isOver());
    }

    // ---------------------------------------------------------------- the ends of others

    @Test
    void A4_monitorsAreToldByHand() throws Exception {
        BehaviorSteps<Do> steps = steps();
        List<String> log = new ArrayList<>();
        Probe<String> other = Probe.named("other");
        steps.run(
                same(
                        self -> {
                            self.monitor(
                                    other.ref(),
                                    down -> same(_ -> log.add("down " + down.reason())));
                            self.monitorEach(
                                    other.ref(),
                                    down -> same(_ -> log.add("each " + down.reason())));
                        }));
        steps.incarnationDown(other.ref(), KILLED);
        assertEquals(List.of("each Killed[]"), log);
        steps.down(other.ref(), NORMAL);
        assertEquals(List.of("each Killed[]", "down Normal[]", "each Normal[]"), log);
        AssertionError error =
                assertThrows(AssertionError.class, () -> steps.down(other.ref(), NORMAL));
        Errors.assertMentions(error, "does not monitor", "other", "it monitors []");
        steps.effects();
        steps.run(same(self -> self.monitor(other.ref(), _ -> new Text("")).cancel()));
        steps.expectEffect(new Effect.Watched(other.ref(), false));
        steps.expectEffect(new Effect.Unwatched(other.ref()));
        assertThrows(AssertionError.class, () -> steps.down(other.ref(), NORMAL));
    }

    /** They are of the incarnation, and not of the state. */
    @Test
    void A4_aFailureEndsTheLinksOfAStateThatIsKept() throws Exception {
        Probe<String> other = Probe.named("other");
        BehaviorSteps<Do> steps = BehaviorSteps.of(doer().keepState());
        steps.run(same(self -> self.link(other.ref())));
        assertThrows(
                IllegalStateException.class,
                () ->
                        steps.run(
                                same(
                                        _ -> {
                                            throw new IllegalStateException("x");
                                        })));
        steps.restart();
        AssertionError error =
                assertThrows(AssertionError.class, () -> steps.exit(other.ref(), KILLED));
        Errors.assertMentions(error, "not linked", "other");
        steps.run(same(self -> self.link(other.ref())));
        Probe<String> third = Probe.named("third");
        steps.run(same(self -> self.link(third.ref())));
        steps.exit(third.ref(), KILLED);
        steps.restart();
        assertThrows(AssertionError.class, () -> steps.exit(other.ref(), KILLED));
    }

    @Test
    void A4_anExitOfALinkEndsItUnlessItIsTrapped() throws Exception {
        Probe<String> other = Probe.named("other");
        BehaviorSteps<Do> linked = steps();
        linked.run(same(self -> self.link(other.ref())));
        linked.expectEffect(new Effect.Linked(other.ref()));
        linked.exit(other.ref(), NORMAL);
        assertFalse(linked.isOver());
        AssertionError error =
                assertThrows(AssertionError.class, () -> linked.exit(other.ref(), KILLED));
        Errors.assertMentions(error, "not linked", "other");
        linked.run(same(self -> self.link(other.ref())));
        linked.exit(other.ref(), KILLED);
        assertEquals(KILLED, linked.reason());

        BehaviorSteps<Do> trapping = steps();
        List<String> log = new ArrayList<>();
        trapping.run(
                same(
                        self -> {
                            self.trapExits(exit -> same(_ -> log.add("" + exit.reason())));
                            self.link(other.ref());
                        }));
        trapping.exit(other.ref(), KILLED);
        assertEquals(List.of("Killed[]"), log);
        assertFalse(trapping.isOver());
        trapping.run(
                same(
                        self -> {
                            self.link(other.ref());
                            self.unlink(other.ref());
                        }));
        assertThrows(AssertionError.class, () -> trapping.exit(other.ref(), KILLED));
    }

    // ---------------------------------------------------------------- its own end

    @Test
    void A4_hooksRunAtTheEndTheLastFirst() throws Exception {
        BehaviorSteps<Do> steps = steps();
        List<String> log = new ArrayList<>();
        steps.run(
                same(
                        self -> {
                            self.atEnd(reason -> log.add("first " + reason));
                            self.owns(() -> log.add("closed"));
                        }));
        steps.end(KILLED);
        assertEquals(List.of("closed", "first Killed[]"), log);
        steps.end(KILLED);
        assertEquals(2, log.size());
    }

    @Test
    void A4_aFailedHookIsTold() throws Exception {
        BehaviorSteps<Do> orderly = steps();
        IllegalStateException inHook = new IllegalStateException("in the hook");
        Code withHook =
                self ->
                        self.atEnd(
                                _ -> {
                                    throw inHook;
                                });
        orderly.run(same(withHook));
        AssertionError error = assertThrows(AssertionError.class, () -> orderly.end(NORMAL));
        assertSame(inHook, error.getCause());

        BehaviorSteps<Do> failing = steps();
        failing.run(same(withHook));
        Exception thrown = new Exception("in the message");
        assertSame(
                thrown,
                assertThrows(
                        Exception.class,
                        () ->
                                failing.run(
                                        _ -> {
                                            throw thrown;
                                        })));
        assertEquals(List.of(inHook), List.of(thrown.getSuppressed()));
    }

    @Test
    void A5_aRestartBeginsFromTheFactory() throws Exception {
        List<String> log = new ArrayList<>();
        BehaviorSteps<Integer> steps = BehaviorSteps.of(counting(log));
        steps.run(1);
        assertThrows(ArithmeticException.class, () -> steps.run(0));
        assertEquals(List.of("start", "sum 1", "end"), log);
        steps.restart();
        steps.run(5);
        assertEquals(List.of("start", "sum 1", "end", "start", "sum 5"), log);
        assertThrows(AssertionError.class, () -> steps.fire("t")); // died with its incarnation
    }

    @Test
    void A5_aRestartThatKeepsStateGoesOn() throws Exception {
        List<String> log = new ArrayList<>();
        BehaviorSteps<Integer> steps = BehaviorSteps.of(counting(log).keepState());
        steps.run(1);
        steps.run(2);
        assertThrows(ArithmeticException.class, () -> steps.run(0));
        steps.restart();
        steps.run(5);
        steps.fire("t");
        assertEquals(List.of("start", "sum 1", "sum 3", "sum 8", "sum 18"), log);
        assertThrows(ArithmeticException.class, () -> steps.run(0));
        steps.end(NORMAL); // given up
        assertEquals("end", log.getLast());
        assertInstanceOf(ExitReason.Failed.class, steps.reason());
        IllegalStateException error = assertThrows(IllegalStateException.class, steps::restart);
        Errors.assertMentions(error, "did not fail");
    }

    private static Actor<Integer> counting(List<String> log) {
        return Actor.handler(
                (ActorContext<Integer> self) -> {
                    log.add("start");
                    self.atEnd(_ -> log.add("end"));
                    return counting(log, 0, self);
                });
    }

    private static Behavior<Integer> counting(
            List<String> log, int sum, ActorContext<Integer> self) {
        return number -> {
            if (100 / number == 100) {
                self.timers().once("t", SECOND, 10);
            }
            int next = sum + number;
            log.add("sum " + next);
            return counting(log, next, self);
        };
    }

    @Test
    void whatNeedsASystemSaysSo() {
        BehaviorSteps<Do> steps = steps();
        UnsupportedOperationException refused =
                assertThrows(
                        UnsupportedOperationException.class,
                        () -> steps.run(same(ActorContext::children)));
        Errors.assertMentions(refused, "no supervisor", "ActorSystem");
    }

    /** A behavior may ask and sleep, where a fiber runs the steps. */
    @Test
    void F14_aBehaviorThatWaitsRunsOnVirtualTime() {
        TestCord.run(
                () -> {
                    BehaviorSteps<Do> steps = steps();
                    Probe<Recipient<String>> store = steps.probe("store");
                    store.answer(replyTo -> replyTo.tell("it"));
                    List<String> log = new ArrayList<>();
                    steps.run(
                            same(
                                    _ -> {
                                        Fiber.sleep(Duration.ofDays(1));
                                        log.add(store.ref().<String>ask(replyTo -> replyTo));
                                    }));
                    assertEquals(List.of("it"), log);
                });
    }

    // ---------------------------------------------------------------- waits, and where it runs

    /** The time of the steps goes on, not that of the caller. */
    @Test
    void F14_aBehaviorSleepsOnTheTimeOfItsSteps() throws Exception {
        BehaviorSteps<Do> steps = steps();
        List<String> log = new ArrayList<>();
        steps.run(
                same(
                        self -> {
                            self.timers().once(SECOND, same(_ -> log.add("timer")));
                            Fiber.sleep(Duration.ofDays(1));
                            log.add("slept");
                        }));
        assertEquals(List.of("slept"), log, "a step is one message");
        assertEquals(1, steps.pass(Duration.ZERO), "it has gone off meanwhile");
        assertEquals(List.of("slept", "timer"), log);
        TestCord.run(
                () -> {
                    long beganNs = Cord.current().nanoTime();
                    BehaviorSteps<Do> inside = steps();
                    inside.run(same(_ -> Fiber.sleep(Duration.ofDays(1))));
                    assertEquals(beganNs, Cord.current().nanoTime());
                });
    }

    @Test
    void F14_aWaitThatNothingEndsIsAnError() throws Exception {
        BehaviorSteps<Do> steps = BehaviorSteps.of(doer().keepState());
        Probe<Recipient<String>> silent = steps.probe("silent");
        Do asks = same(_ -> silent.ref().<String>ask(replyTo -> replyTo, Waits.FOREVER));
        Errors.assertMentions(
                assertThrows(DeadlockException.class, () -> steps.run(asks)),
                "steps/actor#1 waits for the reply of",
                "let a probe answer it");
        steps.restart();
        steps.run(same(self -> self.timers().fixedRate("tick", SECOND, new Text("tick"))));
        assertThrows(DeadlockException.class, () -> steps.run(asks), "ticks are no way out");
        steps.restart();
        Do limited = same(_ -> silent.ref().<String>ask(replyTo -> replyTo, SECOND));
        assertThrows(AskTimeoutException.class, () -> steps.run(limited));
    }

    @Test
    void F14_anEndHookMayWait() throws Exception {
        BehaviorSteps<Do> steps = BehaviorSteps.of(doer().keepState());
        List<String> log = new ArrayList<>();
        steps.run(
                same(
                        self ->
                                self.atEnd(
                                        _ -> {
                                            Fiber.sleep(SECOND);
                                            log.add("hook");
                                        })));
        assertThrows(
                IllegalStateException.class,
                () ->
                        steps.run(
                                same(
                                        _ -> {
                                            throw new IllegalStateException("x");
                                        })));
        assertEquals(List.of(), log, "its state is kept");
        steps.end(NORMAL);
        assertEquals(List.of("hook"), log);
        assertTrue(steps.self().awaitEnd(Duration.ZERO));
    }

    /** The caller may be anything: a monitor that it holds is no matter of the behavior's. */
    @Test
    void anyThreadMakesSteps() throws InterruptedException {
        List<Boolean> done = Collections.synchronizedList(new ArrayList<>());
        Runnable stepping =
                () -> {
                    synchronized (new Object()) {
                        BehaviorSteps<Do> steps = steps();
                        try {
                            steps.run(same(_ -> Fiber.sleep(SECOND)));
                        } catch (Exception failed) {
                            throw new IllegalStateException(failed);
                        }
                        done.add(steps.isOver());
                    }
                };
        stepping.run();
        Thread.ofVirtual().start(stepping).join();
        TestCord.run(1, false, stepping::run);
        assertEquals(List.of(false, false, false), done);
    }

    @Test
    void misuse_aStepInsideAStep() throws Exception {
        BehaviorSteps<Do> steps = steps();
        Errors.assertMentions(
                assertThrows(
                        IllegalStateException.class,
                        () -> steps.run(same(_ -> steps.run(new Text("inside"))))),
                "is being driven by another call");
    }

    @Test
    void misuse_aTryBelowTheFirst() {
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> steps().run(new Text("x"), 0)),
                "tries=0");
    }

    /** Which of them comes first is what the steps are about, so their rules do not count. */
    @Test
    void rulesAndMailboxHaveNoEffect() throws Exception {
        Actor<Do> actor =
                doer().restart(RestartRule.TEMPORARY)
                        .onFailure(FailedMessage.retry(3))
                        .mailbox(MailboxOptions.bounded(1))
                        .byPriority(_ -> 1)
                        .keepState();
        BehaviorSteps<Do> steps = BehaviorSteps.of(actor);
        steps.self().tell(new Text("a"));
        steps.self().tell(new Text("b"));
        assertThrows(
                IllegalStateException.class,
                () ->
                        steps.run(
                                same(
                                        _ -> {
                                            throw new IllegalStateException("x");
                                        })));
        steps.restart();
        assertEquals(2, steps.queued(), "it is not tried again");
    }

    /** Faults and traces are put around what is run step by step, too. */
    @Test
    void A5_faultsInSteps() throws Exception {
        Trace trace = new Trace();
        Actor<Do> actor =
                trace.around(Faults.none().drop("lost"::equals).crashOn(3).around(doer()));
        BehaviorSteps<Do> steps = BehaviorSteps.of(actor);
        List<String> log = new ArrayList<>();
        steps.run(same(_ -> log.add("1")));
        steps.run(same(_ -> log.add("2")));
        assertThrows(InjectedCrashException.class, () -> steps.run(same(_ -> log.add("3"))));
        assertEquals(List.of("1", "2"), log);
        steps.restart();
        steps.run(same(_ -> log.add("4")));
        assertEquals(List.of("1", "2", "4"), log);
        assertEquals(8, trace.count(), trace.lines()::toString);
    }
}
