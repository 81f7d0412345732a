package dev.ropewalk.examples.kv;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What was acknowledged outlives the process, and what was not does no harm. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class KillTest {
    @TempDir private Path folder;

    /** Adds to a key of its own until the store is gone. */
    private static final class Writer extends Thread {
        private final Jedis client;
        private final String key;
        private volatile long acknowledged;

        Writer(Jedis client, int number) {
            super("writer " + number);
            this.client = client;
            this.key = "count " + number;
        }

        @Override
        public void run() {
            try (client) {
                for (; ; ) {
                    acknowledged = client.incr(key);
                }
            } catch (JedisException killed) {
                // The test looks at what is left.
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "everysec", "no"})
    void whatWasAcknowledgedOutlivesAKill(String fsync) throws IOException, InterruptedException {
        String[] options = {"--shards=3", "--cords=2", "--fsync=" + fsync};
        List<Long> before = new ArrayList<>(List.of(0L, 0L, 0L, 0L, 0L));
        for (int life = 0; life < 2; life++) {
            List<Writer> writers = new ArrayList<>();
            try (Child child = new Child(folder, options)) {
                for (int i = 0; i < before.size(); i++) {
                    writers.add(new Writer(child.client(), i));
                }
                writers.forEach(Thread::start);
                long enough = 200 * (life + 1L);
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> writers.stream().allMatch(w -> w.acknowledged > enough));
            }
            for (Writer each : writers) {
                each.join();
            }
            try (Child child = new Child(folder, options);
                    Jedis client = child.client()) {
                for (int i = 0; i < writers.size(); i++) {
                    long is = Long.parseLong(String.valueOf(client.get(writers.get(i).key)));
                    long was = writers.get(i).acknowledged;
                    assertTrue(was <= is && is <= was + 1, was + " acknowledged, and it is " + is);
                    assertTrue(was > before.get(i), "it did not go on");
                    before.set(i, is);
                }
                assertEquals(5, client.dbSize());
            }
        }
    }

    @Test
    void termEndsItInOrder() throws IOException, InterruptedException {
        try (Child child = new Child(folder, "--fsync=no")) {
            try (Jedis client = child.client()) {
                client.set("a", "1");
                child.process().destroy();
                assertTrue(child.process().waitFor(30, TimeUnit.SECONDS), "it did not end");
                assertEquals(128 + 15, child.process().exitValue(), child::errors);
            }
            assertEquals("", child.errors());
        }
        try (Child child = new Child(folder);
                Jedis client = child.client()) {
            assertEquals("1", client.get("a"));
        }
    }

    /**
     * A line that names the file, the byte and the remedy; what a cord did meanwhile is another
     * matter.
     */
    @Test
    void aRefusedStartIsALine() throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Path log = data.resolve("shard-1-of-2.log");
        Words first = Words.of("SET", "a", "1");
        for (Words second : List.of(Words.of("GARBAGE"), Words.of("INCR", "a", "b"))) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            LogFile.encode(first, bytes);
            LogFile.encode(second, bytes);
            assertRefused(log, bytes.toByteArray(), first.encodedBytes());
        }
        assertRefused(log, Reply.bytes("something else"), 0);
        Files.delete(log);
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String line = refusal("--port=" + taken.getLocalPort());
            assertTrue(line.startsWith("kv: "), line);
            assertTrue(line.contains("cannot listen on 127.0.0.1:" + taken.getLocalPort()), line);
        }
    }

    private Path data(String name) {
        return folder.resolve("data").resolve(name);
    }

    private void assertRefused(Path log, byte[] bytes, int at) throws IOException {
        Files.write(log, bytes);
        String line = refusal();
        assertTrue(line.startsWith("kv: " + log + " is damaged behind byte " + at + ": "), line);
        assertTrue(line.endsWith("truncate -s " + at + " " + log), line);
        assertArrayEquals(bytes, Files.readAllBytes(log));
    }

    private String refusal(String... more) throws IOException {
        List<String> options = new ArrayList<>(List.of("--shards=2", "--cords=1"));
        options.addAll(List.of(more));
        String said = Child.refusal(folder, options.toArray(String[]::new));
        List<String> lines =
                said.lines().filter(line -> !line.matches("\\[ropewalk-watchdog].*")).toList();
        assertEquals(1, lines.size(), said);
        return lines.getFirst();
    }

    /**
     * A disk that is full, by a limit of the shell: each write from there on is refused, reads go
     * on, and the store is what its log is.
     */
    @Test
    void aFullDisk() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
        long acknowledged = 0;
        try (Child child =
                        new Child(
                                List.of("/bin/sh", "-c", "ulimit -f 100; exec \"$@\"", "sh"),
                                folder,
                                "--shards=1",
                                "--fsync=no");
                Jedis client = child.client()) {
            client.set("small", "1");
            String refused = "";
            for (int i = 0; i < 10_000 && refused.isEmpty(); i++) {
                try {
                    client.append("big", "x".repeat(100));
                    acknowledged += 100;
                } catch (JedisDataException full) {
                    refused = full.toString();
                }
            }
            assertTrue(refused.contains("MISCONF the log cannot be written"), refused);
            String long100 = "x".repeat(100);
            for (int i = 0; i < 20; i++) {
                assertThrows(JedisDataException.class, () -> client.append("big", long100));
            }
            String line = data("shard-0-of-1.log") + ": writes are refused";
            assertEquals(1, child.errors().split(line, -1).length - 1, child::errors);
            assertEquals("1", client.get("small"));
            assertEquals(acknowledged, client.strlen("big"));
            client.del("big"); // there is room for a short one, and then again for long ones
            assertEquals(1, client.dbSize());
        }
    }

    /** What was done to a value that the log has not is not acknowledged. */
    @Test
    void manyClientsOnAFullDisk() throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
        try (Child child =
                        new Child(
                                List.of("/bin/sh", "-c", "ulimit -f 200; exec \"$@\"", "sh"),
                                folder,
                                "--shards=1",
                                "--fsync=always");
                Jedis client = child.client()) {
            List<Filler> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                all.add(new Filler(child.client(), i));
            }
            all.forEach(Thread::start);
            for (Filler each : all) {
                each.join();
            }
            long is = Long.parseLong(client.get(Filler.KEY));
            long acknowledged = all.stream().mapToLong(each -> each.acknowledged).max().orElse(0);
            assertTrue(acknowledged > 0 && acknowledged <= is, acknowledged + " > " + is);
        }
    }

    /** All of them add to one key, between writes that fill the disk. */
    private static final class Filler extends Thread {
        static final String KEY = "count";
        private static final int REFUSED_OFTEN = 4;
        private final Jedis client;
        private volatile long acknowledged;

        Filler(Jedis client, int number) {
            super("filler " + number);
            this.client = client;
        }

        @Override
        public void run() {
            try (client) {
                for (int refused = 0; refused < REFUSED_OFTEN; ) {
                    try {
                        acknowledged = client.incr(KEY);
                        client.append("big", "x".repeat(1_000));
                    } catch (JedisDataException full) {
                        refused++;
                    }
                }
            }
        }
    }
}
