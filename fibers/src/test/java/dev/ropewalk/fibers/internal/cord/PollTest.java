package dev.ropewalk.fibers.internal.cord;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.SleepTest;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Condition;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Rule F2: the cord looks at timers and inbox after POLL_INTERVAL switches, whatever wakes whom.
 * The tests count switches, not time, so that a slow machine does not make them fail.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class PollTest {
    /** Fibers of the largest pattern. */
    private static final int SWARM = 100;

    /** The entries that may lie before the one that the look made runnable. */
    private static final int SLACK = SWARM + 4;

    private static final int MAX_SWITCHES = 1_000_000;

    /** Ways in which fibers can keep their cord busy for ever; each step is one switch. */
    enum Pattern {
        LONE_SNOOZE {
            @Override
            void keepBusy(Steps steps) {
                while (steps.goOn()) {
                    Fiber.snooze();
                }
            }
        },
        SNOOZING_PAIR {
            @Override
            void keepBusy(Steps steps) {
                Fiber<?> other = Fiber.spin(() -> LONE_SNOOZE.keepBusy(steps));
                LONE_SNOOZE.keepBusy(steps);
                other.await();
            }
        },
        INSTANT_RESUME {
            @Override
            void keepBusy(Steps steps) {
                // An instant resume yields to nobody, so a snooze must follow some time.
                while (steps.goOn()) {
                    for (int i = 0; i < SWARM && steps.goOn(); i++) {
                        Fiber.current().schedule("again");
                        Fiber.suspend();
                    }
                    Fiber.snooze();
                }
            }
        },
        SCHEDULING_PAIR {
            @Override
            void keepBusy(Steps steps) {
                Fiber<?> me = Fiber.current();
                Fiber<?> other = Fiber.spin(() -> pingPong(steps, me));
                pingPong(steps, other);
                other.await();
            }

            private void pingPong(Steps steps, Fiber<?> peer) {
                while (steps.goOn()) {
                    peer.schedule("ping");
                    if (peer.state() != FiberState.DEAD) {
                        Fiber.suspend();
                    }
                }
                peer.schedule("last");
            }
        },
        RESUMING_PAIR {
            @Override
            void keepBusy(Steps steps) {
                Fiber<?> me = Fiber.current();
                Fiber<?> other =
                        Fiber.spin(
                                () -> {
                                    while (steps.goOn()) {
                                        Waits.resume(me, FiberImpl.of(me).nextWaitNumber(), "ping");
                                        Fiber.snooze();
                                    }
                                    Waits.resume(me, FiberImpl.of(me).nextWaitNumber(), "last");
                                });
                while (steps.goOn()) {
                    Waits.park("ping");
                }
                other.await();
            }
        },
        CHILD_AFTER_CHILD {
            @Override
            void keepBusy(Steps steps) {
                while (steps.goOn()) {
                    Fiber.spin(() -> {}).await();
                }
            }
        },
        SWARMS_THAT_NEVER_WAIT {
            @Override
            void keepBusy(Steps steps) {
                while (steps.goOn()) {
                    for (int i = 0; i < SWARM; i++) {
                        Fiber.spin(steps::goOn);
                    }
                    Fiber.snooze();
                }
            }
        },
        /** As two users of a channel without a buffer: each waits for the other's signal. */
        EVENT_PAIR {
            @Override
            void keepBusy(Steps steps) {
                Event ping = Event.local();
                Event pong = Event.local();
                Fiber<?> other =
                        Fiber.spin(
                                () -> {
                                    do {
                                        ping.await();
                                        pong.signal();
                                    } while (steps.goOn());
                                });
                while (steps.goOn()) {
                    ping.signal();
                    pong.await();
                }
                ping.signal();
                other.await();
            }
        },
        /** Where Tarantool's timer is 501 ms late. */
        CONDITION_PAIR {
            @Override
            void keepBusy(Steps steps) {
                Mutex mutex = Mutex.local();
                Condition changed = mutex.newCondition();
                int[] turn = new int[1];
                Fiber<?> other = Fiber.spin(() -> pingPong(steps, mutex, changed, turn, 1));
                pingPong(steps, mutex, changed, turn, 0);
                other.await();
            }

            private void pingPong(
                    Steps steps, Mutex mutex, Condition changed, int[] turn, int mine) {
                mutex.run(
                        () -> {
                            while (steps.goOn()) {
                                while (turn[0] == 1 - mine) {
                                    changed.await();
                                }
                                if (turn[0] == mine) {
                                    turn[0] = 1 - mine;
                                    changed.signal();
                                }
                            }
                            turn[0] = 2;
                            changed.signal();
                        });
            }
        },
        HANDLER_PAIR {
            @Override
            void keepBusy(Steps steps) {
                List<Fiber<?>> pair = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    int peer = 1 - i;
                    Cord cord = Cord.current();
                    pair.add(
                            cord.spinHandler(
                                    "handler" + i,
                                    value -> {
                                        boolean goOn = steps.goOn();
                                        if (value != Handler.START) {
                                            Waits.resumeHandler(pair.get(peer), "ping");
                                        }
                                        return goOn ? Handler.WAIT : Handler.END;
                                    }));
                }
                Fiber.snooze();
                Waits.resumeHandler(pair.getFirst(), "first");
                pair.getFirst().await();
                pair.getLast().terminate();
            }
        };

        abstract void keepBusy(Steps steps);
    }

    /** Counts switches from the moment at which something is due. */
    abstract static class Steps {
        private int sinceDue;
        private int all;
        private boolean over;

        abstract boolean isDue();

        boolean goOn() {
            all++;
            if (isDue()) {
                sinceDue++;
            }
            return !over && all < MAX_SWITCHES;
        }

        void done() {
            over = true;
            assertTrue(
                    sinceDue <= FiberLoop.POLL_INTERVAL + SLACK,
                    () -> "switches=" + sinceDue + " > POLL_INTERVAL=" + FiberLoop.POLL_INTERVAL);
        }
    }

    /** On cords with real time: of both kinds of stacks, and with late unmount. */
    private static void onAllCords(Action body) {
        Runs.real(body);
        Reports reports = new Reports();
        Cord.<@Nullable Object>run(
                CordOptions.named("late").withUncaught(reports).withLateUnmount(true),
                () -> {
                    body.run();
                    CordImpl.current().checkInvariants();
                    return null;
                });
        reports.assertNone();
    }

    /** Counts from the moment at which a sleep that this fiber begins now is over. */
    private static final class TimerSteps extends Steps {
        private static final Duration TIME = Duration.ofMillis(3);

        private final Cord cord = Cord.current();
        private final Fiber<?> sleeper =
                Fiber.spin(
                        () -> {
                            Fiber.sleep(TIME);
                            done();
                        });
        private boolean armed;
        private long dueNs;

        @Override
        boolean isDue() {
            if (!armed) {
                armed = sleeper.state() == FiberState.WAITING;
                dueNs = cord.nanoTime() + TIME.toNanos();
                return false;
            }
            return cord.nanoTime() - dueNs >= 0;
        }
    }

    @ParameterizedTest
    @EnumSource(Pattern.class)
    void F2_timerBesideBusyFibersIsLateByAtMostOnePoll(Pattern pattern) {
        onAllCords(
                () -> {
                    TimerSteps steps = new TimerSteps();
                    Fiber<?> busy = Fiber.spin(() -> pattern.keepBusy(steps));
                    steps.sleeper.await();
                    busy.await();
                });
    }

    /** Where marl's timer is 501 ms late. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void F2_timerBesideATaskThatSpinsItselfAgainIsLateByAtMostOnePoll(boolean late) {
        Reports reports = new Reports();
        CordOptions cord = CordOptions.named("one").withUncaught(reports).withLateUnmount(late);
        SchedulerOptions one = SchedulerOptions.named("one").withCords(1).withCord(cord);
        try (Scheduler scheduler = Scheduler.start(one)) {
            scheduler
                    .spin(
                            () -> {
                                TimerSteps steps = new TimerSteps();
                                scheduler.execute(
                                        new Runnable() {
                                            @Override
                                            public void run() {
                                                if (steps.goOn()) {
                                                    scheduler.execute(this);
                                                }
                                            }
                                        });
                                steps.sleeper.await();
                                return steps;
                            })
                    .await();
        }
        reports.assertNone();
    }

    @ParameterizedTest
    @EnumSource(Pattern.class)
    void F2_inboxBesideBusyFibersIsLateByAtMostOnePoll(Pattern pattern) {
        for (boolean late : new boolean[] {false, true}) {
            inboxBesideBusyFibers(pattern, late);
        }
    }

    private static void inboxBesideBusyFibers(Pattern pattern, boolean late) {
        CountDownLatch isBusy = new CountDownLatch(1);
        AtomicBoolean posted = new AtomicBoolean();
        Reports reports = new Reports();
        Cord cord =
                Cord.start(CordOptions.named("busy").withUncaught(reports).withLateUnmount(late));
        Steps steps =
                new Steps() {
                    private int steps;

                    @Override
                    boolean isDue() {
                        if (++steps == 10_000) {
                            isBusy.countDown();
                        }
                        return posted.get();
                    }
                };
        Fiber<@Nullable Void> busy = cord.spin("busy", () -> pattern.keepBusy(steps));
        Runs.await(isBusy);
        Fiber<@Nullable Void> poster = cord.spin("late", steps::done);
        posted.set(true);
        poster.await();
        busy.await();
        Runs.checkAndClose(cord);
        reports.assertNone();
    }

    /** With 2 ms between two switches POLL_INTERVAL of them would be a quarter of a second. */
    @Test
    void F2_tickerMarksACordWhoseFibersRunLongBetweenSwitches() {
        Runs.real(
                () -> {
                    boolean[] over = new boolean[1];
                    Fiber<?> sleeper =
                            Fiber.spin(
                                    () -> {
                                        Fiber.sleep(Duration.ofMillis(1));
                                        over[0] = true;
                                    });
                    Fiber.snooze();
                    int switches = 0;
                    while (!over[0]) {
                        SleepTest.busy(Duration.ofMillis(2));
                        Fiber.snooze();
                        switches++;
                    }
                    sleeper.await();
                    assertTrue(switches < FiberLoop.POLL_INTERVAL * 3 / 4, "switches=" + switches);
                });
    }

    @Test
    void F2_floodOfMessagesStarvesNeitherFibersNorTimers() {
        Runs.real(
                () -> {
                    Cord cord = Cord.current();
                    boolean[] over = new boolean[1];
                    int[] floods = new int[1];
                    cord.post(
                            new CordMessage() {
                                @Override
                                public void onCord() {
                                    floods[0]++;
                                    if (!over[0]) {
                                        cord.post(this);
                                    }
                                }

                                @Override
                                public void onClosed() {
                                    // The last one comes after the end.
                                }
                            });
                    Fiber.spin(() -> Runs.snooze(1_000)).await();
                    Fiber.sleep(Duration.ofMillis(5));
                    over[0] = true;
                    assertTrue(floods[0] > 0);
                    assertEquals("answer", cord.spin("one more", () -> "answer").await());
                });
    }
}
