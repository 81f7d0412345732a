package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.examples.server.ServerOptions;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The same bytes to the store and to a redis-server, and the same replies, but for each {@link
 * Difference}. Seeds from {@code -Dropewalk.seed} on, as many as {@code -Dropewalk.redis.seeds}
 * says.
 */
class BesideRedisTest {
    private static final int SEEDS = Integer.getInteger("ropewalk.redis.seeds", 60);
    private static final int COMMANDS = 5_000;
    private static final int MAX_TOGETHER = 40;

    @TempDir private Path folder;

    @Test
    @Timeout(value = 10, threadMode = ThreadMode.SEPARATE_THREAD)
    void theDocumentHasEachDifference() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("../docs/kv.md"));
        for (Difference each : Difference.values()) {
            assertTrue(lines.contains(each.line()), () -> "docs/kv.md lacks " + each.line());
        }
    }

    @Test
    @Tag("stress")
    @Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SEPARATE_THREAD)
    void repliesAreThoseOfRedis() throws IOException {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server on the PATH");
        long seed = Long.getLong("ropewalk.seed", ProcessHandle.current().pid());
        try (RedisServer redis = RedisServer.start(folder)) {
            for (int i = 0; i < SEEDS; i++) {
                new Run(seed + i, redis.port()).run(folder.resolve("seed-" + i));
            }
        }
    }

    /** And lines, as people send them; the same answers, byte by byte. */
    @ParameterizedTest
    @Tag("stress")
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    @ValueSource(
            strings = {
                "*1\r\n:1\r\n",
                "*1\r\n+PING\r\n",
                "*1\r\n$-1\r\n",
                "*1\r\n*1\r\n$4\r\nPING\r\n",
                "*99999999999999999999\r\n",
                "*-99999999999999999999\r\n",
                "*1\r\n$999999999999999999999\r\n",
                "*x\r\n",
                "*01\r\n",
                "*-10\r\n",
                "*1\r\n$x\r\n",
                "*1\r\n$04\r\nPING\r\n",
                "$4\r\nPING\r\n",
                ":1\r\n",
                "echo \"a \\x00\\n\\\"\"\r\n",
                "echo 'it\\'s'\necho ab\" c\"\r\n",
                "echo \"a\"b\r\n",
                "echo 'a\r\n",
                "echo \u00ff\u00fe\r\n",
                "\u000becho\u000ca\r\n",
                "HELLO 4\r\nHELLO x\r\nHELLO 2 NOPE\r\nCLIENT NOPE\r\nCLIENT ID x\r\n",
                "post / HTTP/1.1\r\n",
                "*1\r\n$5\r\nHost:\r\n",
            })
    void malformed(String bytes) throws IOException {
        assumeTrue(RedisServer.isInstalled(), "there is no redis-server on the PATH");
        try (RedisServer redis = RedisServer.start(folder);
                Store store = Store.inMemory(1)) {
            List<String> answers = new ArrayList<>();
            for (int port : List.of(redis.port(), store.kv.port())) {
                try (Wire wire = new Wire(port)) {
                    wire.send(Words.of("PING"));
                    wire.reply();
                    byte[] all = Reply.bytes(bytes + "*1\r\n$4\r\nQUIT\r\n");
                    wire.send(all, 0, all.length);
                    answers.add(wire.rest());
                }
            }
            assertEquals(answers.get(0), answers.get(1));
        }
    }

    /** What one seed does. */
    private static final class Run {
        private final long seed;
        private final Random random;
        private final RandomCommands commands;
        private final int redisPort;
        private final List<String> done = new ArrayList<>();
        private int count;

        Run(long seed, int redisPort) {
            this.seed = seed;
            this.random = new Random(seed);
            this.commands = new RandomCommands(random);
            this.redisPort = redisPort;
        }

        /** With one shard, with several, with logs. */
        void run(Path logs) throws IOException {
            int shards = 1 + (int) Math.floorMod(seed, 3L);
            Path where = seed % 2 == 0 ? logs : null;
            Kv.Settings settings =
                    new Kv.Settings(
                            new ServerOptions(0, Math.min(shards, 2), 1_000, false),
                            shards,
                            where,
                            ShardLog.Fsync.NO,
                            InstantSource.system());
            try (Wire redis = new Wire(redisPort)) {
                redis.send(Words.of("FLUSHALL"));
                redis.reply();
                try (Kv kv = new Kv(settings);
                        Wire ours = new Wire(kv.port())) {
                    while (count < COMMANDS) {
                        some(new Both(ours, redis), kv.port());
                    }
                    all(new Both(ours, redis));
                }
                if (where != null) {
                    try (Kv kv = new Kv(settings);
                            Wire ours = new Wire(kv.port())) {
                        all(new Both(ours, redis));
                    }
                }
            }
        }

        private void some(Both both, int port) throws IOException {
            switch (random.nextInt(10)) {
                case 0 -> both.scan(commands.scanned(false));
                case 1 -> subscribed(both, port);
                default -> together(both);
            }
        }

        private void together(Both both) throws IOException {
            List<Words> batch = new ArrayList<>();
            for (int i = random.nextInt(MAX_TOGETHER); i >= 0; i--) {
                Words next = commands.next();
                batch.add(next);
                if (next.name().equals("SET") && (has(next, "EXAT") || has(next, "PXAT"))) {
                    // It may be over, and Redis counts the key until somebody asks for it.
                    batch.add(Words.of("EXISTS", next.word(1)));
                }
            }
            both.ask(batch);
        }

        private static boolean has(Words command, String option) {
            for (int i = 3; i < command.count(); i++) {
                if (command.is(i, option)) {
                    return true;
                }
            }
            return false;
        }

        /** Another client each, that is told what the first publishes. */
        private void subscribed(Both publisher, int port) throws IOException {
            Set<String> names = new TreeSet<>();
            try (Wire ours = new Wire(port);
                    Wire redis = new Wire(redisPort)) {
                Both both = new Both(ours, redis);
                for (int i = random.nextInt(20); i >= 0; i--) {
                    String name = "c" + random.nextInt(4);
                    switch (random.nextInt(8)) {
                        case 0, 1 -> {
                            String other = "c" + random.nextInt(4);
                            both.ask(Words.of("SUBSCRIBE", name, other), 2);
                            names.addAll(List.of(name, other));
                        }
                        case 2 -> {
                            both.ask(Words.of("unsubscribe", name), 1);
                            names.remove(name);
                        }
                        case 3 -> {
                            if (names.size() < 2) { // Redis goes through several by their hashes
                                both.ask(Words.of("UNSUBSCRIBE"), 1);
                                names.clear();
                            }
                        }
                        case 4 -> both.ask(Words.of("PING"), 1);
                        case 5 -> both.ask(Words.of("ping", "x"), 1);
                        case 6 ->
                                both.ask(
                                        commands.one(
                                                List.of(
                                                        Words.of("GET", "no such key"),
                                                        Words.of("GET"),
                                                        Words.of("SUBSCRIBE"),
                                                        Words.of("PING", "a", "b"),
                                                        Words.of("NOPE", "a"))),
                                        1);
                        default -> {
                            Words message = Words.of("PUBLISH", name, "message " + i);
                            publisher.ask(message, 1);
                            if (names.contains(name)) {
                                both.compare(message);
                            }
                        }
                    }
                }
                // Nobody knows when a server sees the end of a connection.
                for (String each : names) {
                    both.ask(Words.of("UNSUBSCRIBE", each), 1);
                }
            }
        }

        /** What there is in the end. */
        private void all(Both both) throws IOException {
            for (String key : both.scan(List.of())) {
                String name = key.substring(key.indexOf('\n') + 1, key.length() - 2);
                both.ask(
                        List.of(
                                Words.of("TYPE", name),
                                Words.of("GET", name),
                                Words.of("HGETALL", name),
                                Words.of("PTTL", name)));
            }
            both.ask(Words.of("DBSIZE"), 1);
        }

        /** A client of each. */
        private final class Both {
            private final Wire ours;
            private final Wire redis;

            Both(Wire ours, Wire redis) {
                this.ours = ours;
                this.redis = redis;
            }

            /** All sent before the first is answered. */
            void ask(List<Words> batch) throws IOException {
                ByteArrayOutputStream all = new ByteArrayOutputStream();
                for (Words each : batch) {
                    all.writeBytes(Wire.encode(each));
                }
                byte[] bytes = all.toByteArray();
                int cut = random.nextInt(bytes.length);
                for (Wire each : List.of(ours, redis)) {
                    each.send(bytes, 0, cut);
                    each.send(bytes, cut, bytes.length - cut);
                }
                for (Words each : batch) {
                    compare(each);
                }
            }

            void ask(Words command, int replies) throws IOException {
                ours.send(command);
                redis.send(command);
                for (int i = 0; i < replies; i++) {
                    compare(command);
                }
            }

            void compare(Words command) throws IOException {
                count++;
                String expected = reply(redis, command);
                String reply = reply(ours, command);
                done.add(visible(command) + " -> " + visible(expected));
                if (!reply.equals(expected) && !Difference.isAllowed(command, reply, expected)) {
                    fail(
                            told(command)
                                    + "\n  redis "
                                    + visible(expected)
                                    + "\n  kv    "
                                    + visible(reply)
                                    + before(command));
                }
            }

            private String reply(Wire wire, Words command) {
                try {
                    return wire.reply();
                } catch (IOException none) {
                    return fail(
                            told(command) + ", no reply of " + (wire == ours ? "kv" : "redis"),
                            none);
                }
            }

            private String told(Words command) {
                return "seed=" + seed + " command=" + count + " " + visible(command);
            }

            /** The last ones that had to do with the same key. */
            private String before(Words command) {
                String key = "|" + visible(command.count() == 1 ? "" : command.text(1));
                List<String> some =
                        done.subList(0, done.size() - 1).stream()
                                .filter(each -> (each + "|").contains(key))
                                .toList();
                return "\nbefore it, as Redis answered\n  "
                        + String.join(
                                "\n  ", some.subList(Math.max(0, some.size() - 10), some.size()));
            }

            /** The keys of a whole iteration, which are the same. */
            Set<String> scan(List<String> options) throws IOException {
                Set<String> expected = scan(redis, options);
                Set<String> found = scan(ours, options);
                if (!found.equals(expected)) {
                    fail(
                            told(Words.of("SCAN " + options))
                                    + "\n  redis "
                                    + visible(expected.toString())
                                    + "\n  kv    "
                                    + visible(found.toString()));
                }
                return found;
            }

            private Set<String> scan(Wire wire, List<String> options) throws IOException {
                Set<String> all = new TreeSet<>();
                String cursor = "0";
                do {
                    List<Object> words = new ArrayList<>(List.of("SCAN", cursor));
                    words.addAll(options);
                    Words command = Words.of(words.toArray());
                    wire.send(command);
                    count++;
                    List<String> two = Wire.parts(reply(wire, command));
                    all.addAll(Wire.parts(two.get(1)));
                    cursor = two.get(0).lines().skip(1).findFirst().orElseThrow();
                } while (!cursor.equals("0"));
                return all;
            }
        }
    }

    private static String visible(Words command) {
        return IntStream.range(0, command.count())
                .mapToObj(command::text)
                .map(BesideRedisTest::visible)
                .collect(Collectors.joining("|"));
    }

    /** Bytes that are no letters as numbers. */
    private static String visible(String bytes) {
        StringBuilder text = new StringBuilder();
        bytes.chars()
                .limit(500)
                .forEach(
                        each -> {
                            if (each >= ' ' && each < 127) {
                                text.append((char) each);
                            } else {
                                text.append("\\x").append(HexFormat.of().toHexDigits((byte) each));
                            }
                        });
        return text.toString();
    }
}
