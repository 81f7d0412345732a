package dev.ropewalk.actors.cluster.internal.shard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Move;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Owner;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Taker;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Rule A7: the table of shards as a function, and as text. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class ShardTableTest {
    private static final String KEY = "c/shards";

    private static Taker node(int number) {
        return new Taker(new Owner("node " + number, 1_000 + number), "1");
    }

    private static List<Taker> nodes(int count) {
        return IntStream.range(0, count).mapToObj(ShardTableTest::node).toList();
    }

    private static ShardTable fair(List<Taker> nodes) {
        return ShardTable.empty().settled(Set.of(), nodes).written(10);
    }

    private static int count(ShardTable table, Taker taker) {
        return table.shardsOf(taker.owner()).size();
    }

    private static void assertFair(ShardTable table, List<Taker> nodes) {
        List<Integer> counts = nodes.stream().map(each -> count(table, each)).sorted().toList();
        assertEquals(Shards.COUNT, counts.stream().mapToInt(Integer::intValue).sum());
        assertTrue(counts.getLast() - counts.getFirst() <= 1, () -> "" + counts);
    }

    private static @Nullable Move nextMove(ShardTable table, List<Taker> nodes) {
        Move only = null;
        Map<String, Integer> sizes = table.sizes();
        for (Taker each : nodes) {
            boolean hasTwo = sizes.getOrDefault(each.owner().node(), 0) > 1; // saves time
            Move move = hasTwo ? table.nextMove(each.owner(), nodes) : null;
            if (move != null) {
                assertNull(only, "two give at once");
                assertEquals(each.owner(), table.owner(move.shard()));
                only = move;
            }
        }
        return only;
    }

    // ---------------------------------------------------------------- moves

    @Test
    void A7_aJoinMovesTheFairShareAtMost() {
        ShardTable table = fair(nodes(2));
        long revision = 10;
        for (int size = 3; size <= 1_000; size++) {
            List<Taker> nodes = nodes(size);
            int moves = 0;
            Move move = nextMove(table, nodes);
            while (move != null) {
                assertEquals(node(size - 1).owner(), move.to(), "only the new one gets some");
                table = table.given(move).written(++revision);
                moves++;
                move = nextMove(table, nodes);
            }
            int joined = size;
            assertTrue(moves <= Shards.COUNT / size, () -> "a join of node " + joined);
            assertFair(table, nodes);
        }
    }

    @Test
    void A7_anyTableBecomesFairWithFewMoves() {
        for (long seed : TestCords.seedsOr(LongStream.range(0, 30).toArray())) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Taker> nodes = nodes(2 + random.nextInt(8));
            ShardTable table = fair(nodes);
            for (int i = 0; i < 300; i++) {
                Owner to = nodes.get(random.nextInt(nodes.size())).owner();
                table = table.given(new Move(random.nextInt(Shards.COUNT), to)).written(11 + i);
            }
            int moves = 0;
            Move move = nextMove(table, nodes);
            while (move != null) {
                table = table.given(move).written(1_000 + moves);
                moves++;
                move = nextMove(table, nodes);
            }
            assertFair(table, nodes);
            assertTrue(moves < Shards.COUNT, "seed " + seed + ": " + moves);
        }
    }

    @Test
    void A7_nobodyGivesToALeavingNodeAndItsShardsGoInFairShares() {
        List<Taker> nodes = nodes(4);
        Owner leaving = nodes.getFirst().owner();
        List<Taker> staying = nodes.subList(1, 4);
        ShardTable marked = fair(nodes).withLeaving(leaving);
        assertNull(nextMove(marked, nodes));
        ShardTable empty = marked.givenToFewest(marked.shardsOf(leaving), nodes).written(11);
        assertEquals(0, count(empty, nodes.getFirst()));
        assertFair(empty, staying);
        assertNull(nextMove(empty, nodes), "not back to the one that leaves");
        ShardTable orphaned = empty.settled(Set.of(nodes.get(2).owner()), nodes).written(12);
        assertEquals(0, count(orphaned, nodes.getFirst()), "no orphans either");
        assertFalse(orphaned.settled(Set.of(leaving), staying).isLeaving(leaving));
    }

    @Test
    void A7_theLastOneThatLeavesLeavesShardsToNobodyUntilOneComes() {
        List<Taker> one = nodes(1);
        Owner leaving = one.getFirst().owner();
        ShardTable marked = fair(one).withLeaving(leaving);
        ShardTable left = marked.givenToFewest(marked.shardsOf(leaving), one).written(11);
        assertNull(left.owner(0));
        assertEquals(0, left.epoch(0));
        assertSame(left, left.settled(Set.of(), one), "there is nobody to take them");
        List<Taker> next = List.of(node(7));
        assertFair(left.settled(Set.of(leaving), next), next);
    }

    @Test
    void A7_orphansGoToTheFewestAndTheRestStays() {
        List<Taker> nodes = nodes(5);
        ShardTable before = fair(nodes);
        Owner dead = nodes.get(3).owner();
        List<Taker> left = List.of(node(0), node(1), node(2), node(4));
        ShardTable after = before.settled(Set.of(dead), left);
        assertFair(after, left);
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            if (!dead.equals(before.owner(shard))) {
                assertEquals(before.owner(shard), after.owner(shard));
            }
        }
        assertSame(after, after.settled(Set.of(dead), left), "once");
        Owner again = new Owner(dead.node(), 5);
        assertFalse(after.named().contains(again), "another life of the name owns nothing");
    }

    @Test
    void A7_twoVersionsMoveOnlyAwayFromNodesThatLeaveToTheNewerOne() {
        Taker newer = new Taker(new Owner("new", 1), "1.10");
        List<Taker> old = nodes(3).stream().map(each -> new Taker(each.owner(), "1.9")).toList();
        List<Taker> all = new ArrayList<>(old);
        all.add(newer);
        ShardTable table = fair(old);
        assertNull(nextMove(table, all), "no balance");
        Owner leaving = old.getFirst().owner();
        ShardTable marked = table.withLeaving(leaving);
        ShardTable moved = marked.givenToFewest(marked.shardsOf(leaving), all);
        assertEquals(count(table, old.getFirst()), count(moved, newer));
        ShardTable orphaned = table.settled(Set.of(leaving), all);
        assertEquals(count(table, old.getFirst()), count(orphaned, newer));
        ShardTable newerLeaves = moved.written(11).withLeaving(newer.owner());
        ShardTable back =
                newerLeaves.givenToFewest(newerLeaves.shardsOf(newer.owner()), all.subList(1, 4));
        assertFair(back, old.subList(1, 3));
    }

    @Test
    void A7_versionsAreComparedByTheirNumbers() {
        List<String> inOrder =
                List.of("", "1", "1.2", "1.9", "1.10", "1.10-a", "1.10-b", "2", "10");
        for (int i = 0; i < inOrder.size(); i++) {
            for (int j = 0; j < inOrder.size(); j++) {
                assertEquals(
                        Integer.compare(i, j),
                        Integer.signum(ShardTable.compareVersions(inOrder.get(i), inOrder.get(j))),
                        inOrder.get(i) + " and " + inOrder.get(j));
            }
        }
        assertTrue(ShardTable.compareVersions("1.0", "1.00") != 0, "differs, so all must agree");
    }

    // ---------------------------------------------------------------- epochs and text

    @Test
    void A7_anEpochIsTheRevisionThatMadeTheOwner() {
        List<Taker> nodes = nodes(3);
        ShardTable table = fair(nodes);
        assertEquals(10, table.epoch(0));
        Move move = nextMove(table, nodes(4));
        assertNotNull(move);
        ShardTable changed = table.given(move);
        StoreEntry entry = new StoreEntry(KEY, 25, changed.bytes());
        ShardTable read = ShardTable.read(entry);
        assertEquals(25, read.epoch(move.shard()));
        assertEquals(10, read.epoch(255));
        assertArrayEquals(changed.written(25).bytes(), read.bytes());
        ShardTable later = ShardTable.read(new StoreEntry(KEY, 31, read.bytes()));
        assertEquals(25, later.epoch(move.shard()), "it stays");
    }

    @Test
    void A7_aTableIsReadAsItWasWritten() {
        List<Taker> nodes = nodes(3);
        Owner odd = new Owner("new: - \u00e4 ", -1);
        ShardTable table =
                fair(nodes)
                        .withLeaving(nodes.getFirst().owner())
                        .withLeaving(odd)
                        .given(new Move(7, odd))
                        .written(12);
        ShardTable read = ShardTable.read(new StoreEntry(KEY, 12, table.bytes()));
        assertArrayEquals(table.bytes(), read.bytes());
        assertEquals(odd, read.owner(7));
        assertTrue(read.isLeaving(odd));
        assertEquals("leaving: ffffffffffffffff new: - \u00e4 ", line(read, 1));
        assertEquals("00: 10 3e8 node 0", line(read, 3));
    }

    private static String line(ShardTable table, int number) {
        return new String(table.bytes(), UTF_8).lines().toList().get(number);
    }

    @Test
    void A7_anotherHashOrCountIsRefusedWithBothHeads() {
        byte[] bytes = fair(nodes(1)).bytes();
        for (String other :
                List.of("ropewalk shards: 512", "hash: CRC-64", "version: 2", "format: 2")) {
            String name = other.substring(0, other.indexOf(": ") + 2);
            int at = ShardHead.LINE.lastIndexOf(name);
            String head = ShardHead.LINE.substring(0, at) + other;
            String text = head + "\n" + new String(bytes, UTF_8);
            RefusedTableException refused =
                    assertThrows(
                            RefusedTableException.class,
                            () -> ShardTable.read(new StoreEntry(KEY, 5, text.getBytes(UTF_8))));
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains(head) && message.contains(ShardHead.LINE), message);
        }
    }

    @Test
    void A7_damagedTextIsRefusedAndNothingElse() {
        int refused = 0;
        for (long seed : TestCords.seedsOr(LongStream.range(0, 3_000).toArray())) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Taker> nodes = nodes(1 + random.nextInt(3));
            byte[] bytes = fair(nodes).withLeaving(nodes.getFirst().owner()).bytes();
            byte[] damaged = damaged(bytes, random);
            StoreEntry entry = new StoreEntry(KEY, 12, damaged);
            try {
                ShardTable read = ShardTable.read(entry);
                assertArrayEquals(
                        read.bytes(),
                        ShardTable.read(new StoreEntry(KEY, 12, read.bytes())).bytes());
            } catch (RefusedTableException expected) {
                assertTrue(String.valueOf(expected.getMessage()).contains(KEY), "seed " + seed);
                refused++;
            }
        }
        assertTrue(refused > 0, "none was refused");
    }

    private static byte[] damaged(byte[] bytes, SplittableRandom random) {
        byte[] copy = bytes.clone();
        switch (random.nextInt(4)) {
            case 0 -> random.nextBytes(copy);
            case 1 -> copy[random.nextInt(copy.length)] = (byte) random.nextInt(256);
            case 2 -> {
                String text = new String(bytes, ISO_8859_1);
                int at = ShardHead.LINE.length() + random.nextInt(200);
                String odd =
                        List.of("\n", "\r", ": ", "x", "-", "new ", " ").get(random.nextInt(7));
                return (text.substring(0, at) + odd + text.substring(at)).getBytes(ISO_8859_1);
            }
            default -> {
                return Arrays.copyOf(copy, random.nextInt(copy.length));
            }
        }
        return copy;
    }

    @Test
    void A7_theShardOfAKeyIsFixedForEver() {
        assertEquals(0xE3069283L % 256, Shards.of("123456789"), "CRC-32C of the standard's text");
        assertEquals(0, Shards.of(""));
        assertEquals("ff", Shards.hex(255));
    }
}
