package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Timing;
import dev.ropewalk.benchmarks.measure.Turns;
import dev.ropewalk.benchmarks.measure.Wakeful;
import dev.ropewalk.benchmarks.scenario.Frames;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Ropewalk's fibers by themselves: they yield, wait, and wake each other. */
final class RopewalkFibers {
    /** Numbers for which boxes are kept. */
    private static final int SMALL = 127;

    private RopewalkFibers() {}

    /** On one cord. */
    static Map<String, Program> turns() {
        return Map.of(
                "snooze_10", n -> Cord.<Long>run(() -> snooze(n, Sizes.FEW, false)),
                "snooze_10000", n -> Cord.<Long>run(() -> snooze(n, Sizes.MANY, false)),
                "snooze_gc", n -> Cord.<Long>run(() -> snooze(n, Sizes.MANY, true)));
    }

    private static long snooze(long n, int fibers, boolean collecting) {
        List<Fiber<Long>> all = new ArrayList<>(fibers);
        for (int i = 0; i < fibers; i++) {
            int number = i;
            all.add(
                    Fiber.<Long>spin(
                            () -> Turns.take(number, n / fibers, collecting, Fiber::snooze)));
        }
        return sum(all);
    }

    private static long sum(List<Fiber<Long>> fibers) {
        long sum = 0;
        for (Fiber<Long> fiber : fibers) {
            sum += fiber.await();
        }
        return sum;
    }

    /** Bare handler fibers: what actors stand on. */
    static long children(long n) {
        Waiting waiting = new Waiting();
        Fiber<?> parent =
                Fiber.spin(
                        () -> {
                            while (waiting.spun < n) {
                                waiting.spun++;
                                Cord.current().spinHandler("child", waiting);
                                if (waiting.spun % Sizes.BURST == 0) {
                                    Fiber.snooze();
                                }
                            }
                            Fiber.suspend();
                        });
        Fiber.snooze();
        while (waiting.begun < n) {
            Fiber.snooze();
        }
        parent.terminate();
        parent.awaitEnd(RopewalkActors.LIMIT);
        return waiting.ended;
    }

    /** Waits for a turn that does not come. Confined to the cord. */
    private static final class Waiting implements Handler {
        private long spun;
        private long begun;
        private long ended;

        @Override
        public Object handle(@Nullable Object value) {
            begun++;
            return Handler.WAIT;
        }

        @Override
        public boolean onEnd(Fiber<?> fiber, @Nullable Throwable failure) {
            ended++;
            return true;
        }
    }

    static long parked(long n) {
        List<Fiber<Long>> all = new ArrayList<>(Math.toIntExact(n));
        while (all.size() < n) {
            all.add(Fiber.<Long>spin(() -> Frames.first(Fiber::suspend)));
            if (all.size() % Sizes.BURST == 0) {
                Fiber.snooze();
            }
        }
        Fiber.snooze();
        Heap.measure();
        all.forEach(fiber -> fiber.schedule(null));
        return sum(all);
    }

    /** A fiber of the calling cord and one of the second wake each other. */
    static long roundTrips(long n, Cord second) {
        Fiber<?> here = Fiber.current();
        Fiber<?> echo = second.spin("echo", () -> echo(n, here));
        Fiber.suspend();
        long answered = 0;
        Timing.begin();
        for (long i = 0; i < n; i++) {
            Integer sent = (int) i & SMALL;
            echo.schedule(sent);
            if (sent.equals(Fiber.suspend())) {
                answered++;
            }
        }
        Timing.end();
        echo.await();
        return answered;
    }

    private static void echo(long n, Fiber<?> to) {
        to.schedule(null);
        for (long i = 0; i < n; i++) {
            to.schedule(Fiber.suspend());
        }
    }

    /** The calling thread, which is no cord, wakes a fiber of a cord that sleeps. */
    static long wakeUps(long n) {
        try (Cord cord = Cord.start("sleeper")) {
            Wakeful wakeful = new Wakeful();
            Fiber<?> fiber =
                    cord.spin(
                            "sleeper",
                            () -> {
                                for (long i = 0; i <= n; i++) {
                                    wakeful.isAwake(i);
                                    Fiber.suspend();
                                }
                            });
            wakeful.awaitAwake(0);
            long slept = cord.stats().sleeps();
            for (long i = 1; i <= n; i++) {
                Wakeful.letItFallAsleep();
                Timing.begin();
                fiber.schedule(null);
                wakeful.awaitAwake(i);
                Timing.end();
            }
            slept = cord.stats().sleeps() - slept;
            fiber.schedule(null);
            fiber.await();
            return Wakeful.checked(n, slept);
        }
    }
}
