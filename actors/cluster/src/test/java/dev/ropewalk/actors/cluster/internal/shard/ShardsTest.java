package dev.ropewalk.actors.cluster.internal.shard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.internal.lease.LeaseTiming;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.internal.shard.Shards.State;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/** Rule A7: shards of a few nodes, in virtual time. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ShardsTest {
    private static final String TABLE = "c/shards";
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    /** What a test does with nodes. */
    @FunctionalInterface
    private interface Body {
        void run(Nodes nodes) throws Exception;
    }

    private static void run(Body body) {
        for (long seed : TestCords.seedsOr(1, 2, 3)) {
            TestCords.run(
                    1,
                    seed,
                    true,
                    _ -> {
                        Nodes nodes = new Nodes(VirtualCords.current());
                        body.run(nodes);
                        nodes.end();
                    });
        }
    }

    /** Nodes of a run, on one store whose calls take 2 to 10 ms. */
    private static final class Nodes {
        private final VirtualCords run;
        private final MemoryStore store;
        private final List<One> all = new ArrayList<>();

        Nodes(VirtualCords run) {
            this.run = run;
            this.store = MemoryStore.on(run.start("store"));
            store.delay(Duration.ofMillis(2), Duration.ofMillis(10));
        }

        One start(String name, String version) {
            One made = new One(run, run.start(name), name);
            WaitCell begun = new WaitCell();
            made.cord.spin(
                    "main",
                    () -> {
                        Fiber.current().detach();
                        made.begin(store, version);
                        begun.give(true);
                        new WaitCell().await("the end");
                    });
            begun.await("the start");
            all.add(made);
            return made;
        }

        List<One> fair(int count) {
            for (int i = 1; i <= count; i++) {
                start("n" + i, "1");
            }
            awaitFair();
            return List.copyOf(all);
        }

        void awaitFair() {
            await(
                    () -> {
                        List<Integer> counts = all.stream().map(One::count).sorted().toList();
                        int sum = counts.stream().mapToInt(Integer::intValue).sum();
                        return sum == Shards.COUNT && counts.getLast() - counts.getFirst() <= 1;
                    });
        }

        void kill(One one) {
            run.kill(one.cord);
            all.remove(one);
        }

        ShardTable table() {
            return ShardTable.read(store.peek(TABLE));
        }

        void end() {
            for (One each : all) {
                each.on(
                        () -> {
                            each.shards().checkInvariants();
                            return true;
                        });
                run.kill(each.cord);
            }
            store.checkInvariants();
        }
    }

    /** A node, with a handler that counts. */
    private static final class One implements ShardHandler {
        private final Cord cord;
        private final String name;
        private @Nullable Membership membership;
        private @Nullable Shards shards;
        private Duration work = Duration.ZERO;
        private boolean isFailing;
        private int given;
        private int lost;
        private int taken;
        private int changed;

        One(VirtualCords run, Cord cord, String name) {
            this.cord = cord;
            this.name = name;
            run.clockRate(cord, 1);
        }

        void begin(MemoryStore store, String version) {
            Membership joining = new Membership(store, "c", name, "h", 1, new LeaseTiming());
            Shards mine = new Shards(store, "c", joining, version, this, new ShardTiming());
            mine.take();
            membership = joining;
            shards = mine;
            Fiber.spin("keeps", joining::keep);
            Fiber.spin("observes", joining::observe);
            Fiber.spin("moves", mine::run);
        }

        Shards shards() {
            return Objects.requireNonNull(shards);
        }

        Membership membership() {
            return Objects.requireNonNull(membership);
        }

        <T extends @Nullable Object> T on(Callable<T> code) {
            return cord.<T>spin("asks " + name, code).await();
        }

        int count() {
            return on(
                    () -> {
                        int count = 0;
                        for (int shard = 0; shard < Shards.COUNT; shard++) {
                            count += shards().isOwned(shard) ? 1 : 0;
                        }
                        return count;
                    });
        }

        boolean hasOthers() {
            return on(() -> shards().hasOthers());
        }

        boolean leave(Duration limit) {
            return on(() -> shards().leave(limit));
        }

        @Override
        public void giveAway(int shard, Duration limit) {
            if (isFailing) {
                throw new IllegalStateException("it does not stop");
            }
            Fiber.sleep(work);
            given++;
        }

        @Override
        public void lost(int shard) {
            lost++;
        }

        @Override
        public void taken(int shard) {
            taken++;
        }

        @Override
        public void changed() {
            changed++;
        }
    }

    private static long await(BooleanSupplier condition) {
        long beganNs = Waits.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(Waits.nanoTime() - beganNs < LIMIT.toNanos(), "it does not come");
            Fiber.sleep(Duration.ofMillis(10));
        }
        return Duration.ofNanos(Waits.nanoTime() - beganNs).toMillis();
    }

    // ---------------------------------------------------------------- how long it takes

    @Test
    void A7_aFourthNodeGetsItsShareByAsManyMoves() {
        run(
                nodes -> {
                    List<One> three = nodes.fair(3);
                    int before = three.stream().mapToInt(each -> each.given).sum();
                    One fourth = nodes.start("n4", "1");
                    long timeMs = await(() -> fourth.count() == 64);
                    nodes.awaitFair();
                    assertEquals(64, fourth.taken);
                    assertEquals(64, three.stream().mapToInt(each -> each.given).sum() - before);
                    assertTrue(timeMs < 5_000, () -> "the join took " + timeMs + " ms");
                    assertTrue(fourth.changed > 0);
                });
    }

    @Test
    void A7_othersHaveTheShardsOfADeadNodeSoon() {
        run(
                nodes -> {
                    List<One> three = nodes.fair(3);
                    nodes.kill(three.getFirst());
                    long timeMs =
                            await(
                                    () ->
                                            three.get(1).count() + three.get(2).count()
                                                    == Shards.COUNT);
                    assertTrue(timeMs > 2_000, () -> "before the lease ended: " + timeMs + " ms");
                    assertTrue(timeMs < 5_000, () -> "it took " + timeMs + " ms");
                });
    }

    @Test
    void A7_aNodeThatLeavesMovesAllFirst() {
        run(
                nodes -> {
                    List<One> three = nodes.fair(3);
                    One leaving = three.getFirst();
                    leaving.work = Duration.ofMillis(20);
                    long beganNs = Waits.nanoTime();
                    assertTrue(leaving.leave(LONG));
                    long timeMs = Duration.ofNanos(Waits.nanoTime() - beganNs).toMillis();
                    assertEquals(0, leaving.count());
                    assertEquals(0, leaving.lost);
                    assertTrue(timeMs < 500, () -> "it took " + timeMs + " ms");
                    leaving.on(() -> leaving.membership().leave().await("the word"));
                    nodes.all.remove(leaving);
                    nodes.awaitFair();
                    await(() -> nodes.table().named().size() == 2);
                    assertTrue(leaving.leave(LONG), "again");
                });
    }

    // ---------------------------------------------------------------- leaving in bad cases

    @Test
    void A7_theLastNodeReleasesAllAndTheNextOneTakesThem() {
        run(
                nodes -> {
                    One only = nodes.fair(1).getFirst();
                    assertTrue(only.leave(LONG));
                    assertEquals(null, nodes.table().owner(0));
                    only.on(() -> only.membership().leave().await("the word"));
                    nodes.kill(only);
                    One next = nodes.start("n2", "1");
                    await(() -> next.count() == Shards.COUNT);
                });
    }

    @Test
    void A7_leaveEndsByItsLimitAndStopsTheRest() {
        run(
                nodes -> {
                    One slow = nodes.fair(2).getFirst();
                    slow.work = Duration.ofMinutes(10);
                    assertFalse(slow.leave(Duration.ofSeconds(1)));
                    assertEquals(128, slow.lost);
                    assertEquals(0, slow.count());
                });
    }

    @Test
    void A7_severalLeaveAtOnce() {
        run(
                nodes -> {
                    List<One> four = nodes.fair(4);
                    List<Fiber<Boolean>> leaving = new ArrayList<>();
                    for (One each : four.subList(0, 3)) {
                        leaving.add(Fiber.spin(() -> each.leave(LONG)));
                    }
                    for (Fiber<Boolean> each : leaving) {
                        assertTrue(each.await());
                    }
                    await(() -> four.get(3).count() == Shards.COUNT); // it follows the table
                });
    }

    @Test
    void A7_nodesThatLeaveTogetherWaitForNobody() {
        run(
                nodes -> {
                    List<One> two = nodes.fair(2);
                    assertTrue(two.getFirst().hasOthers());
                    Fiber<Boolean> leaving = Fiber.spin(() -> two.getLast().leave(LONG));
                    assertTrue(two.getFirst().leave(LONG));
                    assertTrue(leaving.await());
                    await(() -> !two.getFirst().hasOthers() && !two.getLast().hasOthers());
                });
    }

    // ---------------------------------------------------------------- versions

    @Test
    void A7_whileTwoVersionsRunShardsGoToTheNewerOneOnly() {
        run(
                nodes -> {
                    List<One> old = nodes.fair(3);
                    One newer = nodes.start("n4", "2");
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(0, newer.count(), "no balance");
                    int moving = old.getFirst().count();
                    assertTrue(old.getFirst().leave(LONG));
                    await(() -> newer.count() == moving);
                    nodes.kill(old.getFirst());
                    nodes.kill(old.get(1));
                    await(() -> newer.count() + old.get(2).count() == Shards.COUNT);
                    assertTrue(old.get(2).count() <= 86, "an orphan went to the older one");
                });
    }

    // ---------------------------------------------------------------- refusals

    @Test
    void A7_aTableOfAnotherHashIsRefusedAndStays() {
        run(
                nodes -> {
                    byte[] other = "ropewalk shards: 512\n".getBytes(UTF_8);
                    assertTrue(nodes.store.replace(TABLE, 0, other) instanceof WriteResult.Written);
                    One one = nodes.start("n1", "1");
                    await(() -> one.shards().trouble().contains("ropewalk shards: 512"));
                    Fiber.sleep(LONG);
                    assertEquals(0, one.count());
                    assertEquals(1, nodes.store.peek(TABLE).revision(), "it was written over");
                    assertTrue(one.leave(LONG));
                });
    }

    @Test
    void A7_aTableThatIsRemovedStopsAll() {
        run(
                nodes -> {
                    List<One> two = nodes.fair(2);
                    StoreEntry entry = nodes.store.peek(TABLE);
                    nodes.store.replace(TABLE, entry.revision(), null);
                    await(() -> two.getFirst().count() + two.get(1).count() == 0);
                    assertTrue(two.getFirst().shards().trouble().contains("was removed"));
                    Fiber.sleep(LONG);
                    assertFalse(nodes.store.peek(TABLE).isPresent());
                    ShardTable before = ShardTable.read(entry);
                    nodes.store.replace(TABLE, 0, before.bytes());
                    nodes.awaitFair();
                    assertEquals("", two.getFirst().shards().trouble());
                });
    }

    @Test
    void A7_aVersionIsOneLine() {
        run(
                nodes -> {
                    Membership plain =
                            new Membership(nodes.store, "c", "x", "h", 1, new LeaseTiming());
                    assertThrows(IllegalArgumentException.class, () -> plain.takeShards("1\n2"));
                    assertThrows(IllegalArgumentException.class, () -> plain.takeShards(" "));
                });
    }

    // ---------------------------------------------------------------- the lease and the handler

    @Test
    void A7_withoutTheStoreAnOwnerStopsAndNothingMoves() {
        run(
                nodes -> {
                    List<One> two = nodes.fair(2);
                    nodes.store.crash();
                    long timeMs = await(() -> two.getFirst().lost == 128 && two.get(1).lost == 128);
                    assertTrue(timeMs < 3_100, () -> "it took " + timeMs + " ms");
                    assertEquals(0, two.getFirst().count());
                    ShardTable before = nodes.table();
                    Fiber.sleep(LONG);
                    nodes.store.recover();
                    nodes.awaitFair();
                    for (int shard = 0; shard < Shards.COUNT; shard++) {
                        assertEquals(before.epoch(shard), nodes.table().epoch(shard), "moved");
                    }
                });
    }

    @Test
    void A7_aNodeWithoutTheStoreStopsAndComesWithAnotherLife() {
        run(
                nodes -> {
                    List<One> two = nodes.fair(2);
                    One cut = two.getFirst();
                    nodes.store.cut("n1");
                    await(() -> cut.lost == 128);
                    await(() -> two.get(1).count() == Shards.COUNT);
                    nodes.store.heal("n1");
                    nodes.awaitFair();
                    assertEquals(128, cut.lost);
                    assertEquals("n2", two.get(1).shards().owner(255));
                });
    }

    @Test
    void A7_aShardThatDoesNotStopStays() {
        run(
                nodes -> {
                    One first = nodes.start("n1", "1");
                    await(() -> first.count() == Shards.COUNT);
                    first.isFailing = true;
                    One second = nodes.start("n2", "1");
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(0, second.count());
                    assertEquals(Shards.COUNT, first.count());
                    first.isFailing = false;
                    nodes.awaitFair();
                    assertEquals(0, first.lost);
                });
    }

    @Test
    void A7_aMoveIsSeenInTheDump() {
        run(
                nodes -> {
                    One first = nodes.start("n1", "1");
                    await(() -> first.count() == Shards.COUNT);
                    first.work = Duration.ofSeconds(3);
                    nodes.start("n2", "1");
                    await(() -> first.on(() -> moving(first.shards().snapshot())) == 1);
                    boolean isRight =
                            first.on(
                                    () -> {
                                        Shards mine = first.shards();
                                        int at = 0;
                                        while (mine.snapshot().parts().get(at).state()
                                                != State.GIVING) {
                                            at++;
                                        }
                                        return !mine.isOwned(at)
                                                && mine.isHeld(at, Waits.nanoTime())
                                                && mine.epoch(at) > 0
                                                && "n1".equals(mine.owner(at));
                                    });
                    assertTrue(isRight, "it may finish what it has, and takes nothing new");
                    Shards.Snapshot dump = first.on(() -> first.shards().snapshot());
                    assertEquals(256, dump.taken());
                    assertEquals(nodes.table().revision(), dump.revision());
                });
    }

    private static long moving(Shards.Snapshot dump) {
        return dump.parts().stream().filter(each -> each.state() == State.GIVING).count();
    }

    @Test
    void shardsThatFollowEachOtherAreNamedAsARange() {
        assertEquals("", ShardHead.names(List.of()));
        assertEquals("0a", ShardHead.names(List.of(10)));
        assertEquals("00-02, 05, fe-ff", ShardHead.names(List.of(0, 1, 2, 5, 254, 255)));
    }
}
