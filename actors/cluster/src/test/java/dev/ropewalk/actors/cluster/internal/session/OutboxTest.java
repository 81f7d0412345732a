package dev.ropewalk.actors.cluster.internal.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Rule A7: what is on its way to another node is bounded, in order, and lost with its name. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OutboxTest {
    private static final int CAPACITY = 1_000;
    private static final long FOREVER = Long.MAX_VALUE;
    private static final int MANY = 100_000;

    /** Behind the length and the type. */
    private static final int LIMIT_AT = 5;

    private final Frame frame = new Frame(TypeTable.of(List.of(), Map.of(), Map.of()), 1 << 20);
    private Outbox out = new Outbox(CAPACITY);

    /** By {@link #burst}. */
    private int acknowledged;

    /** For each seed with an outbox of its own. */
    private void run(Action body) {
        TestCord.run(
                () -> {
                    out = new Outbox(CAPACITY);
                    acknowledged = 0;
                    body.run();
                });
    }

    /** A counted frame of that many bytes behind its head. */
    private Frame counted(int number, int size) {
        frame.begin(FrameType.TELL);
        byte[] content = new byte[size - 1];
        content[0] = (byte) number;
        return frame.bytes(content);
    }

    private Sent add(int number, int size) {
        return out.add(counted(number, size), "m" + number, "to", true);
    }

    private byte[] copy(int number, int size) {
        return counted(number, size).copy().bytes();
    }

    /** The numbers of all frames that the writer takes now. */
    private List<Integer> taken() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        out.add(frame.begin(FrameType.BEAT), null, null, false); // so that it does not wait
        for (boolean isDone = false; !isDone; ) {
            Outbox.Batch batch = Objects.requireNonNull(out.next());
            byte[] next = Arrays.copyOf(batch.bytes, batch.used);
            out.written(batch);
            all.writeBytes(next);
            isDone = next[next.length - 1] == FrameType.BEAT && next[next.length - 2] == 1;
        }
        List<Integer> numbers = new ArrayList<>();
        byte[] bytes = all.toByteArray();
        for (int at = 0; at < bytes.length; ) {
            int length =
                    (bytes[at] & 0xFF) << 24
                            | (bytes[at + 1] & 0xFF) << 16
                            | (bytes[at + 2] & 0xFF) << 8
                            | (bytes[at + 3] & 0xFF);
            if (bytes[at + 4] == FrameType.TELL) {
                numbers.add((int) bytes[at + 5]);
            }
            at += 4 + length;
        }
        return numbers;
    }

    /** Of this thread, which runs all fibers. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static Frame.Copy frame(byte[] bytes) {
        return new Frame.Copy(bytes, -1);
    }

    @Test
    void A7_framesLeaveInTheOrderInWhichTheyCame() {
        run(
                () -> {
                    assertEquals(Sent.YES, add(1, 10));
                    assertEquals(Sent.YES, add(2, 100));
                    assertEquals(List.of(1, 2), taken());
                    assertEquals(Sent.YES, add(3, 50_000)); // one may pass the bound
                    out.checkInvariants();
                    assertEquals(Sent.FULL, add(4, 10));
                    assertEquals(List.of(3), taken());
                    assertTrue(out.acked(3));
                    assertEquals(Sent.YES, add(5, 10));
                    assertEquals(List.of(5), taken());
                });
    }

    @Test
    void A7_sendersThatWaitAreServedInOrderAndNoneOvertakes() {
        run(
                () -> {
                    assertEquals(Sent.YES, add(1, 2_000));
                    List<Integer> served = new ArrayList<>();
                    List<Fiber<?>> senders = new ArrayList<>();
                    for (int i = 2; i <= 4; i++) {
                        byte[] bytes = copy(i, 600);
                        int number = i;
                        int before = i - 2;
                        senders.add(
                                Fiber.spin(
                                        () -> {
                                            while (out.waiting() < before) {
                                                Fiber.snooze();
                                            }
                                            assertEquals(
                                                    Sent.YES,
                                                    out.addWhenRoom(
                                                            frame(bytes), "m", "to", FOREVER));
                                            served.add(number);
                                        }));
                    }
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(3, out.waiting());
                    assertEquals(List.of(1), taken());
                    assertTrue(out.acked(1));
                    out.checkInvariants();
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(Set.of(2, 3), Set.copyOf(served));
                    assertEquals(Sent.FULL, add(9, 10)); // because one still waits
                    assertEquals(List.of(2, 3), taken());
                    assertTrue(out.acked(3));
                    Fiber.awaitAll(senders);
                    assertEquals(List.of(4), taken());
                    out.checkInvariants();
                });
    }

    @Test
    void A7_senderThatStopsWaitingHasSentNothing() {
        run(
                () -> {
                    assertEquals(Sent.YES, add(1, 2_000));
                    byte[] late = copy(2, 10);
                    byte[] ended = copy(3, 10);
                    byte[] whole = copy(4, 10);
                    assertEquals(
                            Sent.FULL,
                            out.addWhenRoom(
                                    frame(late), "m", "to", Duration.ofSeconds(1).toNanos()));
                    Fiber<?> sender =
                            Fiber.spin(() -> out.addWhenRoom(frame(ended), "m", "to", FOREVER));
                    Fiber<?> other =
                            Fiber.spin(() -> out.addWhenRoom(frame(whole), "m", "to", FOREVER));
                    Fiber.sleep(Duration.ofSeconds(1));
                    sender.terminate();
                    assertThrows(FiberTerminatedException.class, sender::await);
                    assertEquals(1, out.waiting());
                    assertTrue(out.acked(1));
                    other.await();
                    assertEquals(List.of(1, 4), taken());
                    out.checkInvariants();
                });
    }

    @Test
    void A7_endGivesBackWhatWasNotAcknowledged() {
        run(
                () -> {
                    add(1, 400);
                    add(2, 400);
                    add(3, 400);
                    assertEquals(List.of(1, 2, 3), taken());
                    assertTrue(out.acked(1));
                    byte[] waits = copy(5, 2_000);
                    add(4, 2_000);
                    Fiber<?> sender =
                            Fiber.spin(
                                    () ->
                                            assertEquals(
                                                    Sent.OVER,
                                                    out.addWhenRoom(
                                                            frame(waits), "m5", "to", FOREVER)));
                    Fiber<?> writer =
                            Fiber.spin(
                                    () -> {
                                        Objects.requireNonNull(out.next());
                                        assertNull(out.next());
                                    });
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(
                            List.of("m2", "m3", "m4"),
                            out.close().stream().map(Session.Lost::message).toList());
                    sender.await();
                    writer.await();
                    assertEquals(Sent.OVER, add(6, 10));
                    assertEquals(0, out.heldBytes());
                    out.checkInvariants();
                });
    }

    /** Two are filled in turn; the one that the writer holds is not the one that is filled. */
    @Test
    void A7_aBatchStaysAsItIsUntilItIsWritten() {
        run(
                () -> {
                    for (int round = 1; round <= 3; round++) {
                        add(round, 100);
                        Outbox.Batch held = Objects.requireNonNull(out.next());
                        byte[] before = Arrays.copyOf(held.bytes, held.used);
                        add(round + 10, 100);
                        assertArrayEquals(before, Arrays.copyOf(held.bytes, held.used));
                        assertTrue(out.acked(2L * round - 1));
                        out.written(held);
                        assertEquals(List.of(round + 10), taken());
                        assertTrue(out.acked(2L * round));
                    }
                });
    }

    /** As many as were needed since the last beat stay; the others go. */
    @Test
    void A7_batchesThatWereNotNeededGo() {
        run(
                () -> {
                    Set<Outbox.Batch> all = new HashSet<>();
                    for (int i = 0; i < 5; i++) {
                        all.addAll(burst(3));
                        out.trim(); // all but the first of them were needed
                    }
                    assertEquals(4, all.size()); // the fourth is the one that is filled
                    out.trim();
                    assertEquals(2, burst(3).stream().filter(each -> !all.contains(each)).count());
                    out.checkInvariants();
                });
    }

    /** The batches of frames that fill so many of them, written together. */
    private List<Outbox.Batch> burst(int batches) {
        List<Outbox.Batch> all = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            add(i, 40_000);
            acknowledged++;
            assertTrue(out.acked(acknowledged));
        }
        for (int i = 0; i < batches; i++) {
            all.add(Objects.requireNonNull(out.next()));
        }
        all.forEach(out::written);
        return all;
    }

    @Test
    void A7_impossibleAcknowledgementsAreRefused() {
        run(
                () -> {
                    add(1, 10);
                    add(2, 10);
                    assertFalse(out.acked(3));
                    assertTrue(out.acked(2));
                    assertFalse(out.acked(1));
                    assertTrue(out.acked(2));
                    assertEquals(0, out.heldBytes());
                });
    }

    @Test
    void A7_allIsOutOnlyWhenTheWriterHasWrittenIt() {
        run(
                () -> {
                    out.add(frame.begin(FrameType.BEAT), null, null, false); // not acknowledged
                    assertFalse(out.isEmpty());
                    Fiber<?> writer =
                            Fiber.spin(
                                    () -> {
                                        out.next();
                                        Fiber.sleep(Duration.ofSeconds(1)); // it does not read
                                        out.next();
                                    });
                    Fiber.sleep(Duration.ofMillis(500));
                    assertFalse(out.isEmpty());
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertTrue(out.isEmpty());
                    add(1, 10);
                    assertFalse(out.isEmpty());
                    writer.await();
                });
    }

    /** Also one whose sender still waits; a sender that gives up is waited for no more. */
    @Test
    void A7_nodeThatLeavesWaitsForWhatWasSentBefore() {
        run(
                () -> {
                    out.wantAllSoFar();
                    assertTrue(out.hasAllWanted());
                    add(1, 2_000);
                    byte[] waits = copy(2, 10);
                    byte[] ended = copy(3, 10);
                    Fiber<?> sender =
                            Fiber.spin(() -> out.addWhenRoom(frame(waits), "m", "to", FOREVER));
                    Fiber.sleep(Duration.ofSeconds(1));
                    Fiber<?> other =
                            Fiber.spin(() -> out.addWhenRoom(frame(ended), "m", "to", FOREVER));
                    Fiber.sleep(Duration.ofSeconds(1));
                    out.wantAllSoFar();
                    other.terminate();
                    assertThrows(FiberTerminatedException.class, other::await);
                    assertFalse(out.hasAllWanted());
                    assertTrue(out.acked(1));
                    sender.await();
                    assertFalse(out.hasAllWanted());
                    add(4, 10); // a reply of the node that leaves
                    assertTrue(out.acked(2));
                    assertTrue(out.hasAllWanted());
                    assertFalse(out.isAcked());
                });
    }

    @Test
    void A7_frameHasItsLengthInFront() {
        byte[] bytes = copy(7, 3);
        assertArrayEquals(new byte[] {0, 0, 0, 3, FrameType.TELL, 7, 0}, bytes);
    }

    /** The limit of a question stands behind its type. */
    @Test
    void A7_limitOfAQuestionIsLessByTheWaitForRoom() {
        run(
                () -> {
                    assertEquals(Sent.YES, add(1, 2_000));
                    byte[] question = copy(2, 600);
                    long limitNs = Duration.ofSeconds(5).toNanos();
                    Fiber<?> asker =
                            Fiber.spin(
                                    () ->
                                            out.addWhenRoom(
                                                    new Frame.Copy(question, LIMIT_AT),
                                                    null,
                                                    null,
                                                    limitNs));
                    Fiber.sleep(Duration.ofSeconds(2));
                    out.next();
                    assertTrue(out.acked(1));
                    asker.await();
                    byte[] sent = Objects.requireNonNull(out.next()).bytes;
                    long leftNs =
                            ByteBuffer.wrap(sent).order(ByteOrder.LITTLE_ENDIAN).getLong(LIMIT_AT);
                    assertEquals(Duration.ofSeconds(3).toNanos(), leftNs);
                });
    }

    /** Those that came last leave first, and are not sought behind all before. */
    @Test
    void A7_manyThatLeaveAtOnceTakeNoTimeForEachOther() {
        long[] tookMs = {Long.MAX_VALUE, Long.MAX_VALUE}; // the least, because of a busy machine
        for (int i = 0; i < 6; i++) {
            int way = i % 2;
            TestCord.run(
                    1, false, () -> tookMs[way] = Math.min(tookMs[way], msOfLeaving(way == 1)));
        }
        assertTrue(
                tookMs[1] < 2 * tookMs[0] + 200,
                () -> "in order " + tookMs[0] + " ms, reversed " + tookMs[1] + " ms");
    }

    private long msOfLeaving(boolean isReversed) {
        out = new Outbox(CAPACITY);
        assertEquals(Sent.YES, add(1, 2_000));
        byte[] bytes = copy(2, 600);
        List<Fiber<?>> senders = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Duration limit = Duration.ofMillis(1_000 + (isReversed ? MANY - i : i));
            senders.add(
                    Fiber.spin(() -> out.addWhenRoom(frame(bytes), "m", "to", limit.toNanos())));
        }
        Fiber.sleep(Duration.ofMillis(1));
        assertEquals(MANY, out.waiting());
        long beganNs = cpuNanos();
        Fiber.sleep(Duration.ofMillis(2_000 + MANY));
        long tookMs = (cpuNanos() - beganNs) / 1_000_000;
        assertEquals(0, out.waiting());
        Fiber.awaitAll(senders);
        return tookMs;
    }
}
