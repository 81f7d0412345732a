package dev.ropewalk.actors.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testing.Effect.TimerKind;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rule A1: a state machine that is run without an actor. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BehaviorStepsStatesTest {
    /** They are taken back, so there is room for others. */
    @Test
    void A1_cancelledTimeoutsThatArePostponedDoNotCount() throws Exception {
        BehaviorSteps<String> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                (ActorContext<String> self) ->
                                        Behavior.state("busy", message -> busy(self, message))));
        steps.run("set");
        steps.pass(Duration.ofSeconds(2));
        steps.run("cancel");
        steps.run("one more");
        assertEquals(List.of("tick", "one more"), steps.postponed());
    }

    private static Behavior<String> busy(ActorContext<String> self, String message) {
        for (int i = 0; i < 1_000; i++) {
            if (message.equals("set")) {
                self.timers().once("t" + i, Duration.ofSeconds(1), "tick");
            } else if (message.equals("cancel") && i > 0) {
                self.timers().cancel("t" + i);
            }
        }
        if (message.equals("tick") || message.equals("one more")) {
            self.postpone();
        }
        return Behavior.same();
    }

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ExitReason KILLED = new ExitReason.Killed();

    /** What the machine does with a message; it keeps its state where the code gives null. */
    @FunctionalInterface
    private interface Code {
        @Nullable Behavior<String> run(ActorContext<String> self, String message) throws Exception;
    }

    private final List<String> log = new ArrayList<>();

    private Behavior<String> state(ActorContext<String> self, String name, Code code) {
        return Behavior.state(
                name,
                from -> {
                    log.add("enter " + name + " from " + from);
                    return Behavior.same();
                },
                message -> {
                    log.add(name + ":" + message);
                    Behavior<String> next = code.run(self, message);
                    return next == null ? Behavior.same() : next;
                });
    }

    private Behavior<String> open(ActorContext<String> self) {
        return state(self, "open", (_, message) -> message.equals("close") ? shut(self) : null);
    }

    /** Postpones all but what opens it. */
    private Behavior<String> shut(ActorContext<String> self) {
        return state(
                self,
                "shut",
                (_, message) -> {
                    if (message.equals("open")) {
                        self.insert("i1");
                        self.insert("i2");
                        return open(self);
                    }
                    self.postpone();
                    return null;
                });
    }

    private BehaviorSteps<String> door() {
        return BehaviorSteps.of("door", Actor.handler(this::shut));
    }

    private BehaviorSteps<String> of(Code code) {
        return BehaviorSteps.of(
                "m", Actor.handler((ActorContext<String> self) -> state(self, "a", code)));
    }

    private List<String> taken() {
        List<String> all = List.copyOf(log);
        log.clear();
        return all;
    }

    // ---------------------------------------------------------------- postponed and inserted

    @Test
    void A1_aChangeBringsBackWhatWasPostponed() throws Exception {
        BehaviorSteps<String> door = door();
        assertEquals("shut", door.state());
        door.run("p1");
        door.run("p2");
        assertEquals(List.of("p1", "p2"), door.postponed());
        assertEquals(0, door.queued());
        door.expectEffect(new Effect.Postponed("p1"));
        door.expectEffect(new Effect.Postponed("p2"));
        door.expectNoEffects();
        door.self().tell("told");
        assertEquals(3, door.self().mailbox().queued());
        door.run("open");
        assertEquals("open", door.state());
        door.expectEffect(new Effect.Inserted("i1"));
        door.expectEffect(new Effect.Inserted("i2"));
        assertEquals(List.of(), door.postponed());
        assertEquals(5, door.queued());
        taken();
        door.runOne();
        assertEquals(List.of("open:i1"), taken());
        assertEquals(4, door.runQueued());
        assertEquals(List.of("open:i2", "open:p1", "open:p2", "open:told"), taken());
        door.expectNoEffects();
    }

    @Test
    void A1_aPostponedAskIsNotAnswered() throws Exception {
        BehaviorSteps<Recipient<String>> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                (ActorContext<Recipient<String>> self) ->
                                        Behavior.state(
                                                "a",
                                                replyTo -> {
                                                    if (self.attempt() == 1) {
                                                        self.postpone();
                                                    }
                                                    return Behavior.same();
                                                })));
        assertThrows(AssertionError.class, () -> steps.<String>ask(replyTo -> replyTo));
        assertEquals(1, steps.postponed().size());
    }

    @Test
    void A1_aBehaviorWithoutANameHasNoState() throws Exception {
        BehaviorSteps<String> steps = of((_, _) -> _ -> Behavior.stopped());
        steps.run("x");
        assertNull(steps.state());
        steps.run("y");
        assertTrue(steps.isOver());
        assertNull(steps.state());
    }

    // ---------------------------------------------------------------- timeouts

    @Test
    void A1_aChangeCancelsTheStateTimeoutOnly() throws Exception {
        BehaviorSteps<String> steps =
                of(
                        (self, message) -> {
                            if (message.equals("set")) {
                                self.stateTimeout(SECOND, "state");
                                self.timers().once("named", SECOND.multipliedBy(2), "named");
                                return null;
                            }
                            return message.equals("go") ? state(self, "b", (_, _) -> null) : null;
                        });
        steps.run("set");
        steps.expectEffect(
                new Effect.TimerSet("named", TimerKind.ONCE, SECOND.multipliedBy(2), "named"));
        steps.expectEffect(new Effect.TimerSet(null, TimerKind.STATE, SECOND, "state"));
        steps.run("go");
        steps.expectEffect(new Effect.TimerCancelled(null, "state"));
        steps.expectNoEffects();
        taken();
        assertEquals(1, steps.pass(SECOND.multipliedBy(5)));
        assertEquals(List.of("b:named"), taken());
    }

    @Test
    void A1_theStateTimeoutIsSetAnewAndCancelled() throws Exception {
        BehaviorSteps<String> steps =
                of(
                        (self, message) -> {
                            switch (message) {
                                case "set" -> self.stateTimeout(SECOND, "first");
                                case "anew" -> self.stateTimeout(SECOND.multipliedBy(3), "second");
                                case "cancel" -> self.cancelStateTimeout();
                                default -> {}
                            }
                            return null;
                        });
        steps.run("set");
        steps.run("anew");
        steps.expectEffect(new Effect.TimerSet(null, TimerKind.STATE, SECOND, "first"));
        steps.expectEffect(new Effect.TimerCancelled(null, "first"));
        steps.expectEffect(
                new Effect.TimerSet(null, TimerKind.STATE, SECOND.multipliedBy(3), "second"));
        steps.run("cancel");
        steps.expectEffect(new Effect.TimerCancelled(null, "second"));
        steps.run("cancel");
        steps.expectNoEffects();
        assertThrows(AssertionError.class, steps::fireNext);
    }

    /** It has come, so to leave the state by it cancels nothing. */
    @Test
    void A1_aTimeoutThatGoesOffIsNotCancelled() throws Exception {
        BehaviorSteps<String> steps =
                of(
                        (self, message) ->
                                switch (message) {
                                    case "set" -> {
                                        self.stateTimeout(SECOND, "timeout");
                                        self.idleTimeout(SECOND.multipliedBy(2), "idle");
                                        yield null;
                                    }
                                    case "timeout" -> state(self, "b", (_, _) -> null);
                                    default -> null;
                                });
        steps.run("set");
        steps.effects();
        steps.fireNext();
        assertEquals("b", steps.state());
        steps.expectEffect(new Effect.TimerCancelled(null, "idle"));
        steps.expectNoEffects();
        assertThrows(AssertionError.class, steps::fireNext);
    }

    @Test
    void A1_anyMessageCancelsTheIdleTimeout() throws Exception {
        BehaviorSteps<String> steps =
                of(
                        (self, message) -> {
                            if (message.startsWith("set")) {
                                self.idleTimeout(SECOND, "idle");
                            }
                            if (message.equals("set, told")) {
                                self.self().tell("told");
                            }
                            if (message.equals("set, inserted")) {
                                self.insert("inserted");
                            }
                            return null;
                        });
        steps.run("set");
        steps.expectEffect(new Effect.TimerSet(null, TimerKind.IDLE, SECOND, "idle"));
        steps.run("other");
        steps.expectEffect(new Effect.TimerCancelled(null, "idle"));
        for (String set : List.of("set, told", "set, inserted")) {
            steps.run(set);
            steps.runQueued();
            assertEquals(0, steps.pass(SECOND.multipliedBy(2)), set);
        }
        steps.effects();
        steps.run("set");
        assertEquals(1, steps.pass(SECOND));
        steps.expectEffect(new Effect.TimerSet(null, TimerKind.IDLE, SECOND, "idle"));
        steps.expectNoEffects();
    }

    /** As with an actor: a timer's message that waits stays that timer's. */
    @Test
    void A1_aPostponedTimerIsCancelled() throws Exception {
        BehaviorSteps<String> steps =
                of(
                        (self, message) ->
                                switch (message) {
                                    case "set" -> {
                                        self.timers().once("kept", SECOND, "kept");
                                        self.timers().once("gone", SECOND, "gone");
                                        self.timers().fixedRate("tick", SECOND, "tick");
                                        yield null;
                                    }
                                    case "go" -> {
                                        assertTrue(self.timers().isActive("kept"));
                                        assertTrue(self.timers().cancel("gone"));
                                        yield state(self, "b", (_, _) -> null);
                                    }
                                    default -> {
                                        self.postpone();
                                        yield null;
                                    }
                                });
        steps.run("set");
        assertEquals(3, steps.pass(SECOND.multipliedBy(4)), "of each timer one is pending");
        assertEquals(List.of("kept", "gone", "tick"), steps.postponed());
        Errors.assertMentions(
                assertThrows(AssertionError.class, () -> steps.fire("tick")), "tick", "postponed");
        steps.run("go");
        assertEquals(2, steps.queued());
        taken();
        steps.runQueued();
        assertEquals(List.of("b:kept", "b:tick"), taken());
        assertEquals(1, steps.pass(SECOND));
        assertEquals(List.of("b:tick"), taken());
    }

    /** The change ends it, as if it had not come yet. */
    @Test
    void A1_aPostponedStateTimeoutEndsWithItsState() throws Exception {
        BehaviorSteps<String> steps =
                of(
                        (self, message) ->
                                switch (message) {
                                    case "set" -> {
                                        self.stateTimeout(SECOND, "timeout");
                                        yield null;
                                    }
                                    case "timeout" -> {
                                        self.postpone();
                                        yield null;
                                    }
                                    default -> state(self, "b", (_, _) -> null);
                                });
        steps.run("set");
        steps.fireNext();
        assertEquals(List.of("timeout"), steps.postponed());
        steps.effects();
        steps.run("go");
        steps.expectEffect(new Effect.TimerCancelled(null, "timeout"));
        assertEquals(0, steps.runQueued());
    }

    // ---------------------------------------------------------------- ends of others

    @Test
    void A4_aPostponedDownIsTakenBackWithItsMonitor() throws Exception {
        BehaviorSteps<Object> steps =
                BehaviorSteps.of(
                        Actor.handler(
                                (ActorContext<Object> self) -> Behavior.state("a", of(self))));
        Probe<String> kept = steps.probe("kept");
        Probe<String> gone = steps.probe("gone");
        steps.run(kept.ref());
        steps.run(gone.ref());
        steps.down(kept.ref(), KILLED);
        steps.down(gone.ref(), KILLED);
        assertEquals(2, steps.postponed().size());
        steps.effects();
        steps.run("go");
        steps.expectEffect(new Effect.Unwatched(gone.ref()));
        assertEquals(1, steps.runQueued());
        assertEquals(List.of("down of kept"), taken());
    }

    /** Monitors and links what it is told, postpones how that ends, and cancels what is gone. */
    private Behavior<Object> of(ActorContext<Object> self) {
        List<Monitor> monitors = new ArrayList<>();
        List<ActorRef<?>> links = new ArrayList<>();
        self.trapExits(exit -> "exit of " + exit.from().name());
        return message -> {
            if (message instanceof ActorRef<?> other) {
                monitors.add(self.monitor(other, down -> "down of " + down.actor().name()));
                self.link(other);
                links.add(other);
            } else if (message.equals("go")) {
                monitors.getLast().cancel();
                self.unlink(links.getLast());
                return Behavior.state(
                        "b",
                        later -> {
                            log.add(later.toString());
                            return Behavior.same();
                        });
            } else {
                self.postpone();
            }
            return Behavior.same();
        };
    }

    @Test
    void A4_aPostponedExitIsTakenBackWithItsLink() throws Exception {
        for (boolean fails : new boolean[] {false, true}) {
            BehaviorSteps<Object> steps =
                    BehaviorSteps.of(
                            Actor.handler(
                                    (ActorContext<Object> self) -> Behavior.state("a", of(self))));
            Probe<String> kept = steps.probe("kept");
            Probe<String> gone = steps.probe("gone");
            steps.run(kept.ref());
            steps.run(gone.ref());
            steps.exit(kept.ref(), KILLED);
            steps.exit(gone.ref(), KILLED);
            assertEquals(2, steps.postponed().size());
            if (fails) {
                steps.self().kill();
                steps.restart();
                assertEquals(0, steps.runQueued(), "links end with their incarnation");
            } else {
                steps.run("go");
                assertEquals(1, steps.runQueued());
                assertEquals(List.of("exit of kept"), taken());
            }
        }
    }

    // ---------------------------------------------------------------- failures

    private Behavior<String> failing(ActorContext<String> self) {
        return state(
                self,
                "a",
                (_, message) -> {
                    switch (message) {
                        case "set" -> {
                            self.stateTimeout(SECOND, "fail");
                            self.timers().once("fail", SECOND.multipliedBy(2), "fail");
                        }
                        case "fail" -> {
                            self.insert("never");
                            throw new IllegalStateException("told to");
                        }
                        default -> self.postpone();
                    }
                    return null;
                });
    }

    @Test
    void A5_aFreshStateTakesWhatWasPostponed() throws Exception {
        BehaviorSteps<String> steps = BehaviorSteps.of(Actor.handler(this::failing));
        steps.run("set");
        steps.run("later");
        assertThrows(IllegalStateException.class, () -> steps.run("fail"));
        steps.restart();
        assertEquals(1, steps.queued());
        taken();
        assertEquals(1, steps.runQueued());
        assertEquals(List.of("a:later"), taken());
        assertEquals(0, steps.pass(SECOND.multipliedBy(5)));
    }

    /** A timer that fails has gone off all the same. */
    @Test
    void A5_aKeptStateGoesOn() throws Exception {
        BehaviorSteps<String> steps = BehaviorSteps.of(Actor.handler(this::failing).keepState());
        steps.run("set");
        steps.run("later");
        for (int i = 0; i < 2; i++) {
            assertThrows(IllegalStateException.class, steps::fireNext);
            steps.restart();
            assertEquals("a", steps.state());
            assertEquals(List.of("later"), steps.postponed());
            assertEquals(0, steps.queued());
        }
        assertThrows(AssertionError.class, steps::fireNext);
        assertEquals(List.of("enter a from null", "a:set", "a:later", "a:fail", "a:fail"), taken());
    }

    @Test
    void A5_aFirstEntryThatFails() {
        Actor<String> actor =
                Actor.handler(
                        () ->
                                Behavior.state(
                                        "a",
                                        _ -> {
                                            throw new Exception("no entry");
                                        },
                                        _ -> Behavior.same()));
        IllegalStateException failed =
                assertThrows(IllegalStateException.class, () -> BehaviorSteps.of(actor));
        Errors.assertMentions(failed, "the entry of the first state failed");
        Errors.assertMentions(Objects.requireNonNull(failed.getCause()), "no entry");
    }

    // ---------------------------------------------------------------- wrong use

    /** The calls that need a message in hand. */
    private static List<Runnable> calls(ActorContext<String> self) {
        return List.of(
                self::postpone,
                () -> self.insert("x"),
                () -> self.stateTimeout(SECOND, "x"),
                self::cancelStateTimeout,
                () -> self.idleTimeout(SECOND, "x"));
    }

    private void assertOutsideAMessage(ActorContext<String> self) {
        assertRefused(self, "outside a message");
    }

    private void assertRefused(ActorContext<String> self, String why) {
        for (Runnable call : calls(self)) {
            Errors.assertMentions(
                    assertThrows(IllegalStateException.class, call::run), "of steps/m", why);
        }
    }

    @Test
    void misuse_outsideAMessage() throws Exception {
        List<ActorContext<String>> contexts = new ArrayList<>();
        BehaviorSteps<String> steps =
                BehaviorSteps.of(
                        "m",
                        Actor.handler(
                                (ActorContext<String> self) -> {
                                    contexts.add(self);
                                    assertOutsideAMessage(self);
                                    self.atEnd(_ -> assertOutsideAMessage(self));
                                    return state(
                                            self,
                                            "a",
                                            (_, _) -> {
                                                throw new IllegalStateException("told to");
                                            });
                                }));
        assertRefused(contexts.getFirst(), "only the actor's own fiber");
        IllegalStateException failed =
                assertThrows(IllegalStateException.class, () -> steps.run("x"));
        assertEquals(0, failed.getSuppressed().length, "in the hook too");
        assertRefused(contexts.getFirst(), "only the actor's own fiber");
    }

    @Test
    void misuse_postponeInAnEntry() {
        BehaviorSteps<String> steps =
                of(
                        (self, _) ->
                                Behavior.state(
                                        "b",
                                        _ -> {
                                            self.postpone();
                                            return Behavior.same();
                                        },
                                        _ -> Behavior.same()));
        Errors.assertMentions(
                assertThrows(IllegalStateException.class, () -> steps.run("x")),
                "postpone of steps/m",
                "in the entry of a state");
        assertTrue(steps.isOver());
    }

    @Test
    void misuse_tooManyPostponed() throws Exception {
        BehaviorSteps<String> door = door();
        for (int i = 0; i < 1_000; i++) {
            door.run("" + i);
        }
        door.run("one more");
        assertEquals(1_000, door.postponed().size());
        assertFalse(door.postponed().contains("one more"), "a dead letter");
    }

    @Test
    void theOldestPostponedMakesRoom() throws Exception {
        BehaviorSteps<String> steps = postponing(Overflow.DROP_OLD);
        for (String each : List.of("1", "2", "3")) {
            steps.run(each);
        }
        assertEquals(List.of("2", "3"), steps.postponed());
    }

    @Test
    void misuse_tooManyPostponedForARuleThatFails() throws Exception {
        BehaviorSteps<String> steps = postponing(Overflow.FAIL);
        steps.run("1");
        steps.run("2");
        Errors.assertMentions(
                assertThrows(IllegalStateException.class, () -> steps.run("one more")),
                "steps/m",
                "has postponed 2",
                "state shut");
        assertEquals(List.of(), steps.postponed());
    }

    private static BehaviorSteps<String> postponing(Overflow rule) {
        return BehaviorSteps.of(
                "m",
                Actor.handler(
                                (ActorContext<String> self) ->
                                        Behavior.state(
                                                "shut",
                                                (String _) -> {
                                                    self.postpone();
                                                    return Behavior.same();
                                                }))
                        .mailbox(MailboxOptions.unbounded().withPostponed(2, rule)));
    }

    /** What the failed message has ended begins anew, as its restart does. */
    @Test
    void anIdleTimeoutOutlivesAFailedMessage() throws Exception {
        BehaviorSteps<String> steps =
                BehaviorSteps.of(
                        "m",
                        Actor.handler(
                                        (ActorContext<String> self) ->
                                                (String message) -> {
                                                    if (message.equals("bad")) {
                                                        throw new IllegalStateException("bad");
                                                    }
                                                    if (message.equals("idle")) {
                                                        return Behavior.stopped();
                                                    }
                                                    self.idleTimeout(Duration.ofMillis(60), "idle");
                                                    return Behavior.same();
                                                })
                                .keepState());
        steps.run("good");
        assertThrows(IllegalStateException.class, () -> steps.run("bad"));
        steps.restart();
        steps.fireNext();
        assertTrue(steps.isOver());
    }
}
