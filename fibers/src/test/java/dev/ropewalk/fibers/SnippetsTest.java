package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.FiberSupervision;
import dev.ropewalk.fibers.supervision.FiberSupervisor;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.sync.Condition;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/** The code that the Javadoc shows. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SnippetsTest {
    private static final Duration SHORT = Duration.ofMillis(10);

    private static String fetch(String what, Duration time) {
        Fiber.sleep(time);
        return what;
    }

    @Test
    void timeLimits() {
        Runs.inAnyOrder(
                () -> {
                    Duration quick = Duration.ofMillis(10);
                    Duration slow = Duration.ofMinutes(1);
                    // @start region="cancelAfter"
                    // Throws FiberTimeoutException if it takes longer than a second.
                    String page =
                            CancelScope.cancelAfter(
                                    Duration.ofSeconds(1), () -> fetch("page", quick));

                    // Goes on with an old one instead.
                    String news =
                            CancelScope.moveOnAfter(
                                    Duration.ofSeconds(1), "old news", () -> fetch("news", slow));

                    // Each step has five seconds, however many there are.
                    CancelScope steps = CancelScope.withLimit(Duration.ofSeconds(5));
                    steps.run(
                            () -> {
                                for (int step = 0; step < 100; step++) {
                                    fetch("step", Duration.ofSeconds(4));
                                    steps.reset();
                                }
                            });
                    // @end
                    assertEquals("page", page);
                    assertEquals("old news", news);
                });
    }

    @Test
    void shields() {
        Runs.inAnyOrder(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<?> fiber =
                            Fiber.spin(
                                    () -> {
                                        // @start region="shielded"
                                        try {
                                            log.add(fetch("page", Duration.ofDays(1)));
                                        } finally {
                                            // Waits for two seconds at most, whatever happens.
                                            CancelScope.shielded(
                                                    Duration.ofSeconds(2),
                                                    () -> log.add(fetch("bye", SHORT)));
                                        }
                                        // @end
                                    });
                    Runs.settle();
                    fiber.terminate();
                    assertThrows(FiberTerminatedException.class, fiber::await);
                    assertEquals(List.of("bye"), log);
                });
    }

    @Test
    void locks() {
        Runs.inAnyOrder(
                () -> {
                    int[] balance = {40};
                    // @start region="mutex"
                    Mutex mutex = Mutex.local(); // Mutex.shared() for several cords and threads
                    Condition changed = mutex.newCondition();
                    Fiber<Integer> rich =
                            Fiber.spin(
                                    () ->
                                            mutex.call(
                                                    () -> {
                                                        while (balance[0] < 42) {
                                                            changed.await();
                                                        }
                                                        return balance[0];
                                                    }));
                    mutex.run(
                            () -> {
                                int read = balance[0];
                                Fiber.sleep(Duration.ofMillis(1)); // nobody else gets in
                                balance[0] = read + 2;
                                changed.signal();
                            });
                    // @end
                    assertEquals(42, rich.await());
                });
    }

    @Test
    void whatBlocksElsewhere() {
        Runs.inAnyOrder(
                () -> {
                    // @start region="blocking"
                    // On a virtual thread; the fiber waits, and for a second at most.
                    String line =
                            CancelScope.cancelAfter(
                                    Duration.ofSeconds(1),
                                    () -> Blocking.call(() -> slowLine("config")));
                    // @end
                    assertEquals("config", line);
                    // @start region="futures"
                    CompletableFuture<String> reply = CompletableFuture.completedFuture("reply");
                    String text = Futures.await(reply);

                    Fiber<Integer> fiber = Fiber.spin(() -> text.length());
                    CompletableFuture<Integer> length = fiber.toFuture();
                    // @end
                    assertEquals(5, Futures.await(length));
                });
    }

    private static String slowLine(String line) throws IOException {
        if (line.isEmpty()) {
            throw new IOException("empty");
        }
        return line;
    }

    @Test
    void scopes() {
        Runs.inAnyOrder(
                () -> {
                    Duration time = Duration.ofMillis(10);
                    // @start region="call"
                    // Both run at once; if one fails, the other is ended and the call throws.
                    String both =
                            Scope.call(
                                    scope -> {
                                        Fiber<String> user =
                                                scope.spin("user", () -> fetch("user", time));
                                        Fiber<String> order =
                                                scope.spin("order", () -> fetch("order", time));
                                        return user.await() + " and " + order.await();
                                    });

                    // The first mirror that answers; the others are ended.
                    String first =
                            Scope.join(
                                    Joiner.<String>firstSuccess(),
                                    scope -> {
                                        scope.spin("near", () -> fetch("near", time));
                                        scope.spin("far", () -> fetch("far", time.multipliedBy(9)));
                                    });
                    // @end
                    assertEquals("user and order", both);
                    assertEquals("near", first);
                    assertThrows(
                            FiberFailedException.class,
                            () -> Scope.run(scope -> scope.spin("bad", SnippetsTest::fail)));
                });
    }

    @Test
    void supervisors() {
        Runs.inAnyOrder(
                () -> {
                    List<String> lines = new ArrayList<>();
                    // @start region="supervise"
                    // Reads for ever; after a failure again, sooner or later, 5 times a minute at
                    // most.
                    FiberSupervision rules =
                            FiberSupervision.restarting(RestartRule.TRANSIENT)
                                    .withIntensity(5, Duration.ofMinutes(1))
                                    .withBackOff(
                                            BackOff.doubling(
                                                    Duration.ofMillis(100), Duration.ofSeconds(5)))
                                    .withOnFailure((fiber, failure) -> lines.add(fiber.name()));
                    FiberSupervisor.run(
                            rules,
                            supervisor -> {
                                supervisor.spin("reader", () -> read(lines));
                                supervisor.spin("writer", () -> write(lines));
                            });
                    // @end
                    assertEquals(List.of("reader", "reader", "read", "written"), lines);
                });
    }

    @Test
    void cords() {
        Runs.real(
                () -> {
                    // @start region="join"
                    Fiber<Integer> root = Cord.start(CordOptions.named("sums"), () -> sum(1_000));
                    Cord sums = root.cord();
                    try (sums) { // takes the cord along if this fiber fails or is terminated
                        assertEquals(500_500, root.await());
                    }
                    // @end
                    assertTrue(sums.awaitEnd(Duration.ZERO));
                });
        // @start region="executor"
        try (Cord cord = Cord.start("executor")) {
            CompletableFuture<String> page =
                    CompletableFuture.supplyAsync(() -> fetch("page", SHORT), cord);
            assertEquals("page", page.join());
        }
        // @end
        List<Cord> initialised = new CopyOnWriteArrayList<>();
        // @start region="thread"
        CordOptions options =
                CordOptions.named("pinned")
                        .withCpus(0)
                        .withThreadFactory(Thread.ofPlatform().name("pinned").daemon()::unstarted)
                        .withInitialiser(() -> initialised.add(Cord.current()));
        // @end
        assertEquals(Set.of(0), options.thread().cpus());
        try (Cord cord = Cord.start(options.withCpus())) {
            assertEquals("up", cord.spin("first", () -> "up").await());
            assertEquals(List.of(cord), initialised);
        }
    }

    private static int sum(int numbers) {
        return IntStream.rangeClosed(1, numbers).sum();
    }

    private static void read(List<String> lines) throws Exception {
        if (lines.size() < 2) {
            throw new Exception("nothing to read yet");
        }
        lines.add("read");
    }

    private static void write(List<String> lines) {
        Fiber.sleep(Duration.ofSeconds(1));
        lines.add("written");
    }

    private static void fail() throws Exception {
        throw new Exception("bad");
    }
}
