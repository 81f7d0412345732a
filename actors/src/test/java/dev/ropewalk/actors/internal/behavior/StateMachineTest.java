package dev.ropewalk.actors.internal.behavior;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Rule A1: state machines of named behaviors, with what gen_statem has. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StateMachineTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** What a state does with a message, and what it returns. */
    @FunctionalInterface
    private interface Code {
        Behavior<String> run(Machine machine, String message) throws Exception;
    }

    /** A machine whose states are written down one by one; it logs what it handles and where. */
    private static final class Machine {
        final List<String> log = World.log();
        private final Map<String, Code> states = new HashMap<>();
        private final Map<String, Code> entries = new HashMap<>();
        private @Nullable ActorContext<String> context;

        ActorContext<String> self() {
            if (context == null) {
                throw new IllegalStateException("not begun");
            }
            return context;
        }

        Machine state(String name, Code code) {
            states.put(name, code);
            return this;
        }

        /** Gets the name of the state that was left. */
        Machine entry(String name, Code code) {
            entries.put(name, code);
            return this;
        }

        Behavior<String> to(String name) {
            return to(name, "");
        }

        Behavior<String> to(String name, String data) {
            Code code = states.get(name);
            if (code == null) {
                throw new IllegalArgumentException("no state " + name);
            }
            Behavior<String> handler =
                    message -> {
                        log.add(name + data + ":" + message);
                        return code.run(this, message);
                    };
            Code entry = entries.get(name);
            return entry == null
                    ? Behavior.state(name, handler)
                    : Behavior.state(
                            name,
                            from -> {
                                log.add("enter " + name + data + " from " + from);
                                return entry.run(this, String.valueOf(from));
                            },
                            handler);
        }

        Actor<String> actor(String first) {
            return Actor.handler(
                    (ActorContext<String> self) -> {
                        context = self;
                        return to(first);
                    });
        }

        List<String> taken() {
            List<String> all = List.copyOf(log);
            log.clear();
            return all;
        }
    }

    private static Behavior<String> same() {
        return Behavior.same();
    }

    private static Behavior<String> postpone(Machine machine) {
        machine.self().postpone();
        return Behavior.same();
    }

    private static void tell(ActorRef<String> to, String... messages) {
        for (String each : messages) {
            to.tell(each);
        }
    }

    // ---------------------------------------------------------------- the order of a change

    /** The entry, then what was inserted, then what was postponed, oldest first, then the rest. */
    @Test
    void A1_theOrderOfAChange() {
        World.anywhere(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (!message.equals("go")) {
                                    return postpone(self);
                                }
                                self.self().insert("i1");
                                self.self().insert("i2");
                                return self.to("b");
                            });
                    m.state("b", (_, _) -> same());
                    m.entry(
                            "b",
                            (self, _) -> {
                                self.self().insert("i3");
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "p1", "p2", "go", "n1", "n2");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "a:p1",
                                    "a:p2",
                                    "a:go",
                                    "enter b from a",
                                    "b:i1",
                                    "b:i2",
                                    "b:i3",
                                    "b:p1",
                                    "b:p2",
                                    "b:n1",
                                    "b:n2"),
                            m.taken());
                });
    }

    /** A message that is postponed while it changes the state comes again at once. */
    @Test
    void A1_postponedWithTheChange() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, _) -> {
                                self.self().postpone();
                                return self.to("b");
                            });
                    m.state("b", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "x", "y");
                    world.settle();
                    assertEquals(List.of("a:x", "b:x", "b:y"), m.taken());
                });
    }

    /** New data under the same name is no change: no entry, and nothing comes again. */
    @Test
    void A1_dataIsNoChange() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) ->
                                    switch (message) {
                                        case "later" -> postpone(self);
                                        case "data" -> self.to("a", "'");
                                        default -> self.to("b");
                                    });
                    m.state("b", (_, _) -> same());
                    m.entry("a", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "later", "data", "next");
                    world.settle();
                    assertEquals(
                            List.of("enter a from null", "a:later", "a:data", "a':next", "b:later"),
                            m.taken());
                });
    }

    @Test
    void A1_repeatRunsTheEntryAgain() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) ->
                                    switch (message) {
                                        case "later" -> postpone(self);
                                        case "again" -> Behavior.repeat();
                                        case "data" -> Behavior.repeat(self.to("a", "'"));
                                        default -> same();
                                    });
                    m.entry("a", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "later", "again", "data", "x");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "enter a from null",
                                    "a:later",
                                    "a:again",
                                    "enter a from a",
                                    "a:data",
                                    "enter a' from a",
                                    "a':x"),
                            m.taken());
                    ref.stop();
                    world.settle();
                    assertEquals(List.of("m ENDED later"), world.deadLetters());
                });
    }

    /** An entry may put other data in place, and may end the actor. */
    @Test
    void A1_whatAnEntryReturns() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state("a", (self, message) -> self.to(message));
                    m.state("b", (self, message) -> self.to(message));
                    m.entry("b", (self, _) -> Behavior.state("b", _ -> self.to("end")));
                    m.state("end", (_, _) -> same());
                    m.entry("end", (_, _) -> Behavior.stopped());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "b", "x", "left");
                    world.settle();
                    assertEquals(List.of("a:b", "enter b from a", "enter end from b"), m.taken());
                    assertEquals(List.of("m ENDED left"), world.deadLetters());
                    assertEquals(List.of(), world.failures);
                });
    }

    /** Inserted without a change: next. */
    @Test
    void A1_insertComesNext() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (message.length() == 1) {
                                    self.self().insert(message + "1");
                                    self.self().insert(message + "2");
                                }
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "x", "y");
                    world.settle();
                    assertEquals(List.of("a:x", "a:x1", "a:x2", "a:y", "a:y1", "a:y2"), m.taken());
                });
    }

    /** A behavior without a name is a state too, of no name. */
    @Test
    void A1_toAndFromABehaviorWithoutAName() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) ->
                                    message.equals("later")
                                            ? postpone(self)
                                            : other -> {
                                                self.log.add("plain:" + other);
                                                return self.to("a");
                                            });
                    m.entry("a", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "later", "go");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "enter a from null",
                                    "a:later",
                                    "a:go",
                                    "plain:later",
                                    "enter a from null"),
                            m.taken());
                });
    }

    // ---------------------------------------------------------------- timeouts

    @Test
    void A1_theStateTimeoutBelongsToTheStateEntered() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, _) -> {
                                self.self().stateTimeout(SECOND, "timeout");
                                return self.to("b");
                            });
                    m.state("b", (self, message) -> message.equals("back") ? self.to("a") : same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    ref.tell("go");
                    Fiber.sleep(SECOND.dividedBy(2));
                    ref.tell("other");
                    Fiber.sleep(SECOND);
                    assertEquals(List.of("a:go", "b:other", "b:timeout"), m.taken());
                    ref.tell("back");
                    ref.tell("go");
                    ref.tell("back");
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals(List.of("b:back", "a:go", "b:back"), m.taken());
                });
    }

    /** Of the same state it is set anew, and cancelled. */
    @Test
    void A1_theStateTimeoutIsSetAnew() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                switch (message) {
                                    case "set" -> self.self().stateTimeout(SECOND, "first");
                                    case "anew" ->
                                            self.self()
                                                    .stateTimeout(SECOND.multipliedBy(3), "second");
                                    case "cancel" -> self.self().cancelStateTimeout();
                                    default -> {}
                                }
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "set", "anew");
                    Fiber.sleep(SECOND.multipliedBy(10));
                    assertEquals(List.of("a:set", "a:anew", "a:second"), m.taken());
                    tell(ref, "set", "cancel");
                    Fiber.sleep(SECOND.multipliedBy(10));
                    assertEquals(List.of("a:set", "a:cancel"), m.taken());
                });
    }

    /** In the mailbox already, behind the message that changes the state: it is never seen. */
    @Test
    void A1_aCancelledTimeoutIsNotSeenFromTheMailbox() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                switch (message) {
                                    case "set" -> {
                                        self.self().stateTimeout(SECOND, "state");
                                        self.self().idleTimeout(SECOND, "idle");
                                        self.self().timers().once("named", SECOND, "named");
                                    }
                                    case "slow" -> Fiber.sleep(SECOND.multipliedBy(5));
                                    case "go" -> {
                                        self.self().timers().cancel("named");
                                        return self.to("b");
                                    }
                                    default -> {}
                                }
                                return same();
                            });
                    m.state("b", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "set", "slow", "go");
                    Fiber.sleep(SECOND.multipliedBy(20));
                    assertEquals(List.of("a:set", "a:slow", "a:go"), m.taken());
                });
    }

    /** It comes behind what is queued, and before what comes later. */
    @Test
    void A1_stateTimeoutOfZero() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (message.equals("set")) {
                                    self.self().stateTimeout(Duration.ZERO, "zero");
                                    Fiber.snooze();
                                }
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "set", "queued");
                    world.settle();
                    ref.tell("later");
                    world.settle();
                    assertEquals(List.of("a:set", "a:queued", "a:zero", "a:later"), m.taken());
                });
    }

    @Test
    void A1_anyMessageEndsTheIdleTimeout() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (message.equals("set")) {
                                    self.self().idleTimeout(SECOND, "idle");
                                }
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    ref.tell("set");
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of("a:set", "a:idle"), m.taken());
                    ref.tell("set");
                    Fiber.sleep(SECOND.dividedBy(2));
                    ref.tell("other");
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of("a:set", "a:other"), m.taken());
                    ref.tell("set");
                    Fiber.sleep(SECOND.dividedBy(2));
                    ref.tell("set");
                    Fiber.sleep(SECOND.multipliedBy(3));
                    assertEquals(List.of("a:set", "a:set", "a:idle"), m.taken());
                });
    }

    /** With zero: only if nothing is queued. */
    @Test
    void A1_idleTimeoutOfZero() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (message.equals("set")) {
                                    self.self().idleTimeout(Duration.ZERO, "idle");
                                }
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "set", "queued");
                    world.settle();
                    assertEquals(List.of("a:set", "a:queued"), m.taken());
                    ref.tell("set");
                    world.settle();
                    assertEquals(List.of("a:set", "a:idle"), m.taken());
                });
    }

    /** A timer's message that was postponed stays that timer's: to cancel it takes it back. */
    @Test
    void A1_aPostponedTimeoutIsCancelled() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                switch (message) {
                                    case "set" -> {
                                        self.self().timers().once("kept", SECOND, "kept");
                                        self.self().timers().once("gone", SECOND, "gone");
                                    }
                                    case "go" -> {
                                        self.self().timers().cancel("gone");
                                        return self.to("b");
                                    }
                                    default -> self.self().postpone();
                                }
                                return same();
                            });
                    m.state("b", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    ref.tell("set");
                    Fiber.sleep(SECOND.multipliedBy(2));
                    ref.tell("go");
                    world.settle();
                    assertEquals(List.of("a:set", "a:kept", "a:gone", "a:go", "b:kept"), m.taken());
                });
    }

    /** Neither towards the bound of postponed messages nor in what the mailbox shows. */
    @Test
    void A1_cancelledPostponedTimeoutsDoNotCount() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (message.equals("set")) {
                                    for (int i = 0; i < 1_000; i++) {
                                        self.self().timers().once("t" + i, SECOND, "tick");
                                    }
                                } else if (message.equals("cancel")) {
                                    for (int i = 0; i < 999; i++) {
                                        self.self().timers().cancel("t" + i);
                                    }
                                } else {
                                    self.self().postpone();
                                }
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    ref.tell("set");
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals(1_000, ref.mailbox().queued());
                    ref.tell("cancel");
                    ref.tell("one more");
                    world.settle();
                    assertEquals(List.of(), world.failures);
                    assertEquals(2, ref.mailbox().queued());
                });
    }

    // ---------------------------------------------------------------- failures and ends

    /** What a message asked for that fails is not granted; it is the state before that goes on. */
    @Test
    void A1_nothingIsGrantedToAMessageThatFails() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (message.equals("fail")) {
                                    self.self().insert("inserted");
                                    self.self().stateTimeout(SECOND, "timeout");
                                    self.self().idleTimeout(SECOND, "idle");
                                    self.self().postpone();
                                    throw new IllegalStateException("told to");
                                }
                                return same();
                            });
                    ActorRef<String> ref = world.spin("m", m.actor("a").keepState());
                    tell(ref, "fail", "next");
                    Fiber.sleep(SECOND.multipliedBy(5));
                    assertEquals(List.of("a:fail", "a:next"), m.taken());
                    assertEquals(List.of("m FAILED fail"), world.deadLetters());
                });
    }

    /** The entry is part of the message: the state before was never left. */
    @Test
    void A1_anEntryThatFails() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) ->
                                    message.equals("later") ? postpone(self) : self.to("b"));
                    m.state("b", (_, _) -> same());
                    int[] entries = {0};
                    m.entry(
                            "b",
                            (_, _) -> {
                                if (entries[0]++ == 0) {
                                    throw new IllegalStateException("no entry");
                                }
                                return same();
                            });
                    ActorRef<String> ref =
                            world.spin(
                                    "m",
                                    m.actor("a").keepState().onFailure(FailedMessage.retry(2)));
                    tell(ref, "later", "go");
                    world.settle();
                    assertEquals(
                            List.of(
                                    "a:later",
                                    "a:go",
                                    "enter b from a",
                                    "a:go",
                                    "enter b from a",
                                    "b:later"),
                            m.taken());
                    assertEquals(List.of("m: no entry"), world.failures);
                });
    }

    /** Postponed messages stay before those that came later, and a fresh state takes them. */
    @Test
    void A1_postponedMessagesStayInOrderOverARestart() {
        World.anywhere(
                world -> {
                    Machine m = new Machine();
                    boolean[] hasFailed = {false};
                    m.state(
                            "a",
                            (self, message) -> {
                                if (hasFailed[0]) {
                                    return same();
                                }
                                if (message.equals("fail")) {
                                    hasFailed[0] = true;
                                    throw new IllegalStateException("told to");
                                }
                                return postpone(self);
                            });
                    ActorRef<String> ref =
                            world.spin("m", m.actor("a").onFailure(FailedMessage.retry(2)));
                    tell(ref, "1", "2", "fail", "3");
                    world.settle();
                    assertEquals(
                            List.of("a:1", "a:2", "a:fail", "a:1", "a:2", "a:fail", "a:3"),
                            m.taken());
                });
    }

    /** With kept state the state goes on, and so does what waits for its change. */
    @Test
    void A1_aKeptStateGoesOn() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                switch (message) {
                                    case "set" -> self.self().stateTimeout(SECOND, "timeout");
                                    case "fail" -> throw new IllegalStateException("told to");
                                    case "timeout" -> {
                                        return self.to("b");
                                    }
                                    default -> self.self().postpone();
                                }
                                return same();
                            });
                    m.entry("a", (_, _) -> same());
                    m.state("b", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a").keepState());
                    tell(ref, "set", "later", "fail");
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals(
                            List.of(
                                    "enter a from null",
                                    "a:set",
                                    "a:later",
                                    "a:fail",
                                    "a:timeout",
                                    "b:later"),
                            m.taken());
                });
    }

    /** Without it the timeouts end, and the first state is entered again. */
    @Test
    void A1_aFreshStateIsEntered() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) -> {
                                if (message.equals("fail")) {
                                    throw new IllegalStateException("told to");
                                }
                                self.self().stateTimeout(SECOND, "timeout");
                                self.self().idleTimeout(SECOND.multipliedBy(9), "idle");
                                return same();
                            });
                    m.entry("a", (_, _) -> same());
                    ActorRef<String> ref = world.spin("m", m.actor("a"));
                    tell(ref, "set", "fail");
                    Fiber.sleep(SECOND.multipliedBy(20));
                    assertEquals(
                            List.of("enter a from null", "a:set", "a:fail", "enter a from null"),
                            m.taken());
                });
    }

    /** The first entry is part of the start. */
    @Test
    void A1_aFirstEntryThatFailsIsAStartThatFails() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state("a", (_, _) -> same());
                    m.entry(
                            "a",
                            (self, _) -> {
                                self.self().insert("inserted");
                                throw new IllegalStateException("no entry");
                            });
                    StartFailedException failed =
                            assertThrows(
                                    StartFailedException.class,
                                    () -> world.system.root().start("m", m.actor("a")));
                    Errors.assertMentions(failed, "no entry");
                });
    }

    private record Ask(String text, @Nullable Recipient<String> to) {}

    /** A postponed ask is queued: the crash of another message does not fail it. */
    @Test
    void A1_aPostponedAskSurvivesACrash() {
        World.anywhere(
                world -> {
                    Actor<Ask> actor =
                            Actor.handler((ActorContext<Ask> self) -> closed(self)).keepState();
                    ActorRef<Ask> ref = world.spin("m", actor);
                    CompletableFuture<String> reply =
                            ref.<String>askLater(
                                            to -> new Ask("question", to), SECOND.multipliedBy(99))
                                    .toCompletableFuture();
                    ref.tell(new Ask("fail", null));
                    ref.tell(new Ask("other", null));
                    world.settle();
                    assertEquals(false, reply.isDone());
                    ref.tell(new Ask("open", null));
                    world.until(reply::isDone);
                    assertEquals("answer", reply.getNow("none"));
                });
    }

    private static Behavior<Ask> closed(ActorContext<Ask> self) {
        return Behavior.state(
                "closed",
                ask ->
                        switch (ask.text()) {
                            case "fail" -> throw new IllegalStateException("told to");
                            case "open" -> open();
                            default -> {
                                self.postpone();
                                yield Behavior.same();
                            }
                        });
    }

    private static Behavior<Ask> open() {
        return Behavior.state(
                "open",
                ask -> {
                    if (ask.to() != null) {
                        ask.to().tell("answer");
                    }
                    return Behavior.same();
                });
    }

    /** At the end an asker hears of it, and the rest are dead letters, in order. */
    @Test
    void A1_whatIsPostponedAtTheEndIsADeadLetter() {
        World.anywhere(
                world -> {
                    ActorRef<Ask> ref =
                            world.spin("m", Actor.handler((ActorContext<Ask> s) -> closed(s)));
                    ref.tell(new Ask("1", null));
                    CompletableFuture<String> reply =
                            ref.<String>askLater(to -> new Ask("2", to), SECOND.multipliedBy(99))
                                    .toCompletableFuture();
                    ref.tell(new Ask("3", null));
                    world.settle();
                    assertEquals(3, ref.mailbox().queued());
                    assertEquals("1", ((Ask) ref.mailbox().oldest().getFirst()).text());
                    ref.stop();
                    world.until(reply::isDone);
                    assertTrue(reply.isCompletedExceptionally());
                    world.settle();
                    assertEquals(
                            List.of("1", "2", "3"),
                            world.letters.stream().map(l -> ((Ask) l.message()).text()).toList());
                });
    }

    /** They hold no permit: the senders of a bounded mailbox go on. */
    @Test
    void A3_postponedMessagesHoldNoPermit() {
        World.anywhere(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) ->
                                    message.equals("go") ? self.to("b") : postpone(self));
                    m.state("b", (_, _) -> same());
                    ActorRef<String> ref =
                            world.spin("m", m.actor("a").mailbox(MailboxOptions.bounded(2)));
                    List<String> expected = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                        ref.tell("" + i);
                        expected.add("b:" + i);
                    }
                    ref.tell("go");
                    world.until(() -> m.log.size() == 41);
                    assertEquals(expected, m.taken().subList(21, 41));
                });
    }

    /**
     * They have given theirs back once: when they come again, the mailbox has its bound as before.
     */
    @Test
    void A3_messagesThatComeAgainGiveNoPermit() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, message) ->
                                    message.equals("go") ? self.to("b") : postpone(self));
                    m.state(
                            "b",
                            (_, message) -> {
                                if (message.equals("slow")) {
                                    Fiber.sleep(SECOND);
                                }
                                return same();
                            });
                    MailboxOptions two = MailboxOptions.bounded(2).withOverflow(Overflow.FAIL);
                    ActorRef<String> ref = world.spin("m", m.actor("a").mailbox(two));
                    for (String each : List.of("1", "2", "3", "go", "slow")) {
                        ref.tell(each);
                        world.settle();
                    }
                    tell(ref, "4", "5");
                    assertThrows(MailboxFullException.class, () -> ref.tell("6"));
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals("b:5", m.log.getLast());
                });
    }

    // ---------------------------------------------------------------- wrong use

    /** One message, again and again. */
    @Test
    void misuse_postponedForEver() {
        List<String> lines = new ArrayList<>();
        TestCord.run(
                1,
                false,
                () -> {
                    lines.clear();
                    Machine m = new Machine();
                    Code flip =
                            (self, message) ->
                                    message.equals("flip")
                                            ? self.to(self.log.size() % 2 == 0 ? "a" : "b")
                                            : postpone(self);
                    m.state("a", flip).state("b", flip);
                    ActorSystem system = ActorSystem.start("system");
                    ActorRef<String> ref = system.spin("m", m.actor("a"));
                    Logs.during(
                            line -> lines.add(line.message()),
                            () -> {
                                ref.tell("never");
                                for (int i = 0; i < 2_100; i++) {
                                    ref.tell("flip");
                                    m.log.clear();
                                    m.log.add("");
                                    if (i % 2 == 0) {
                                        m.log.add("");
                                    }
                                    Fiber.sleep(Duration.ofNanos(1));
                                }
                                system.close();
                            });
                });
        List<String> told = lines.stream().filter(l -> l.contains("has postponed")).toList();
        assertEquals(2, told.size(), lines::toString);
        assertTrue(told.getFirst().contains("1024 times"), told::toString);
        assertTrue(told.getFirst().contains("never"), told::toString);
    }

    @Test
    void misuse_outsideAMessage() {
        World.local(
                world -> {
                    List<Throwable> thrown = World.log();
                    Actor<String> actor =
                            Actor.handler(
                                    self -> {
                                        for (Runnable call :
                                                List.<Runnable>of(
                                                        self::postpone,
                                                        () -> self.insert("x"),
                                                        () -> self.stateTimeout(SECOND, "x"),
                                                        self::cancelStateTimeout,
                                                        () -> self.idleTimeout(SECOND, "x"))) {
                                            thrown.add(
                                                    assertThrows(
                                                            IllegalStateException.class,
                                                            call::run));
                                        }
                                        return Behavior.state("a", _ -> Behavior.same());
                                    });
                    world.spin("m", actor);
                    world.settle();
                    assertEquals(5, thrown.size());
                    Errors.assertMentions(thrown.get(0), "postpone of m", "outside a message");
                    Errors.assertMentions(thrown.get(2), "stateTimeout of m", "in the entry");
                });
    }

    @Test
    void misuse_fromAnotherFiber() {
        World.local(
                world -> {
                    List<Throwable> thrown = World.log();
                    Machine m = new Machine();
                    m.state(
                            "a",
                            (self, _) -> {
                                Fiber.spin(
                                                "other",
                                                () -> {
                                                    thrown.add(
                                                            assertThrows(
                                                                    IllegalStateException.class,
                                                                    () -> self.self().postpone()));
                                                })
                                        .await();
                                return same();
                            });
                    world.spin("m", m.actor("a")).tell("x");
                    world.settle();
                    Errors.assertMentions(
                            thrown.getFirst(), "postpone", "fiber other", "own fiber");
                });
    }

    private static void fails(Machine machine, String first, String... parts) {
        World.local(
                world -> {
                    world.spin("m", machine.actor(first)).tell("x");
                    world.settle();
                    assertEquals(1, world.failures.size(), world.failures::toString);
                    for (String part : parts) {
                        assertTrue(
                                world.failures.getFirst().contains(part), world.failures::toString);
                    }
                });
    }

    @Test
    void misuse_aChangeOfStateInAnEntry() {
        fails(
                new Machine()
                        .state("a", (self, _) -> self.to("b"))
                        .state("b", (_, _) -> same())
                        .entry("b", (self, _) -> self.to("a")),
                "a",
                "m: the entry of state b returned state a",
                "insert a message");
    }

    @Test
    void misuse_signsFromAnEntry() {
        for (Behavior<String> sign :
                List.of(Behavior.<String>unhandled(), Behavior.<String>repeat())) {
            fails(
                    new Machine()
                            .state("a", (self, _) -> self.to("b"))
                            .state("b", (_, _) -> same())
                            .entry("b", (_, _) -> sign),
                    "a",
                    "the entry of state b returned Behavior " + sign);
        }
    }

    @Test
    void misuse_postponeInAnEntry() {
        fails(
                new Machine()
                        .state("a", (self, _) -> self.to("b"))
                        .state("b", (_, _) -> same())
                        .entry("b", (self, _) -> postpone(self)),
                "a",
                "postpone of m was called in the entry of a state");
    }

    @Test
    void misuse_postponeWithoutAState() {
        fails(
                new Machine()
                        .state(
                                "a",
                                (self, _) -> {
                                    self.self().insert("y");
                                    return _ -> postpone(self);
                                }),
                "a",
                "behavior without a name",
                "Behavior.state");
    }

    @Test
    void misuse_stateTimeoutWithoutAState() {
        fails(
                new Machine()
                        .state(
                                "a",
                                (self, _) -> {
                                    self.self().stateTimeout(SECOND, "timeout");
                                    return _ -> same();
                                }),
                "a",
                "the behavior that follows has no name");
    }

    @Test
    void misuse_postponedAndUnhandled() {
        fails(
                new Machine()
                        .state(
                                "a",
                                (self, _) -> {
                                    self.self().postpone();
                                    return Behavior.unhandled();
                                }),
                "a",
                "postponed a message and returned Behavior.unhandled()");
    }

    @Test
    void misuse_repeatOfAnotherState() {
        fails(
                new Machine()
                        .state("a", (self, _) -> Behavior.repeat(self.to("b")))
                        .state("b", (_, _) -> same()),
                "a",
                "Behavior.repeat was returned in state a with state b");
        fails(
                new Machine()
                        .state(
                                "a",
                                (self, _) -> {
                                    self.self().insert("y");
                                    return _ -> Behavior.repeat();
                                }),
                "a",
                "Behavior.repeat was returned in a behavior without a name");
    }

    @Test
    void misuse_whatIsNoState() {
        Behavior<String> state = Behavior.state("inner", _ -> Behavior.same());
        Errors.assertMentions(
                assertThrows(IllegalArgumentException.class, () -> Behavior.state("outer", state)),
                "state outer has state inner inside");
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Behavior.state("s", Behavior.<String>stopped())),
                "state s has Behavior.stopped() inside");
    }

    @Test
    void misuse_loopStyle() {
        World.local(
                world -> {
                    List<Throwable> thrown = World.log();
                    world.spin(
                                    "m",
                                    Actor.<String>loop(
                                            self -> {
                                                self.receive();
                                                thrown.add(
                                                        assertThrows(
                                                                IllegalStateException.class,
                                                                self::postpone));
                                            }))
                            .tell("x");
                    world.settle();
                    Errors.assertMentions(thrown.getFirst(), "postpone", "loop style");
                });
    }

    // ---------------------------------------------------------------- looking

    @Test
    void F9_dumpsShowTheState() {
        World.local(
                world -> {
                    Machine m = new Machine();
                    m.state("half open", (self, _) -> postpone(self));
                    world.spin("m", m.actor("half open")).tell("x");
                    world.settle();
                    String dump = world.home.dump().toString();
                    assertTrue(
                            dump.contains("its next message, in state half open, with 1 postponed"),
                            dump);
                });
    }

    /** The message has failed by then. */
    @Test
    void misuse_aRequestInAnEndHook() {
        World.local(
                world -> {
                    List<Throwable> thrown = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "ending",
                                    Actor.<String>handler(
                                                    self -> {
                                                        self.atEnd(
                                                                _ -> {
                                                                    thrown.add(
                                                                            assertThrows(
                                                                                    IllegalStateException
                                                                                            .class,
                                                                                    self
                                                                                            ::postpone));
                                                                    thrown.add(
                                                                            assertThrows(
                                                                                    IllegalStateException
                                                                                            .class,
                                                                                    () ->
                                                                                            self
                                                                                                    .insert(
                                                                                                            "x")));
                                                                });
                                                        return Behavior.state(
                                                                "failing",
                                                                _ -> {
                                                                    throw new Crash("planted");
                                                                });
                                                    })
                                            .restart(RestartRule.TEMPORARY));
                    ref.tell("a");
                    assertTrue(ref.awaitEnd(Duration.ofSeconds(1)));
                    assertEquals(2, thrown.size());
                    world.letters.clear();
                });
    }

    /** Told by a fiber that runs when the message is over. */
    @Test
    void A1_aTimeoutOfZeroComesBehindWhatIsQueuedAndBeforeWhatComesLater() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<String> ref =
                            world.spin(
                                    "zero",
                                    Actor.<String>handler(
                                            self ->
                                                    Behavior.state(
                                                            "one",
                                                            message -> {
                                                                log.add(message);
                                                                if (message.equals("go")) {
                                                                    self.stateTimeout(
                                                                            Duration.ZERO, "zero");
                                                                    Fiber.spin(
                                                                            "teller",
                                                                            () ->
                                                                                    self.self()
                                                                                            .tell(
                                                                                                    "later"));
                                                                }
                                                                return Behavior.same();
                                                            })));
                    world.settle();
                    ref.tell("go");
                    ref.tell("queued");
                    world.settle();
                    assertEquals(List.of("go", "queued", "zero", "later"), log);
                    ref.stop();
                });
    }
}
