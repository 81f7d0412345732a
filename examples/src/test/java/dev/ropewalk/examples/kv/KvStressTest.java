package dev.ropewalk.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Lives of the store, each with clients that count, that break off, that do not read and that crash
 * shards, until it is killed. Ten minutes, unless {@code -Dropewalk.stress.seconds} says otherwise.
 */
class KvStressTest {
    private static final long SECONDS = Long.getLong("ropewalk.stress.seconds", 600L);
    private static final long LIFE_SECONDS = 15;

    @TempDir private Path folder;

    private final Map<String, Count> counts = new HashMap<>();

    /** The end of a life; for its clients. */
    private volatile CountDownLatch over = new CountDownLatch(0);

    /** What is known of a counter. */
    private static final class Count {
        final AtomicLong acknowledged = new AtomicLong();
        final AtomicLong tried = new AtomicLong();
    }

    /** What a client does once. */
    @FunctionalInterface
    private interface Deed {
        void run(Random random) throws IOException, InterruptedException;
    }

    @Test
    @Tag("stress")
    @Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    void nothingAcknowledgedIsLost() throws IOException, InterruptedException {
        long seed = Long.getLong("ropewalk.seed", ProcessHandle.current().pid());
        long all = Math.max(1, SECONDS / LIFE_SECONDS);
        for (long life = 0; life < all; life++) {
            String fsync = life % 2 == 0 ? "always" : "everysec";
            live(new Random(seed + life), "life " + life + " " + fsync + " seed=" + seed, fsync);
        }
        counts.forEach(
                (key, count) ->
                        assertTrue(
                                count.acknowledged.get() > 100 * all,
                                () -> key + " was " + count.acknowledged + " in " + all));
    }

    private void live(Random random, String what, String fsync)
            throws IOException, InterruptedException {
        try (Child child = new Child(folder, "--shards=4", "--cords=2", "--fsync=" + fsync)) {
            checkCounts(child, what);
            try (Jedis client = child.client()) {
                client.set("large", "x".repeat(500_000));
            }
            int descriptors = idleDescriptors(child, what);
            over = new CountDownLatch(1);
            List<Thread> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                String key = "count " + i;
                Count count = counts.computeIfAbsent(key, _ -> new Count());
                clients.add(client(random, count(child, key, count)));
            }
            for (int i = 0; i < 3; i++) {
                clients.add(client(random, each -> breakOff(child, each)));
                clients.add(client(random, each -> readNothing(child, each)));
            }
            clients.add(client(random, each -> crashAShard(child, each)));
            clients.add(client(random, each -> subscribe(child, each)));
            over.await(LIFE_SECONDS, TimeUnit.SECONDS);
            boolean isKilledUnderLoad = random.nextBoolean();
            if (isKilledUnderLoad) {
                child.kill();
            }
            over.countDown();
            for (Thread each : clients) {
                each.join();
            }
            if (!isKilledUnderLoad) {
                checkNothingIsLeft(child, descriptors, what);
            }
        }
        String errors = Files.readString(folder.resolve("errors"));
        assertFalse(errors.contains("LEAK"), errors);
        Files.delete(folder.resolve("errors"));
    }

    private Thread client(Random random, Deed deed) {
        Random own = new Random(random.nextLong());
        Thread thread =
                new Thread(
                        () -> {
                            while (over.getCount() > 0) {
                                try {
                                    deed.run(own);
                                } catch (JedisException | IOException gone) {
                                    // The store was killed, or the client broke off.
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                            }
                        },
                        "client");
        thread.start();
        return thread;
    }

    // ---------------------------------------------------------------- what they do

    private Deed count(Child child, String key, Count count) {
        return random -> {
            try (Jedis client = child.client()) {
                while (over.getCount() > 0) {
                    int batch = 1 + random.nextInt(100);
                    List<Response<Long>> all = new ArrayList<>();
                    count.tried.addAndGet(batch);
                    try (Pipeline pipeline = client.pipelined()) {
                        for (int i = 0; i < batch; i++) {
                            all.add(pipeline.incr(key));
                        }
                        pipeline.sync();
                    }
                    for (Response<Long> each : all) {
                        try {
                            count.acknowledged.accumulateAndGet(each.get(), Math::max);
                        } catch (JedisDataException crashed) {
                            // Whether it was counted, nobody knows.
                        }
                    }
                }
            }
        };
    }

    private static void breakOff(Child child, Random random) throws IOException {
        String whole = "*2\r\n$3\r\nGET\r\n$5\r\nlarge\r\n*1\r\n:1\r\nGET x\r\n";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), child.port())) {
            socket.setSoLinger(random.nextBoolean(), 0);
            socket.setSoTimeout(1 + random.nextInt(100));
            socket.getOutputStream()
                    .write(Reply.bytes(whole.substring(0, random.nextInt(whole.length()))));
            if (random.nextBoolean()) {
                socket.getInputStream().skip(random.nextInt(1_000));
            }
        }
    }

    private void readNothing(Child child, Random random) throws IOException, InterruptedException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), child.port())) {
            int number = 1 + random.nextInt(60);
            socket.getOutputStream().write(Reply.bytes("GET large\r\n".repeat(number)));
            over.await(random.nextInt(500), TimeUnit.MILLISECONDS);
            byte[] some = new byte[random.nextInt(1_000_000)];
            socket.setSoTimeout(100);
            socket.getInputStream().readNBytes(some, 0, some.length);
        }
    }

    private void crashAShard(Child child, Random random) throws InterruptedException {
        try (Jedis client = child.client()) {
            client.sendCommand(() -> Reply.bytes("DEBUG"), "PANIC", "key" + random.nextInt(20));
        } catch (JedisDataException crashed) {
            over.await(random.nextInt(300), TimeUnit.MILLISECONDS);
        }
    }

    private static void subscribe(Child child, Random random) {
        int some = 1 + random.nextInt(5);
        JedisPubSub subscriber =
                new JedisPubSub() {
                    @Override
                    public void onSubscribe(String name, int count) {
                        try (Jedis publisher = child.client()) {
                            for (int i = 0; i < 2_000; i++) {
                                publisher.publish(name, "message " + i);
                            }
                        }
                    }

                    @Override
                    public void onMessage(String name, String message) {
                        if (message.endsWith("9")) {
                            unsubscribe();
                        }
                    }
                };
        try (Jedis client = child.client()) {
            client.subscribe(subscriber, "news " + some);
        }
    }

    // ---------------------------------------------------------------- what must hold

    private void checkCounts(Child child, String what) {
        try (Jedis client = child.client()) {
            counts.forEach(
                    (key, count) -> {
                        String text = client.get(key);
                        long is = text == null ? 0 : Long.parseLong(text);
                        assertTrue(
                                count.acknowledged.get() <= is && is <= count.tried.get(),
                                () ->
                                        what
                                                + ": "
                                                + key
                                                + " is "
                                                + is
                                                + ", acknowledged="
                                                + count.acknowledged
                                                + " tried="
                                                + count.tried);
                    });
        }
    }

    /** Neither connection, nor descriptor, nor subscription; and the counters are what they are. */
    private void checkNothingIsLeft(Child child, int descriptors, String what) {
        checkCounts(child, what);
        await(what)
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertEquals(descriptors, idleDescriptors(child, what)));
    }

    /** With no connection but the one that asks: those of earlier ones take a while to go. */
    private static int idleDescriptors(Child child, String what) {
        try (Jedis client = child.client()) {
            return await(what)
                    .atMost(Duration.ofSeconds(30))
                    .until(
                            () -> {
                                String info = client.info();
                                return info.contains("connected_clients:1\r\n")
                                                && info.contains("pubsub_channels:0\r\n")
                                        ? descriptors(child)
                                        : -1;
                            },
                            number -> number > 0);
        }
    }

    private static int descriptors(Child child) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + child.process().pid() + "/fd"))) {
            return (int) all.filter(KvStressTest::isSocketOrLog).count();
        }
    }

    private static boolean isSocketOrLog(Path descriptor) {
        try {
            String to = Files.readSymbolicLink(descriptor).toString();
            return to.startsWith("socket:") || to.endsWith(".log");
        } catch (IOException closed) {
            return false;
        }
    }
}
