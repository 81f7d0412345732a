package dev.ropewalk.benchmarks.observed;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A cord of its own with many actors, and the work that they do. */
final class Field implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final long SEED = 0x9E37_79B9_7F4A_7C15L;

    private final Cord cord = Cord.start("observed");
    private final ActorSystem system;
    private final List<ActorRef<Order>> actors = new ArrayList<>();

    /** The last one gets it with {@code left == 0}. */
    private record Order(long left, long random, int among, Recipient<Long> done) {
        Order next(long drawn) {
            return new Order(left - 1, drawn, among, done);
        }
    }

    Field(int size) {
        system =
                ActorSystem.start(
                        Tree.oneForOne("field"), ActorSystemOptions.defaults().over(List.of(cord)));
        Actor<Order> account = Actor.handler(() -> new Account(0));
        for (int i = 0; i < size; i++) {
            actors.add(system.start("a" + i, account));
        }
    }

    /** Passes orders on. */
    private final class Account implements Behavior<Order> {
        private long handled;

        Account(long handled) {
            this.handled = handled;
        }

        @Override
        public Behavior<Order> onMessage(Order order) {
            handled++;
            if (order.left == 0) {
                order.done.tell(handled);
            } else {
                long drawn = order.random * SEED + 1;
                int to = (int) (order.among == 2 ? order.left & 1 : (drawn >>> 33) % order.among);
                actors.get(to).tell(order.next(drawn));
            }
            return Behavior.same();
        }
    }

    /**
     * Passes an order on so many times. Blocks.
     *
     * @param among how many actors: 2 to play ping-pong, or all, at random
     */
    void pass(long messages, int among) {
        actors.getFirst().<Long>ask(done -> new Order(messages - 1, SEED, among, done), LIMIT);
    }

    /**
     * The same; the longest time in which a fiber of the cord had no turn meanwhile, of the
     * processor time of its thread: the system gives the processor to others for milliseconds, also
     * while nobody looks. Blocks.
     */
    long longestGapNs(long messages, int among) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] longest = {0};
        boolean[] isOver = {false};
        Fiber<?> watcher =
                cord.spin(
                        "watches",
                        () -> {
                            long last = threads.getCurrentThreadCpuTime();
                            while (!isOver[0]) {
                                Fiber.snooze();
                                long now = threads.getCurrentThreadCpuTime();
                                longest[0] = Math.max(longest[0], now - last);
                                last = now;
                            }
                        });
        pass(messages, among);
        cord.spin("ends", () -> isOver[0] = true).await();
        watcher.await();
        return longest[0];
    }

    int size() {
        return actors.size();
    }

    @Override
    public void close() {
        system.close();
        cord.close();
    }
}
