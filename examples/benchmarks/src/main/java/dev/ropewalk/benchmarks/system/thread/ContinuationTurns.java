package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Turns;
import dev.ropewalk.benchmarks.scenario.Frames;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The floor of what yields and waits: bare continuations, entered one after the other. */
final class ContinuationTurns {
    private static final ContinuationScope SCOPE = new ContinuationScope("floor");

    private long counted;

    static Map<String, Program> programs() {
        return Map.of(
                "snooze_10", n -> new ContinuationTurns().inTurn(n, Sizes.FEW, false),
                "snooze_10000", n -> new ContinuationTurns().inTurn(n, Sizes.MANY, false),
                "snooze_gc", n -> new ContinuationTurns().inTurn(n, Sizes.MANY, true),
                "parked", n -> new ContinuationTurns().parked(n));
    }

    private long inTurn(long n, int size, boolean collecting) {
        List<Continuation> all = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            all.add(new Continuation(SCOPE, this::yieldAlways));
        }
        runAll(all);
        counted = 0;
        long laps = n / size;
        Turns.beginLap(collecting, 0);
        for (long lap = 0; lap < laps; lap++) {
            runAll(all);
            Turns.endLap(collecting, lap, laps);
        }
        return counted;
    }

    private static void runAll(List<Continuation> all) {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).run();
        }
    }

    private void yieldAlways() {
        for (; ; ) {
            giveWay();
            counted++;
        }
    }

    private static void giveWay() {
        Continuation.yield(SCOPE);
    }

    private long parked(long n) {
        List<Continuation> all = new ArrayList<>(Math.toIntExact(n));
        while (all.size() < n) {
            Continuation one = new Continuation(SCOPE, this::waitOnce);
            one.run();
            all.add(one);
        }
        Heap.measure();
        runAll(all);
        return counted;
    }

    private void waitOnce() {
        long frames = Frames.first(ContinuationTurns::giveWay);
        counted += frames; // read after the wait, not before
    }
}
