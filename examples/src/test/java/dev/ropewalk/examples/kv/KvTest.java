package dev.ropewalk.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.ropewalk.examples.server.ServerOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;
import redis.clients.jedis.resps.ScanResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The store against Jedis. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class KvTest {
    @TempDir private Path folder;

    private static void assertRefused(String message, Runnable call) {
        JedisDataException refused = assertThrows(JedisDataException.class, call::run);
        assertTrue(refused.toString().contains(message), refused::toString);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void strings(int shards) throws IOException {
        try (Store store = Store.inMemory(shards);
                Jedis client = store.client()) {
            assertEquals("PONG", client.ping());
            assertEquals("hey", client.ping("hey"));
            assertEquals("hey", client.echo("hey"));
            assertNull(client.get("a"));
            assertEquals("OK", client.set("a", "1"));
            assertEquals("1", client.get("a"));
            assertEquals(0, client.setnx("a", "2"));
            assertEquals(1, client.setnx("b", "2"));
            assertNull(client.set("a", "3", SetParams.setParams().nx()));
            assertEquals("OK", client.set("a", "3", SetParams.setParams().xx()));
            assertNull(client.set("no", "3", SetParams.setParams().xx()));
            assertEquals("3", client.setGet("a", "4"));
            assertEquals("4", text(client.sendCommand(() -> bytes("GETSET"), "a", "5")));
            assertEquals(1, client.strlen("a"));
            assertEquals(0, client.strlen("no"));
            assertEquals(4, client.append("a", "678"));
            assertEquals(3, client.append("new", "abc"));
            assertEquals("OK", client.mset("x", "1", "y", "2", "z", "3"));
            assertEquals(
                    Arrays.asList("3", null, "1", "2", "5678"),
                    client.mget("z", "no", "x", "y", "a"));
            assertEquals(6, client.exists("x", "y", "z", "a", "b", "new", "no"));
            assertEquals("string", client.type("a"));
            assertEquals("none", client.type("no"));
            assertEquals(4, client.del("x", "y", "z", "b", "no"));
            assertEquals(2, client.dbSize());
            byte[] binary = {0, -1, '\r', '\n', '$', '*'};
            client.set(binary, binary);
            assertEquals(6, client.get(binary).length);
            assertEquals("OK", client.flushAll());
            assertEquals(0, client.dbSize());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void counters(int shards) throws IOException {
        try (Store store = Store.inMemory(shards);
                Jedis client = store.client()) {
            assertEquals(1, client.incr("n"));
            assertEquals(11, client.incrBy("n", 10));
            assertEquals(10, client.decr("n"));
            assertEquals(-5, client.decrBy("n", 15));
            client.set("n", String.valueOf(Long.MAX_VALUE));
            assertRefused("would overflow", () -> client.incr("n"));
            assertEquals(String.valueOf(Long.MAX_VALUE), client.get("n"));
            client.set("text", "x");
            assertRefused("not an integer", () -> client.incr("text"));
            client.hset("h", "f", "1");
            assertRefused("WRONGTYPE", () -> client.incr("h"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void hashes(int shards) throws IOException {
        try (Store store = Store.inMemory(shards);
                Jedis client = store.client()) {
            assertEquals(2, client.hset("h", Map.of("a", "1", "b", "2")));
            assertEquals(0, client.hset("h", "a", "3"));
            assertEquals("3", client.hget("h", "a"));
            assertNull(client.hget("h", "no"));
            assertNull(client.hget("no", "a"));
            assertEquals(Arrays.asList("2", null), client.hmget("h", "b", "no"));
            assertEquals(Map.of("a", "3", "b", "2"), client.hgetAll("h"));
            assertEquals(2, client.hlen("h"));
            assertTrue(client.hexists("h", "a"));
            assertEquals(8, client.hincrBy("h", "a", 5));
            assertEquals(1, client.hincrBy("h", "n", 1));
            assertRefused("WRONGTYPE", () -> client.get("h"));
            assertEquals("hash", client.type("h"));
            assertEquals(3, client.hdel("h", "a", "b", "n", "no"));
            assertFalse(client.exists("h"));
            client.set("s", "x");
            assertRefused("WRONGTYPE", () -> client.hset("s", "f", "1"));
            assertRefused("WRONGTYPE", () -> client.hgetAll("s"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void keysExpire(int shards) throws IOException {
        try (Store store = Store.inMemory(shards);
                Jedis client = store.client()) {
            client.setex("a", 10, "1");
            client.psetex("b", 500, "1");
            client.set("c", "1");
            assertEquals(1, client.expire("c", 20));
            assertEquals(0, client.expire("no", 20));
            assertEquals(20, client.ttl("c"));
            assertEquals(500, client.pttl("b"));
            assertEquals(-2, client.ttl("no"));
            store.pass(500);
            assertNull(client.get("b"));
            assertEquals(1, client.persist("c"));
            assertEquals(-1, client.ttl("c"));
            store.pass(9_500);
            assertFalse(client.exists("a"));
            client.set("a", "2");
            assertEquals(-1, client.ttl("a"));
            client.expire("a", -1);
            assertNull(client.get("a"));
            client.set("k", "1", SetParams.setParams().ex(5));
            client.set("k", "2", SetParams.setParams().keepTtl());
            assertEquals(5, client.ttl("k"));
            assertRefused("invalid expire", () -> client.setex("k", 0, "1"));
            store.pass(5_000);
            // The shard takes it away although nobody asks.
            await().atMost(Duration.ofSeconds(20)).until(() -> client.dbSize() == 1);
        }
    }

    /** Although the clock goes on while the commands are carried out. */
    @Test
    void commandsThatCameTogetherHaveOneTime() throws IOException {
        AtomicLong nowMs = new AtomicLong(1_000_000);
        InstantSource clock = () -> Instant.ofEpochMilli(nowMs.incrementAndGet());
        ServerOptions server = new ServerOptions(0, 1, 1_000, false);
        try (Kv kv = new Kv(new Kv.Settings(server, 1, null, ShardLog.Fsync.NO, clock));
                Jedis client = new Jedis("127.0.0.1", kv.port(), 30_000)) {
            for (int i = 0; i < 100; i++) {
                Pipeline together = client.pipelined();
                together.set("a", "1");
                together.expire("a", 0);
                Response<Boolean> exists = together.exists("a");
                together.sync();
                assertFalse(exists.get());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aScanSeesEachKey(int shards) throws IOException {
        try (Store store = Store.inMemory(shards);
                Jedis client = store.client()) {
            Set<String> all = new HashSet<>();
            for (int i = 0; i < 1_000; i++) {
                client.set("key:" + i, "1");
                all.add("key:" + i);
            }
            client.hset("other", "f", "1");
            Set<String> seen = new HashSet<>();
            String cursor = ScanParams.SCAN_POINTER_START;
            do {
                ScanResult<String> step =
                        client.scan(cursor, new ScanParams().match("key:*").count(37));
                seen.addAll(step.getResult());
                cursor = step.getCursor();
            } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
            assertEquals(all, seen);
            ScanParams hashes = new ScanParams().count(10_000);
            Set<String> found = new HashSet<>();
            cursor = ScanParams.SCAN_POINTER_START;
            do {
                ScanResult<String> step = client.scan(cursor, hashes, "HASH");
                found.addAll(step.getResult());
                cursor = step.getCursor();
            } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
            assertEquals(Set.of("other"), found);
            assertRefused("invalid cursor", () -> client.scan("x"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aPipelineIsAnsweredInOrder(int shards) throws IOException {
        try (Store store = Store.inMemory(shards);
                Jedis client = store.client()) {
            Pipeline pipeline = client.pipelined();
            List<Response<?>> responses = new ArrayList<>();
            List<Object> expected = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                responses.add(pipeline.set("k" + i % 17, "v" + i));
                expected.add("OK");
                responses.add(pipeline.get("k" + i % 17));
                expected.add("v" + i);
                responses.add(pipeline.exists("k0", "k1", "no" + i));
                expected.add(Math.min(i + 1L, 2L));
            }
            pipeline.sync();
            assertEquals(expected, responses.stream().map(each -> (Object) each.get()).toList());
        }
    }

    @Test
    void badCommands() throws IOException {
        try (Store store = Store.inMemory(2);
                Jedis client = store.client()) {
            assertRefused("unknown command 'NOPE'", () -> client.sendCommand(() -> bytes("NOPE")));
            assertRefused(
                    "unknown command 'NOPE'", () -> client.sendCommand(() -> bytes("NOPE"), "a"));
            assertRefused("wrong number", () -> client.sendCommand(() -> bytes("GET")));
            assertRefused("wrong number", () -> client.sendCommand(() -> bytes("GET"), "a", "b"));
            assertRefused("wrong number", () -> client.sendCommand(() -> bytes("MSET"), "a"));
            assertRefused("wrong number", () -> client.sendCommand(() -> bytes("HSET"), "a", "b"));
            assertRefused("syntax", () -> client.sendCommand(() -> bytes("SET"), "a", "b", "SOON"));
            assertRefused("out of range", () -> client.select(1));
            assertEquals("PONG", client.ping());
        }
    }

    private static String text(Object reply) {
        return new String((byte[]) reply, ISO_8859_1);
    }

    private static byte[] bytes(String text) {
        return Reply.bytes(text);
    }

    @Test
    void info() throws IOException {
        try (Store store = Store.inMemory(2);
                Jedis client = store.client()) {
            client.setex("a", 10, "1");
            client.set("b", "1");
            String info = client.info();
            for (String line :
                    List.of(
                            "connected_clients:1",
                            "shards:2",
                            "aof_enabled:0",
                            "db0:keys=2,expires=1",
                            "tcp_port:" + store.kv.port())) {
                assertTrue(info.contains(line + "\r\n"), () -> line + " is not in " + info);
            }
        }
    }

    /** As most clients begin. */
    @Test
    void aClientOfResp3() throws IOException, InterruptedException {
        try (Store store = Store.inMemory(2);
                Jedis client = store.client(RedisProtocol.RESP3);
                Listener listener = new Listener(store.client(RedisProtocol.RESP3), "news")) {
            assertEquals("OK", client.set("a", "1"));
            assertNull(client.get("b"));
            client.hset("h", Map.of("f", "1", "g", "2"));
            assertEquals(Map.of("f", "1", "g", "2"), client.hgetAll("h"));
            assertEquals(Map.of(), client.hgetAll("no"));
            assertEquals(Arrays.asList("1", null), client.mget("a", "b"));
            assertEquals("+news1", listener.next());
            client.publish("news", "hello");
            assertEquals("news:hello", listener.next());
            listener.unsubscribe();
        }
    }

    // ---------------------------------------------------------------- publish and subscribe

    /** A subscriber of Jedis, on a thread of its own. */
    private static final class Listener extends JedisPubSub implements AutoCloseable {
        final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final Jedis client;
        private final Thread thread;

        Listener(Jedis client, String... names) {
            this.client = client;
            thread = new Thread(() -> client.subscribe(this, names), "subscriber");
            thread.start();
        }

        @Override
        public void onSubscribe(String channel, int count) {
            heard.add("+" + channel + count);
        }

        @Override
        public void onUnsubscribe(String channel, int count) {
            heard.add("-" + channel + count);
        }

        @Override
        public void onMessage(String channel, String message) {
            heard.add(channel + ":" + message);
        }

        String next() throws InterruptedException {
            return String.valueOf(heard.poll(20, TimeUnit.SECONDS));
        }

        @Override
        public void close() {
            await().atMost(Duration.ofSeconds(20)).until(() -> !thread.isAlive());
            client.close();
        }
    }

    @Test
    void publishAndSubscribe() throws IOException, InterruptedException {
        try (Store store = Store.inMemory(2);
                Jedis client = store.client()) {
            assertEquals(0, client.publish("news", "nobody hears it"));
            try (Listener one = new Listener(store.client(), "news", "sport");
                    Listener two = new Listener(store.client(), "news")) {
                assertEquals("+news1", one.next());
                assertEquals("+sport2", one.next());
                assertEquals("+news1", two.next());
                assertEquals(2, client.publish("news", "a"));
                assertEquals(1, client.publish("sport", "b"));
                assertEquals("news:a", one.next());
                assertEquals("sport:b", one.next());
                assertEquals("news:a", two.next());
                one.unsubscribe("news");
                assertEquals("-news1", one.next());
                assertEquals(1, client.publish("news", "c"));
                assertEquals("news:c", two.next());
                one.unsubscribe();
                two.unsubscribe();
                assertEquals("-sport0", one.next());
                assertEquals("-news0", two.next());
            }
            assertTrue(client.info().contains("pubsub_channels:0"), client::info);
        }
    }

    // ---------------------------------------------------------------- crashes and logs

    /** Of several shards: whichever refuses, the client is told, and the others have done it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aCommandForAllThatOneShardRefuses(int refusing) throws IOException {
        TestDisk disk = new TestDisk(1);
        Kv.Settings settings =
                new Kv.Settings(
                        new ServerOptions(0, 1, 100, false),
                        3,
                        folder,
                        ShardLog.Fsync.NO,
                        InstantSource.system(),
                        disk,
                        Long.MAX_VALUE / 4);
        try (Kv kv = new Kv(settings);
                Jedis client = new Jedis("127.0.0.1", kv.port(), 30_000)) {
            Map<Integer, String> keys = new HashMap<>();
            for (int i = 0; keys.size() < 3; i++) {
                keys.put(kv.shardOf("k" + i), "k" + i);
            }
            keys.values().forEach(key -> client.set(key, "1"));
            disk.fail("write " + folder.resolve("shard-" + refusing + "-of-3.log"));
            assertRefused("MISCONF", client::flushAll);
            assertEquals(1, client.dbSize());
            assertEquals("1", client.get(keys.get(refusing)));
        }
    }

    /** Without a log the keys stay, and the client gets an error and no silence. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aShardCrashes(int shards) throws IOException {
        try (Store store = Store.inMemory(shards);
                Jedis client = store.client()) {
            client.set("a", "1");
            for (int i = 0; i < 3; i++) {
                assertRefused(
                        "the shard failed",
                        () -> client.sendCommand(() -> bytes("DEBUG"), "PANIC", "a"));
                assertEquals("1", client.get("a"));
            }
            assertTrue(client.info().contains("shard_restarts:3"), client::info);
        }
    }

    @ParameterizedTest
    @EnumSource(ShardLog.Fsync.class)
    void whatWasAcknowledgedIsThereAfterACrash(ShardLog.Fsync fsync) throws IOException {
        for (int life = 0; life < 3; life++) {
            try (Store store = new Store(2, 2, folder, fsync);
                    Jedis client = store.client()) {
                if (life == 0) {
                    client.mset("a", "1", "b", "2", "gone", "x");
                    client.hset("h", Map.of("f", "1", "g", "2"));
                    client.setex("soon", 100, "x");
                    client.setex("later", 1_000, "x");
                    client.del("gone");
                    client.incr("a");
                    client.append("b", "2");
                    client.set("k", "1", SetParams.setParams().ex(500));
                    client.set("k", "2", SetParams.setParams().keepTtl());
                    store.pass(100_000);
                } else {
                    store.pass(100_000); // the clock of each store begins anew
                }
                for (int crash = 0; crash < 2; crash++) {
                    assertEquals("2", client.get("a"));
                    assertEquals("22", client.get("b"));
                    assertEquals(Map.of("f", "1", "g", "2"), client.hgetAll("h"));
                    assertEquals(900, client.ttl("later"));
                    assertEquals(400, client.ttl("k"));
                    assertEquals(0, client.exists("gone", "soon"));
                    assertEquals(5, client.dbSize());
                    for (String key : List.of("a", "b", "h", "k")) {
                        assertRefused(
                                "the shard failed",
                                () -> client.sendCommand(() -> bytes("DEBUG"), "PANIC", key));
                    }
                }
            }
        }
    }

    /** Otherwise the log has its end before its beginning, and what follows fails in a replay. */
    @Test
    void aTimeThatIsOverLeavesAGoodLog() throws IOException {
        try (Store store = new Store(1, 1, folder, ShardLog.Fsync.NO);
                Jedis client = store.client()) {
            client.set("a", "x");
            Pipeline together = client.pipelined();
            together.set("a", "no number", SetParams.setParams().pxAt(1));
            together.incr("a");
            together.sync();
            assertEquals("1", client.get("a"));
        }
        try (Store store = new Store(1, 1, folder, ShardLog.Fsync.NO);
                Jedis client = store.client()) {
            assertEquals("1", client.get("a"));
        }
    }

    /** It is more than the words of a command. */
    @Test
    void aLargeHashIsCompacted() throws IOException {
        for (int life = 0; life < 3; life++) {
            try (Store store = new Store(1, 1, folder, ShardLog.Fsync.NO);
                    Jedis client = store.client()) {
                for (int i = 0; life == 0 && i < 120; i++) {
                    Map<String, String> some = new HashMap<>();
                    for (int j = 0; j < 1_000; j++) {
                        some.put("field " + (i % 40 * 1_000 + j), "value " + i);
                    }
                    client.hset("h", some);
                }
                assertEquals(40_000, client.hlen("h"));
                assertEquals("value 80", client.hget("h", "field 0"));
            }
        }
    }

    /** The log of a key that changes often is no longer than the key when the shard is started. */
    @Test
    void aLogIsCompacted() throws IOException {
        try (Store store = new Store(1, 1, folder, ShardLog.Fsync.NO);
                Jedis client = store.client()) {
            for (int i = 0; i < 1_000; i++) {
                client.set("a", "value " + i);
            }
        }
        Path file = folder.resolve("shard-0-of-1.log");
        assertTrue(Files.size(file) > 30_000, () -> file.toFile().length() + " bytes");
        try (Store store = new Store(1, 1, folder, ShardLog.Fsync.NO);
                Jedis client = store.client()) {
            assertEquals("value 999", client.get("a"));
            client.incr("n");
        }
        assertTrue(Files.size(file) < 200, () -> file.toFile().length() + " bytes");
    }

    @Test
    void aDamagedLogIsNoStart() throws IOException {
        Files.writeString(folder.resolve("shard-1-of-2.log"), "something else");
        IOException damaged =
                assertThrows(
                        IOException.class, () -> new Store(2, 1, folder, ShardLog.Fsync.ALWAYS));
        assertTrue(damaged.toString().contains("shard-1-of-2.log is damaged"), damaged::toString);
        IOException number =
                assertThrows(
                        IOException.class, () -> new Store(3, 1, folder, ShardLog.Fsync.ALWAYS));
        assertTrue(number.toString().contains("not 3 shards"), number::toString);
    }

    @Test
    void twoStoresOverOneLog() throws IOException {
        try (Store store = new Store(1, 1, folder, ShardLog.Fsync.ALWAYS)) {
            assertTrue(store.kv.port() > 0);
            IOException used =
                    assertThrows(
                            IOException.class,
                            () -> new Store(1, 1, folder, ShardLog.Fsync.ALWAYS));
            assertTrue(used.toString().contains("is in use"), used::toString);
        }
    }
}
