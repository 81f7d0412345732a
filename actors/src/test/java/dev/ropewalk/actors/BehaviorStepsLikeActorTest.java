package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.testing.BehaviorSteps;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Rule A1: drawn state machines do the same as actors and step by step. Each message carries what
 * the machine is to do with it; both runs get the same messages at the same times, and are to log
 * the same.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BehaviorStepsLikeActorTest {
    private static final int SEEDS = 400;
    private static final int MESSAGES = 40;

    /** The last one has no name. */
    private static final List<String> STATES = List.of("a", "b", "c", "");

    /** Takes all. */
    private static final String LAST = "last";

    private enum Next {
        SAME,
        OTHER,
        DATA,
        REPEAT,
        REPEAT_DATA,
        UNHANDLED,
        FAIL,
        FAIL_IN_ENTRY
    }

    private enum Call {
        INSERT,
        STATE_TIMEOUT,
        CANCEL_STATE_TIMEOUT,
        IDLE_TIMEOUT,
        TIMER,
        TICKS,
        CANCEL_TIMER,
        CANCEL_ALL,
        TELL
    }

    /** Something beside the next behavior. */
    private record Request(Call call, Duration after, String name, @Nullable Message message) {}

    /** What to do. Where it is postponed it does nothing else. */
    private record Message(
            String name,
            Set<String> postponedIn,
            List<Request> requests,
            Next next,
            String to,
            List<Request> entry) {
        @Override
        public String toString() {
            return name;
        }
    }

    // ---------------------------------------------------------------- what is drawn

    private static final class Draw {
        private final SplittableRandom random;

        /**
         * Either timeouts of zero or messages to itself: which of them comes first is the test's to
         * say when it goes step by step. For the same reason only what comes from outside sets
         * them.
         */
        private final boolean hasZero;

        private int names;

        Draw(long seed) {
            random = new SplittableRandom(seed);
            hasZero = seed % 2 == 0;
        }

        int below(int bound) {
            return random.nextInt(bound);
        }

        private <T> T oneOf(List<T> all) {
            return all.get(below(all.size()));
        }

        Message message(int depth) {
            String name = "m" + ++names;
            Set<String> postponedIn = new TreeSet<>();
            if (below(3) == 0) {
                STATES.stream()
                        .filter(state -> !state.isEmpty() && below(2) == 0)
                        .forEach(postponedIn::add);
            }
            Next next = below(3) == 0 ? oneOf(List.of(Next.values())) : Next.OTHER;
            return new Message(
                    name, postponedIn, requests(depth), next, oneOf(STATES), requests(depth));
        }

        private List<Request> requests(int depth) {
            List<Request> all = new ArrayList<>();
            for (int i = depth > 2 ? 0 : below(3); i > 0; i--) {
                Call drawn = oneOf(List.of(Call.values()));
                Call call = hasZero && drawn == Call.TELL ? Call.INSERT : drawn;
                boolean isAtOnce =
                        hasZero
                                && depth == 0
                                && (call == Call.STATE_TIMEOUT || call == Call.IDLE_TIMEOUT);
                // No two are due at the same time: their order is not what this is about.
                Duration after =
                        isAtOnce && below(4) == 0
                                ? Duration.ZERO
                                : Duration.ofNanos(1_000_000L * (1 + below(8)) + below(900_000));
                all.add(new Request(call, after, "t" + below(3), message(depth + 1)));
            }
            return all;
        }
    }

    // ---------------------------------------------------------------- the machine

    /** One of the two runs. */
    private static final class Machine {
        final List<String> log = new ArrayList<>();
        private @Nullable Message entering;

        Actor<Message> actor(boolean isKept) {
            Actor<Message> actor =
                    Actor.handler(
                            (ActorContext<Message> self) -> {
                                entering = null;
                                log.add("start");
                                return state(self, "a", 0);
                            });
            return isKept ? actor.keepState() : actor;
        }

        private Behavior<Message> state(ActorContext<Message> self, String name, int data) {
            Behavior<Message> handler = message -> handle(self, name, data, message);
            return switch (name) {
                case "" -> handler;
                case "c" -> Behavior.state(name, handler);
                default -> Behavior.state(name, from -> enter(self, name, data, from), handler);
            };
        }

        private Behavior<Message> enter(
                ActorContext<Message> self, String name, int data, @Nullable String from) {
            Message message = entering;
            entering = null;
            log.add("enter " + name + data + " from " + from + " by " + message);
            if (message == null) {
                return Behavior.same();
            }
            if (message.next() == Next.FAIL_IN_ENTRY) {
                throw new IllegalStateException(message + " fails in the entry");
            }
            message.entry().forEach(each -> ask(self, each));
            return message.next() == Next.DATA ? state(self, name, data + 1) : Behavior.same();
        }

        private Behavior<Message> handle(
                ActorContext<Message> self, String name, int data, Message message) {
            boolean isPostponed = message.postponedIn().contains(name);
            log.add((isPostponed ? "postpone " : "") + name + data + ":" + message);
            if (isPostponed) {
                self.postpone();
                return Behavior.same();
            }
            entering = message;
            message.requests().stream()
                    .filter(each -> each.call() != Call.STATE_TIMEOUT || isNamed(message, name))
                    .forEach(each -> ask(self, each));
            return switch (message.next()) {
                case SAME -> Behavior.same();
                case OTHER, FAIL_IN_ENTRY -> state(self, message.to(), data);
                case DATA -> state(self, name, data + 1);
                case REPEAT -> name.isEmpty() ? Behavior.same() : Behavior.repeat();
                case REPEAT_DATA ->
                        name.isEmpty()
                                ? Behavior.same()
                                : Behavior.repeat(state(self, name, data + 1));
                case UNHANDLED -> Behavior.unhandled();
                case FAIL -> throw new IllegalStateException(message + " fails");
            };
        }

        /** A state timeout needs a state that follows. */
        private static boolean isNamed(Message message, String now) {
            return !switch (message.next()) {
                case OTHER, FAIL_IN_ENTRY -> message.to().isEmpty();
                default -> now.isEmpty();
            };
        }

        private void ask(ActorContext<Message> self, Request request) {
            Message message = request.message();
            if (message == null) {
                throw new IllegalArgumentException("no message: " + request);
            }
            switch (request.call()) {
                case INSERT -> self.insert(message);
                case STATE_TIMEOUT -> self.stateTimeout(request.after(), message);
                case CANCEL_STATE_TIMEOUT -> self.cancelStateTimeout();
                case IDLE_TIMEOUT -> self.idleTimeout(request.after(), message);
                case TIMER -> self.timers().once(request.name(), request.after(), message);
                case TICKS -> {
                    if (request.after().toNanos() % 2 == 0) {
                        self.timers().fixedRate(request.name(), request.after(), message);
                    } else {
                        self.timers().fixedDelay(request.name(), request.after(), message);
                    }
                }
                case CANCEL_TIMER -> log.add("cancelled " + self.timers().cancel(request.name()));
                case CANCEL_ALL -> self.timers().cancelAll();
                case TELL -> self.self().tell(message);
            }
        }
    }

    // ---------------------------------------------------------------- the two runs

    /** Messages, and how long to wait behind each. */
    private record Script(List<Message> messages, List<Duration> waits) {
        static Script of(long seed) {
            Draw draw = new Draw(seed);
            List<Message> messages = new ArrayList<>();
            List<Duration> waits = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                messages.add(draw.message(0));
                waits.add(Duration.ofMillis(draw.below(3)).plusNanos(1));
            }
            // What is still postponed comes in the end.
            messages.add(new Message("last", Set.of(), List.of(), Next.OTHER, LAST, List.of()));
            waits.add(Duration.ofMillis(1));
            return new Script(messages, waits);
        }
    }

    private static List<String> asActor(Script script, boolean isKept) {
        Machine machine = new Machine();
        TestCord.run(
                1,
                false,
                () -> {
                    machine.log.clear();
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "system",
                                    World.MANY_RESTARTS.onFailure(
                                            report -> machine.log.add(text(report.failure()))),
                                    _ -> {})) {
                        ActorRef<Message> ref = system.spin("m", machine.actor(isKept));
                        Fiber.sleep(Duration.ofNanos(1));
                        for (int i = 0; i <= MESSAGES; i++) {
                            ref.tell(script.messages().get(i));
                            Fiber.sleep(script.waits().get(i));
                        }
                        machine.log.add("end");
                    }
                });
        return machine.log.subList(0, machine.log.indexOf("end"));
    }

    private static List<String> asSteps(Script script, boolean isKept) {
        Machine machine = new Machine();
        BehaviorSteps<Message> steps = BehaviorSteps.of("m", machine.actor(isKept));
        during(machine, steps, () -> steps.pass(Duration.ofNanos(1)));
        for (int i = 0; i <= MESSAGES; i++) {
            Message message = script.messages().get(i);
            during(machine, steps, () -> steps.run(message));
            // By small steps: what a timer asks for comes before the next timer.
            long left = script.waits().get(i).toNanos();
            for (long step = 0; left > 0; left -= step) {
                step = Math.min(left, 1 + (left - 1) % 500);
                Duration time = Duration.ofNanos(step);
                during(machine, steps, () -> steps.pass(time));
            }
        }
        return machine.log;
    }

    @FunctionalInterface
    private interface Step {
        void run() throws Exception;
    }

    /** The step, and what follows at once. */
    private static void during(Machine machine, BehaviorSteps<Message> steps, Step step) {
        Step next = step;
        while (true) {
            try {
                next.run();
                if (steps.runQueued() + steps.pass(Duration.ZERO) == 0) {
                    return;
                }
                next = () -> {};
            } catch (Exception failure) {
                machine.log.add(text(failure));
                steps.restart();
                next = () -> {};
            }
        }
    }

    private static String text(Throwable failure) {
        return "failure: " + failure.getMessage();
    }

    private static List<String> from(List<String> lines, int first) {
        return lines.subList(first, Math.min(lines.size(), first + 4));
    }

    @Test
    void A1_theSameAsAnActor() {
        Set<String> seen = new TreeSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Script script = Script.of(seed);
            for (boolean isKept : new boolean[] {false, true}) {
                List<String> expected = asActor(script, isKept);
                List<String> actual = asSteps(script, isKept);
                if (!expected.equals(actual)) {
                    int same = 0;
                    while (same < Math.min(expected.size(), actual.size())
                            && expected.get(same).equals(actual.get(same))) {
                        same++;
                    }
                    assertEquals(
                            from(expected, same),
                            from(actual, same),
                            "seed="
                                    + seed
                                    + " isKept="
                                    + isKept
                                    + ", first difference behind line "
                                    + same
                                    + ": "
                                    + expected.subList(Math.max(0, same - 8), same));
                }
                expected.forEach(line -> seen.add(line.replaceAll("[0-9]+", "#")));
            }
        }
        for (String each :
                List.of("enter b# from a by m#", "postpone c#:m#", "failure: m# fails")) {
            assertTrue(seen.contains(each), () -> each + " never came: " + seen);
        }
    }
}
