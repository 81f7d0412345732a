package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/** Ropewalk's tasks, on a scheduler of one cord or of two. */
public final class RopewalkTasks implements Peer {
    private final Scheduler one = Scheduler.start(SchedulerOptions.named("one").withCords(1));
    private final Scheduler two = Scheduler.start(SchedulerOptions.named("two").withCords(2));

    @Override
    public Map<String, Program> programs() {
        return Map.of(
                "tasks", n -> tasks(n, one),
                "tasks_free", n -> tasks(n, two),
                "skynet", n -> one.spin(() -> skynet(0, n, one)).await(),
                "skynet_free", n -> two.spin(() -> skynet(0, n, two)).await());
    }

    private static long tasks(long n, Scheduler scheduler) throws InterruptedException {
        LongAdder sum = new LongAdder();
        CountDownLatch ended = new CountDownLatch(Math.toIntExact(n));
        scheduler.execute(() -> makeAll(n, scheduler, sum, ended));
        ended.await();
        return sum.sum();
    }

    private static void makeAll(long n, Scheduler scheduler, LongAdder sum, CountDownLatch ended) {
        for (long value = 1; value <= n; value++) {
            long added = value;
            scheduler.execute(
                    () -> {
                        sum.add(added);
                        ended.countDown();
                    });
            if (value % Sizes.BURST == 0) {
                Fiber.snooze();
            }
        }
    }

    private static long skynet(long number, long size, Scheduler scheduler) {
        if (size == 1) {
            return number;
        }
        List<Fiber<Long>> children = new ArrayList<>(Sizes.FANOUT);
        long part = size / Sizes.FANOUT;
        for (int i = 0; i < Sizes.FANOUT; i++) {
            long first = number + i * part;
            children.add(scheduler.spin(() -> skynet(first, part, scheduler)));
        }
        long sum = 0;
        for (Fiber<Long> child : children) {
            sum += child.await();
        }
        return sum;
    }

    @Override
    public void close() {
        one.close();
        two.close();
    }
}
