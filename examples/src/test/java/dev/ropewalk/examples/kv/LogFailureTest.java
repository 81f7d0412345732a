package dev.ropewalk.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.spi.Waits;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * A shard and its log on a disk that fails: neither is started again, what was acknowledged is
 * there, and what was refused is not.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class LogFailureTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Path LOG = Path.of("/disk/log");
    private static final Path BESIDE = Path.of("/disk/log.new");

    /** A rewrite is due soon. */
    private static final long GROWTH = 300;

    private static final AtomicLong NOW_MS = new AtomicLong(1_000_000);
    private static final InstantSource CLOCK = () -> Instant.ofEpochMilli(NOW_MS.get());

    /** One life of a process. */
    private static final class Life implements AutoCloseable {
        private final ActorSystem system = ActorSystem.start(Tree.oneForOne("test"));
        private final Supervisor logs = system.root().supervise("logs", ShardLog.rules());
        private final Supervisor shards = system.root().supervise("shards", Shard.rules());
        private final ActorRef<ShardMessage> shard;

        Life(Disk disk, ShardLog.Fsync fsync, long growth) {
            boolean isUp = false;
            try {
                ActorRef<ShardLog.Message> log =
                        logs.start("log", ShardLog.actor(disk, LOG, fsync));
                shard = shards.start("shard", Shard.logged(log, CLOCK, growth));
                isUp = true;
            } finally {
                if (!isUp) {
                    system.close();
                }
            }
        }

        CompletableFuture<List<Reply>> send(Words... commands) {
            return shard.<List<Reply>>askLater(
                            replyTo -> new ShardMessage.Execute(List.of(commands), replyTo), LIMIT)
                    .toCompletableFuture();
        }

        List<Reply> ask(Words... commands) {
            return send(commands).join();
        }

        Reply ask(Object... words) {
            return ask(Words.of(words)).getFirst();
        }

        long logBytes() {
            return shard.ask(ShardMessage.Describe::new, LIMIT).logBytes();
        }

        boolean save() {
            return shard.ask(ShardMessage.Save::new, LIMIT);
        }

        /** Keys and values of all strings and hashes, as text. */
        Map<String, String> all(Iterable<String> keys) {
            Map<String, String> all = new TreeMap<>();
            for (String key : keys) {
                String value = text(ask("GET", key));
                if (!value.isEmpty()) {
                    all.put(key, value);
                }
            }
            assertEquals(new Reply.Whole(all.size()), ask("DBSIZE"));
            return all;
        }

        /** Nothing was started again. */
        void assertNeverRestarted() {
            assertEquals(0, logs.restarts(), "restarts of the log");
            assertEquals(0, shards.restarts(), "restarts of the shard");
        }

        @Override
        public void close() {
            system.close();
        }
    }

    private static String text(Reply reply) {
        byte[] value = assertInstanceOf(Reply.Bytes.class, reply).value();
        return value == null ? "" : new String(value, ISO_8859_1);
    }

    private static void assertRefused(Reply reply) {
        Reply.Failure refused = assertInstanceOf(Reply.Failure.class, reply);
        assertTrue(refused.text().startsWith("MISCONF the log cannot be written"), refused::text);
    }

    // ---------------------------------------------------------------- what was refused is undone

    /** Of each command that changes something, and of those that follow before it is known. */
    @ParameterizedTest
    @EnumSource(ShardLog.Fsync.class)
    void whatIsRefusedIsUndone(ShardLog.Fsync fsync) {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, fsync, Long.MAX_VALUE / 4)) {
            life.ask("SET", "s", "1");
            life.ask("SET", "t", "1", "PXAT", NOW_MS.get() + 50_000);
            life.ask("HSET", "h", "a", "1", "b", "2");
            List<Words> reads =
                    List.of(
                            Words.of("MGET", "s", "t", "u"),
                            Words.of("PTTL", "t"),
                            Words.of("PTTL", "s"),
                            Words.of("HMGET", "h", "a", "b", "c"),
                            Words.of("HLEN", "h"),
                            Words.of("HLEN", "g"),
                            Words.of("DBSIZE"));
            String before = visible(life.ask(reads.toArray(Words[]::new)));
            disk.fail("write");
            Words[] writes = {
                Words.of("SET", "s", "2"),
                Words.of("SET", "u", "2"),
                Words.of("APPEND", "s", "2"),
                Words.of("INCRBY", "s", "5"),
                Words.of("GETSET", "t", "7"),
                Words.of("PERSIST", "t"),
                Words.of("EXPIRE", "s", "100"),
                Words.of("PEXPIRE", "t", "9"),
                Words.of("EXPIRE", "t", "0"),
                Words.of("HSET", "h", "a", "5", "c", "3"),
                Words.of("HINCRBY", "h", "b", "5"),
                Words.of("HDEL", "h", "a"),
                Words.of("HDEL", "h", "a", "b"),
                Words.of("HSET", "g", "a", "5"),
                Words.of("DEL", "s", "t", "h"),
                Words.of("MSET", "s", "3", "u", "3"),
                Words.of("FLUSHALL"),
                Words.of("SET", "s", "9"),
            };
            for (Words each : writes) {
                assertRefused(life.ask(each).getFirst());
                assertEquals(
                        before, visible(life.ask(reads.toArray(Words[]::new))), each.toString());
            }
            List<CompletableFuture<List<Reply>>> together = new ArrayList<>();
            for (Words each : writes) {
                if (!each.name().equals("FLUSHALL")) { // what changes nothing is not refused
                    together.add(life.send(Words.of("INCRBY", "s", 1), each));
                }
            }
            together.forEach(each -> each.join().forEach(LogFailureTest::assertRefused));
            life.ask(writes).forEach(LogFailureTest::assertRefused);
            assertEquals(before, visible(life.ask(reads.toArray(Words[]::new))));
            disk.heal();
            assertEquals(new Reply.Whole(6), life.ask("INCRBY", "s", "5"));
            life.assertNeverRestarted();
        }
        try (Life life = new Life(disk, fsync, GROWTH)) {
            assertEquals("6", text(life.ask("GET", "s")));
            assertEquals(new Reply.Whole(3), life.ask("DBSIZE"));
        }
    }

    private static String visible(List<Reply> replies) {
        StringBuilder text = new StringBuilder();
        for (Reply each : replies) {
            switch (each) {
                case Reply.Many many -> text.append(visible(List.copyOf(many.parts())));
                case Reply.Bytes _ -> text.append('"').append(text(each)).append("\" ");
                default -> text.append(each).append(' ');
            }
        }
        return text.toString();
    }

    /** A read that came with a refused write is answered, from what is there without it. */
    @Test
    void readsThatCameWithARefusedWriteAreAnswered() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.ALWAYS, Long.MAX_VALUE / 4)) {
            life.ask("SET", "a", "1");
            disk.fail("force");
            List<Reply> replies =
                    life.ask(
                            Words.of("GET", "a"),
                            Words.of("SET", "a", "2"),
                            Words.of("GET", "a"),
                            Words.of("HGET", "a", "f"));
            assertEquals("1", text(replies.get(0)));
            assertRefused(replies.get(1));
            assertEquals("1", text(replies.get(2)));
            Reply.Failure wrong = assertInstanceOf(Reply.Failure.class, replies.get(3));
            assertTrue(wrong.text().startsWith("WRONGTYPE"), wrong::text);
        }
    }

    /** The log is not read for it, however long it is. */
    @Test
    void aRefusedWriteReadsNothing() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, Long.MAX_VALUE / 4)) {
            for (int i = 0; i < 50; i++) {
                life.ask("SET", "k" + i, "x".repeat(1_000));
            }
            disk.capacity(disk.used());
            List<String> steps = new ArrayList<>();
            disk.plan(
                    (_, step) -> {
                        steps.add(step.substring(0, step.indexOf(' ')));
                        return TestDisk.Fault.NONE;
                    });
            for (int i = 0; i < 20; i++) {
                assertRefused(life.ask("SET", "k" + i, "y".repeat(1_000)));
                assertEquals("x".repeat(1_000), text(life.ask("GET", "k" + i)));
            }
            assertFalse(steps.contains("read"), steps::toString);
            assertEquals(40, steps.size(), steps::toString); // a write and a truncate each
            life.assertNeverRestarted();
        }
    }

    /** What was refused is not counted, or it would be written anew for nothing. */
    @ParameterizedTest
    @EnumSource(ShardLog.Fsync.class)
    void theLengthOfALogIsThatOfItsFile(ShardLog.Fsync fsync) {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, fsync, 500)) {
            life.ask("SET", "a", "1");
            assertEquals(disk.bytes(LOG).length, life.logBytes());
            disk.fail("write");
            for (int i = 0; i < 20; i++) {
                assertRefused(life.ask("SET", "a", "x".repeat(1_000)));
            }
            assertEquals(disk.bytes(LOG).length, life.logBytes());
            disk.heal();
            for (int i = 0; disk.moves() == 0; i++) {
                life.ask("SET", "a", i);
                awaitTrue(() -> disk.bytes(LOG).length == life.logBytes());
            }
            assertTrue(disk.bytes(LOG).length < 100);
        }
    }

    /** Its end cannot be logged, and is the end nevertheless. */
    @Test
    void aKeyExpiresWhileTheDiskIsFull() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, Long.MAX_VALUE / 4)) {
            life.ask("SET", "soon", "1", "PXAT", NOW_MS.get() + 100);
            disk.capacity(disk.used());
            NOW_MS.addAndGet(1_000);
            for (int i = 0; i < 100; i++) {
                assertEquals(Reply.NONE, life.ask("GET", "soon"));
                assertEquals(new Reply.Whole(-2), life.ask("PTTL", "soon"));
            }
            disk.heal();
            assertEquals(new Reply.Whole(1), life.ask("INCR", "soon"));
            life.assertNeverRestarted();
        }
        try (Life life = new Life(disk, ShardLog.Fsync.NO, GROWTH)) {
            assertEquals("1", text(life.ask("GET", "soon")));
        }
    }

    // ---------------------------------------------------------------- rewrites that fail

    /** Each step of it; the log goes on as it was, nothing is left over, and it is tried again. */
    @ParameterizedTest
    @ValueSource(strings = {"create", "write /disk/log.new", "force /disk/log.new", "move"})
    void aRewriteThatFails(String step) {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, GROWTH)) {
            disk.fail(step);
            for (int i = 0; i < 100; i++) {
                assertEquals(Reply.OK, life.ask("SET", "k", "value " + i));
            }
            awaitTrue(() -> !disk.failures().isEmpty());
            assertEquals("value 99", text(life.ask("GET", "k")));
            assertFalse(disk.has(BESIDE), "it is left over");
            assertEquals(Reply.OK, life.ask("SET", "l", "2"));
            assertTrue(disk.used() > 3_000);
            disk.heal();
            awaitTrue(() -> disk.used() < 300);
            assertEquals(Reply.OK, life.ask("SET", "m", "3"));
            life.assertNeverRestarted();
        }
        try (Life life = new Life(disk, ShardLog.Fsync.NO, GROWTH)) {
            assertEquals(
                    Map.of("k", "value 99", "l", "2", "m", "3"),
                    life.all(List.of("k", "l", "m", "n")));
        }
    }

    /** It is not tried for its length alone: the keys need less than half of it. */
    @Test
    void aRewriteThatFailsAtTheStartIsTriedAgain() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, Long.MAX_VALUE / 4)) {
            for (int i = 0; i < 10; i++) {
                life.ask("SET", "k", "value " + i);
            }
        }
        disk.fail("create");
        try (Life life = new Life(disk, ShardLog.Fsync.NO, Long.MAX_VALUE / 4)) {
            awaitTrue(() -> !disk.failures().isEmpty());
            disk.heal();
            awaitTrue(() -> disk.moves() == 1);
            assertEquals("value 9", text(life.ask("GET", "k")));
            life.assertNeverRestarted();
        }
    }

    /** Two failures that follow each other are at least the delay apart, which grows. */
    @Test
    void aRewriteThatFailsRests() {
        TestDisk disk = new TestDisk(1);
        List<Long> failedNs = new ArrayList<>();
        disk.plan(
                (_, step) -> {
                    if (step.startsWith("create")) {
                        failedNs.add(Waits.nanoTime());
                        return TestDisk.Fault.FAIL;
                    }
                    return TestDisk.Fault.NONE;
                });
        try (Life life = new Life(disk, ShardLog.Fsync.NO, GROWTH)) {
            for (int i = 0; i < 100; i++) {
                life.ask("SET", "k", "value " + i);
            }
            awaitTrue(
                    () -> {
                        synchronized (disk) {
                            return failedNs.size() >= 3;
                        }
                    });
            synchronized (disk) {
                assertTrue(failedNs.get(1) - failedNs.get(0) >= 900_000_000L, failedNs::toString);
                assertTrue(failedNs.get(2) - failedNs.get(1) >= 1_900_000_000L, failedNs::toString);
            }
            life.assertNeverRestarted();
        }
    }

    /** One that was started again, or a process: nothing has grown, and all of it is needed. */
    @Test
    void aLogThatIsNeededIsNotRewrittenAtAStart() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, Long.MAX_VALUE / 4)) {
            for (int i = 0; i < 10; i++) {
                life.ask("SET", "k" + i, "x".repeat(100));
            }
        }
        assertTrue(disk.used() > 3 * GROWTH, () -> disk.used() + " bytes");
        try (Life life = new Life(disk, ShardLog.Fsync.NO, GROWTH)) {
            assertEquals(Reply.OK, life.ask("SET", "k0", "1"));
            assertTrue(life.save());
            assertEquals(0, disk.moves());
            for (int i = 0; i < 20; i++) {
                assertEquals(Reply.OK, life.ask("SET", "k0", "x".repeat(100)));
            }
            awaitTrue(() -> disk.moves() > 0); // now it is more than twice as long
        }
    }

    /** It is written in pieces that are small beside the memory, however large a hash is. */
    @Test
    void aRewriteHasNoLargerCommandsThanItNeeds() throws IOException {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, Long.MAX_VALUE / 4)) {
            for (int i = 0; i < 200; i++) {
                life.ask("HSET", "h", "f" + i % 40, "x".repeat(100_000));
            }
        }
        try (Life life = new Life(disk, ShardLog.Fsync.NO, GROWTH)) {
            awaitTrue(() -> disk.moves() == 1);
            assertEquals(new Reply.Whole(40), life.ask("HLEN", "h"));
        }
        CommandReader reader = new CommandReader(new ByteArrayInputStream(disk.bytes(LOG)));
        long from = 0;
        for (Words each = reader.next(); each != null; each = reader.next()) {
            long length = reader.position() - from;
            assertTrue(length < 1_500_000, () -> length + " bytes");
            from = reader.position();
        }
    }

    /** The new file has its name, which is not safe: the next sync makes it so, without a write. */
    @Test
    void theNameOfARewrittenLogIsForcedAgain() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.EVERYSEC, Long.MAX_VALUE / 4)) {
            for (int i = 0; i < 10; i++) {
                life.ask("SET", "k", "value " + i);
            }
            assertTrue(life.save());
        }
        AtomicLong names = new AtomicLong();
        disk.plan(
                (_, step) ->
                        step.startsWith("forceName") && names.incrementAndGet() == 1
                                ? TestDisk.Fault.FAIL
                                : TestDisk.Fault.NONE);
        try (Life life = new Life(disk, ShardLog.Fsync.EVERYSEC, Long.MAX_VALUE / 4)) {
            awaitTrue(() -> names.get() >= 2);
            assertEquals(1, disk.moves());
            life.assertNeverRestarted();
        }
    }

    /** Its left-over file cannot be deleted either. */
    @Test
    void aLeftOverThatCannotBeDeleted() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, GROWTH)) {
            disk.fail("move", "delete");
            for (int i = 0; i < 100; i++) {
                assertEquals(Reply.OK, life.ask("SET", "k", "value " + i));
            }
            awaitTrue(() -> disk.failures().size() >= 4);
            disk.heal();
            awaitTrue(() -> !disk.has(BESIDE) && disk.used() < 300);
            life.assertNeverRestarted();
            assertEquals("value 99", text(life.ask("GET", "k")));
        }
    }

    // ---------------------------------------------------------------- syncs that fail

    /** What a sync has failed for may be lost, so a whole log is written before the next answer. */
    @Test
    void aSyncThatFailsInTheBackground() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.EVERYSEC, Long.MAX_VALUE / 4)) {
            assertEquals(Reply.OK, life.ask("SET", "a", "1"));
            disk.fail("force");
            awaitTrue(() -> disk.failures().size() >= 2); // the sync, and the rewrite behind it
            assertRefused(life.ask("SET", "b", "2"));
            assertEquals("1", text(life.ask("GET", "a")));
            disk.heal();
            awaitTrue(() -> life.ask("SET", "c", "3").equals(Reply.OK));
            assertTrue(life.save());
            life.assertNeverRestarted();
        }
        try (Life life = new Life(disk.afterPowerLoss(), ShardLog.Fsync.EVERYSEC, GROWTH)) {
            assertEquals(Map.of("a", "1", "c", "3"), life.all(List.of("a", "b", "c")));
        }
    }

    /** The one that was to write the log anew is gone, and its wish with it. */
    @Test
    void aShardThatIsStartedAgainWritesAnUnsafeLogAnew() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.EVERYSEC, Long.MAX_VALUE / 4)) {
            assertEquals(Reply.OK, life.ask("SET", "a", "1"));
            disk.fail("force");
            awaitTrue(() -> disk.failures().size() >= 2); // the sync, and the rewrite behind it
            assertThrows(CompletionException.class, () -> life.ask("DEBUG", "PANIC", "a"));
            assertEquals("1", text(life.ask("GET", "a")));
            disk.heal();
            awaitTrue(() -> life.ask("SET", "b", "2").equals(Reply.OK));
            assertTrue(life.save());
        }
        try (Life life = new Life(disk.afterPowerLoss(), ShardLog.Fsync.EVERYSEC, GROWTH)) {
            assertEquals(Map.of("a", "1", "b", "2"), life.all(List.of("a", "b")));
        }
    }

    /**
     * A loss of power may cost two seconds: a sync that takes longer than one holds up the writes.
     */
    @Test
    void aSyncThatIsSlowHoldsUpWrites() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.EVERYSEC, Long.MAX_VALUE / 4)) {
            CountDownLatch open = new CountDownLatch(1);
            disk.holdForces(open);
            List<CompletableFuture<List<Reply>>> sent = new ArrayList<>();
            try {
                await().atMost(LIMIT)
                        .until(
                                () -> {
                                    sent.add(life.send(Words.of("INCR", "a")));
                                    return !isDoneWithinASecond(sent.getLast());
                                });
                assertTrue(sent.size() > 1);
            } finally {
                open.countDown();
            }
            assertEquals(List.of(new Reply.Whole(sent.size())), sent.getLast().join());
            assertTrue(life.save());
            life.assertNeverRestarted();
        }
    }

    private static boolean isDoneWithinASecond(CompletableFuture<?> answer)
            throws InterruptedException, ExecutionException {
        try {
            answer.get(1, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException held) {
            return false;
        }
    }

    /** At the end of the process: it says so. */
    @Test
    void aSaveThatFails() {
        TestDisk disk = new TestDisk(1);
        try (Life life = new Life(disk, ShardLog.Fsync.NO, Long.MAX_VALUE / 4)) {
            life.ask("SET", "a", "1");
            assertTrue(life.save());
            disk.fail("force");
            assertFalse(life.save());
            life.assertNeverRestarted();
        }
    }

    // ---------------------------------------------------------------- starts that are refused

    /** A whole command that a log cannot have is damage too: it is told with its place. */
    @ParameterizedTest
    @ValueSource(strings = {"NOSUCH a", "SET a", "INCR text", "HSET text f v", "SET a 1 EX x"})
    void aCommandThatFailsIsDamage(String line) {
        ByteArrayOutputStream good = new ByteArrayOutputStream();
        for (int i = 0; i < 20; i++) {
            LogFile.encode(Words.of("SET", "text", "value " + i), good);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(good.toByteArray());
        LogFile.encode(Words.of((Object[]) line.split(" ")), all);
        all.writeBytes(good.toByteArray());
        TestDisk disk = new TestDisk(1);
        disk.put(LOG, all.toByteArray());
        StartFailedException refused =
                assertThrows(
                        StartFailedException.class,
                        () -> new Life(disk, ShardLog.Fsync.ALWAYS, GROWTH).close());
        String text = String.valueOf(refused.getMessage());
        assertTrue(text.contains(LOG + " is damaged behind byte " + good.size()), text);
        assertTrue(text.contains("truncate -s " + good.size() + " " + LOG), text);
        assertTrue(text.contains(line.substring(0, line.indexOf(' '))), text);
        assertArrayEquals(all.toByteArray(), disk.bytes(LOG));
    }

    /** The disk says only what it cannot do. */
    @ParameterizedTest
    @ValueSource(strings = {"read", "truncate"})
    void aStartThatTheDiskFailsNamesTheFile(String step) {
        TestDisk disk = new TestDisk(1);
        disk.put(LOG, Reply.bytes("*1\r\n"));
        disk.plan(
                (_, next) -> {
                    if (next.startsWith(step)) {
                        throw new TestDisk.NamelessException();
                    }
                    return TestDisk.Fault.NONE;
                });
        StartFailedException refused =
                assertThrows(
                        StartFailedException.class,
                        () -> new Life(disk, ShardLog.Fsync.ALWAYS, GROWTH).close());
        String text = String.valueOf(refused.getMessage());
        assertTrue(text.contains(LOG + " cannot be read"), text);
        assertTrue(text.contains("Input/output error"), text);
    }

    /** It takes as long as there is something to read. */
    @Test
    void aLongLogMayBeReadForHours() {
        Duration limit = Shard.rules().startLimit();
        assertTrue(limit.compareTo(Duration.ofHours(12)) >= 0, limit::toString);
    }

    // ---------------------------------------------------------------- all of it

    /** What a client knows: the value of each key, as it was acknowledged. */
    private static final class Model {
        private final Map<String, String> values = new TreeMap<>();

        void apply(Words command, Reply reply, String what) {
            String key = command.count() > 1 ? command.text(1) : "";
            switch (command.name()) {
                case "SET" -> values.put(key, command.text(2));
                case "DEL" ->
                        assertEquals(
                                new Reply.Whole(values.remove(key) == null ? 0 : 1), reply, what);
                case "INCR" -> {
                    long next = Long.parseLong(values.getOrDefault(key, "0")) + 1;
                    values.put(key, Long.toString(next));
                    assertEquals(new Reply.Whole(next), reply, what);
                }
                case "FLUSHALL" -> values.clear();
                default -> assertEquals(values.getOrDefault(key, ""), text(reply), what);
            }
        }
    }

    private static final List<String> KEYS = List.of("a", "b", "c", "d");
    private static final List<ShardLog.Fsync> FSYNCS =
            List.of(ShardLog.Fsync.ALWAYS, ShardLog.Fsync.EVERYSEC, ShardLog.Fsync.NO);

    private static Words random(Random random, String key) {
        return switch (random.nextInt(11)) {
            case 0, 1, 2 -> Words.of("SET", key, random.nextInt(1_000));
            case 3, 4 -> Words.of("DEL", key);
            case 5, 6 -> Words.of("GET", key);
            default -> Words.of("INCR", key);
        };
    }

    /** Any step may fail, at any time, while several wait. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void nothingAcknowledgedIsLostWhateverFails(long seed) {
        Random random = new Random(seed);
        ShardLog.Fsync fsync = FSYNCS.get((int) (seed % FSYNCS.size()));
        TestDisk disk = new TestDisk(seed);
        Model model = new Model();
        for (int lives = 0; lives < 3; lives++) {
            try (Life life = new Life(disk, fsync, GROWTH)) {
                Random faults = new Random(random.nextLong());
                disk.plan(
                        (_, _) ->
                                faults.nextInt(4) == 0 ? TestDisk.Fault.FAIL : TestDisk.Fault.NONE);
                for (int i = 0; i < 150; i++) {
                    round(life, random, model, "seed=" + seed + " round=" + i);
                }
                disk.heal();
                // Where even the cut failed, a kill would find what was refused.
                model.apply(Words.of("INCR", "a"), accepted(life, "INCR", "a"), "seed=" + seed);
                life.assertNeverRestarted();
                disk = disk.afterKill();
            }
            try (Life life = new Life(disk, fsync, GROWTH)) {
                assertEquals(model.values, life.all(KEYS), "seed=" + seed);
            }
        }
    }

    /** The first answer that is no refusal: a log may have to be written anew before. */
    private static Reply accepted(Life life, Object... words) {
        return await().atMost(LIMIT)
                .until(() -> life.ask(words), reply -> !(reply instanceof Reply.Failure));
    }

    /** A message, and what will be answered. */
    private record Sent(List<Words> commands, CompletableFuture<List<Reply>> replies) {
        static Sent to(Life life, Words... commands) {
            return new Sent(List.of(commands), life.send(commands));
        }
    }

    /** Some messages at once, of some commands each; each of them has a key of its own. */
    private static void round(Life life, Random random, Model model, String what) {
        List<Sent> sent = new ArrayList<>();
        if (random.nextInt(20) == 0) {
            sent.add(Sent.to(life, random(random, "a"), Words.of("FLUSHALL"), random(random, "b")));
        } else {
            for (String key : KEYS.subList(random.nextInt(KEYS.size()), KEYS.size())) {
                Words[] some = new Words[1 + random.nextInt(3)];
                for (int i = 0; i < some.length; i++) {
                    some[i] = random(random, key);
                }
                sent.add(Sent.to(life, some));
            }
        }
        for (Sent each : sent) {
            List<Reply> replies = each.replies().join();
            for (int i = 0; i < replies.size(); i++) {
                Words command = each.commands().get(i);
                if (replies.get(i) instanceof Reply.Failure refused) {
                    assertFalse(command.name().equals("GET"), () -> what + ": " + refused);
                    assertTrue(refused.text().startsWith("MISCONF"), refused::text);
                } else {
                    model.apply(command, replies.get(i), what + " " + command);
                }
            }
        }
    }

    /** The process is killed, or the power fails, at each step that the disk is asked for. */
    @ParameterizedTest
    @CsvSource({"ALWAYS, true", "ALWAYS, false", "EVERYSEC, false", "NO, false"})
    void killedAtEachStep(ShardLog.Fsync fsync, boolean isPowerLoss) {
        int rewrites = 0;
        for (int at = 1; ; at++) {
            String what = "killed at step " + at;
            TestDisk disk = new TestDisk(at);
            int last = at;
            disk.plan((number, _) -> number == last ? TestDisk.Fault.DIE : TestDisk.Fault.NONE);
            Model model = new Model();
            List<Words> unknown = new ArrayList<>();
            boolean isOver = liveUntilDeath(disk, fsync, model, unknown, what);
            rewrites += disk.moves();
            TestDisk left = isPowerLoss ? disk.afterPowerLoss() : disk.afterKill();
            try (Life life = new Life(left, fsync, GROWTH)) {
                Map<String, String> found = life.all(KEYS);
                if (!found.equals(model.values)) { // the one that was not answered, or refused
                    assertFalse(unknown.isEmpty(), what + ": " + found + " for " + model.values);
                    Words more = unknown.getFirst();
                    if (more.name().equals("DEL")) {
                        model.values.remove(more.text(1));
                    } else {
                        model.values.merge(
                                more.text(1), "1", (a, _) -> "" + (Long.parseLong(a) + 1));
                    }
                    assertEquals(model.values, found, what);
                }
            }
            if (isOver) {
                assertTrue(at > 40, what);
                assertTrue(rewrites > 20, "rewrites=" + rewrites);
                return;
            }
        }
    }

    /** True if it did not die. */
    private static boolean liveUntilDeath(
            TestDisk disk, ShardLog.Fsync fsync, Model model, List<Words> unknown, String what) {
        try (Life life = new Life(disk, fsync, GROWTH)) {
            for (int i = 0; i < 40 && !disk.isDead(); i++) {
                Words next =
                        i % 9 == 8
                                ? Words.of("DEL", KEYS.get(i % 4))
                                : Words.of("INCR", KEYS.get(i % 4));
                Reply reply = life.ask(next).getFirst();
                if (reply instanceof Reply.Failure) {
                    unknown.add(next);
                } else {
                    model.apply(next, reply, what + " " + next);
                }
            }
            return !disk.isDead();
        } catch (RuntimeException noStart) {
            assertTrue(disk.isDead(), noStart::toString);
            return false;
        }
    }

    private static void awaitTrue(BooleanSupplier condition) {
        await().atMost(LIMIT).until(condition::getAsBoolean);
    }
}
