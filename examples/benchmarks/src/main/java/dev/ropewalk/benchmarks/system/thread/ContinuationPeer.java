package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Laps;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import jdk.internal.vm.Continuation;
import jdk.internal.vm.ContinuationScope;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The floor: continuations and a run queue, with nothing around them. No timers, no other threads,
 * no failures, no ends.
 */
public final class ContinuationPeer implements Peer {
    private static final ContinuationScope SCOPE = new ContinuationScope("floor");

    private record Hop(long left, long sum) {}

    private static final class Light {
        private @Nullable Continuation continuation;
        private @Nullable Hop given;
    }

    private final ArrayDeque<Light> runQueue = new ArrayDeque<>();
    private @Nullable Hop last;

    @Override
    public Map<String, Program> programs() {
        Map<String, Program> programs = new HashMap<>(ContinuationTurns.programs());
        programs.put("pingpong", n -> ring(n, 2));
        programs.put("ring", n -> ring(n, Sizes.RING));
        return programs;
    }

    private long ring(long hops, int size) {
        List<Light> ring = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            Light light = new Light();
            int next = (i + 1) % size;
            light.continuation = new Continuation(SCOPE, () -> passAlways(light, ring, next));
            ring.add(light);
        }
        last = null;
        give(ring.getFirst(), new Hop(Laps.hops(hops, size), Laps.sum(hops, size)));
        for (Light light = runQueue.poll(); light != null; light = runQueue.poll()) {
            Objects.requireNonNull(light.continuation).run();
        }
        return Objects.requireNonNull(last, "last").sum();
    }

    private void passAlways(Light self, List<Light> ring, int next) {
        for (; ; ) {
            Hop hop = Objects.requireNonNull(self.given, "given");
            Laps.passed(hop.left());
            Hop passed = new Hop(hop.left() - 1, hop.sum() + hop.left());
            if (hop.left() == 1) {
                last = passed;
            } else {
                give(ring.get(next), passed);
            }
            Continuation.yield(SCOPE);
        }
    }

    private void give(Light to, Hop hop) {
        to.given = hop;
        runQueue.add(to);
    }
}
