package dev.ropewalk.fibers.coroutine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Rules F5 and F16: coroutines that resume, yield, transfer and end at random, used by several
 * fibers. Wrong calls are part of the game. Every value that was yielded comes out once, control
 * never gets lost, who leaves a wait acts for whom it acted before, and the links are whole.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RandomCoroutinesTest {
    private static final int COROUTINES = 6;
    private static final int USERS = 4;
    private static final int STEPS = 12;
    private static final int MILLIS = 20;

    /** One run; {@code isLeaving} adds time limits, terminations, raises and closes. */
    private static final class World {
        private final SplittableRandom random;
        private final boolean isLeaving;

        /** Whether they rather transfer than resume and yield. */
        private final boolean isTransferring;

        private final List<Coroutine<Object, Object>> all = new ArrayList<>();
        private final Set<Object> received = new HashSet<>();
        private final Set<Object> sent = new HashSet<>();
        private final @Nullable Object[] pending = new @Nullable Object[COROUTINES];
        private final Set<Integer> closed = new HashSet<>();
        private int values;
        private int answers;

        /** How often a token went back to one that had it before, or may have. */
        private final IdentityHashMap<Object, Integer> returns = new IdentityHashMap<>();

        private final Set<Integer> begun = new HashSet<>();

        private int closes;

        private int takenBack;

        World(long seed, boolean isLeaving) {
            this.random = new SplittableRandom(seed);
            this.isLeaving = isLeaving;
            this.isTransferring = random.nextBoolean();
        }

        private Duration some() {
            return Duration.ofNanos(random.nextInt(MILLIS * 1_000_000));
        }

        private void receive(@Nullable Object value) {
            answers++;
            if (value instanceof Integer) {
                assertTrue(received.add(value), () -> value + " came twice");
            }
        }

        void run() {
            for (int i = 0; i < COROUTINES; i++) {
                int number = i;
                all.add(Coroutine.of("c" + i, (me, _) -> run(me, number)));
            }
            List<Fiber<?>> users = new ArrayList<>();
            for (int i = 0; i < USERS; i++) {
                users.add(Fiber.spin("user-" + i, this::use));
            }
            if (isLeaving) {
                for (int i = 0; i < USERS; i++) {
                    Fiber.sleep(some());
                    users.get(random.nextInt(USERS)).terminate();
                }
            }
            for (Fiber<?> user : users) {
                assertTrue(user.awaitEnd(Duration.ofHours(1)), user::toString);
            }
            Fiber.sleep(Duration.ofHours(1));
            checkAll();
        }

        private void checkAll() {
            for (int i = 0; i < COROUTINES; i++) {
                Coroutine<Object, Object> each = all.get(i);
                each.checkInvariants();
                if (!closed.contains(i)) {
                    play(() -> receive(each.await()));
                }
            }
            assertEquals(Set.of(), missing(sent));
            for (int i = 0; i < COROUTINES; i++) {
                Object last = pending[i];
                if (last != null && !closed.contains(i)) {
                    assertTrue(received.contains(last), () -> last + " was lost");
                }
            }
        }

        private Set<Object> missing(Set<Object> expected) {
            Set<Object> missing = new HashSet<>(expected);
            missing.removeAll(received);
            return missing;
        }

        /** A wrong call changes nothing, so the program goes on. */
        private static void play(Action step) {
            try {
                step.run();
            } catch (IllegalStateException
                    | FiberFailedException
                    | FiberTimeoutException
                    | Disturbance expected) {
                assertTrue(expected.getMessage() != null, expected::toString);
            } catch (Exception other) {
                throw new AssertionError(other);
            }
        }

        private Object run(Coroutine<Object, Object> me, int number) {
            begun.add(number);
            try {
                return body(me, number);
            } finally {
                noteReturn(me);
            }
        }

        private Object body(Coroutine<Object, Object> me, int number) {
            for (int step = random.nextInt(STEPS); step > 0; step--) {
                if (random.nextInt(isTransferring ? 10 : 3) > (isTransferring ? 8 : 0)) {
                    yieldIn(me, number);
                } else {
                    step(me);
                }
            }
            if (random.nextInt(4) == 0) {
                throw new Disturbance();
            }
            return "the end of " + number;
        }

        private void yieldIn(Coroutine<Object, Object> me, int number) {
            Integer value = values++;
            Object before = pending[number];
            pending[number] = value;
            noteReturn(me);
            try {
                me.yield(value);
                sent.add(value);
                pending[number] = null;
            } catch (IllegalStateException notResumed) {
                pending[number] = before;
            } catch (Disturbance raised) {
                sent.add(value);
                pending[number] = null;
            }
        }

        private void use() {
            for (int i = 0; i < STEPS; i++) {
                step(null);
            }
        }

        private void step(@Nullable Coroutine<Object, Object> me) {
            int number = random.nextInt(COROUTINES);
            Coroutine<Object, Object> target = all.get(number);
            Action action =
                    switch (isTransferring && random.nextInt(3) > 0
                            ? 2 + random.nextInt(2)
                            : random.nextInt(isLeaving ? 8 : 5)) {
                        case 0, 1 -> () -> receive(target.resume("in"));
                        case 2 -> () -> receive(target.transfer("in"));
                        case 3 -> () -> Fiber.sleep(some());
                        case 4 -> Fiber::snooze;
                        case 5 -> () -> receive(target.await());
                        case 6 -> () -> receive(target.raise(new Disturbance()));
                        default ->
                                () -> {
                                    if (random.nextInt(4) == 0) {
                                        closed.add(number);
                                        closes++;
                                        target.close();
                                        closes++;
                                    }
                                };
                    };
            if (begun.contains(number)) {
                noteReturn(me);
            }
            if (isLeaving && random.nextInt(2) == 0) {
                play(() -> leaveEarly(me, action));
            } else {
                play(action);
            }
            target.checkInvariants();
        }

        /** It has its token back, unless that has gone back to another meanwhile. */
        private void leaveEarly(@Nullable Coroutine<Object, Object> me, Action action)
                throws Exception {
            Object before = me == null ? null : me.actsFor();
            int returnsBefore = returnsOf(before);
            int closesBefore = closes;
            boolean isDone = CancelScope.moveOnAfter(some(), () -> play(action));
            if (isDone || me == null) {
                return;
            }
            boolean isFirst = returnsOf(before) == returnsBefore && closes == closesBefore;
            Object after = me.actsFor();
            noteReturn(me);
            if (isFirst && before instanceof CallerToken token && token.isLent()) {
                takenBack++;
                assertSame(before, after);
            }
        }

        private int returnsOf(@Nullable Object token) {
            return token == null ? 0 : returns.getOrDefault(token, 0);
        }

        private void noteReturn(@Nullable Coroutine<Object, Object> me) {
            Object token = me == null ? null : me.actsFor();
            if (token != null) {
                returns.put(token, returnsOf(token) + 1);
            }
        }
    }

    private static final class Disturbance extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Disturbance() {
            super("by chance");
        }
    }

    private static void run(long from, long to, boolean isLeaving) {
        int answers = 0;
        int takenBack = 0;
        for (long seed = from; seed < to; seed++) {
            for (boolean seededOrder : new boolean[] {false, true}) {
                World world = new World(seed, isLeaving);
                String replay = "seed=" + seed + " order=" + seededOrder + " left=" + isLeaving;
                Reports reports = new Reports();
                CordOptions options =
                        CordOptions.named("random")
                                .withClock(new CordOptions.VirtualClock(seed, seededOrder))
                                .withUncaught(reports);
                try {
                    Cord.<@Nullable Object>run(
                            options,
                            () -> {
                                world.run();
                                CordImpl.current().checkInvariants();
                                return null;
                            });
                } catch (Throwable failed) {
                    throw new AssertionError(replay, failed);
                }
                for (Reports.Report each : reports.all()) {
                    // Owed by one that was closed.
                    assertTrue(isLeaving, replay);
                    assertEquals(Disturbance.class, Runs.cause(each.failure()).getClass(), replay);
                }
                answers += world.answers;
                takenBack += world.takenBack;
            }
        }
        assertTrue(answers > to - from, "answers=" + answers);
        assertEquals(isLeaving, takenBack > 0, "takenBack=" + takenBack);
    }

    @Test
    void F16_controlNeverGetsLost() {
        run(0, 300, false);
    }

    @Test
    void F5_whatIsLeftLosesNothing() {
        run(0, 300, true);
    }

    @Test
    @Tag("stress")
    void F16_manySeeds() {
        run(1_000, 20_000, false);
        run(1_000, 20_000, true);
    }
}
