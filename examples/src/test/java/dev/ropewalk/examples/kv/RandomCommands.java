package dev.ropewalk.examples.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Good commands and bad ones, drawn from a seed. Nothing that they set expires within the life of a
 * test: a time is far away, or over.
 */
final class RandomCommands {
    /** Capital words are said, the others are drawn. */
    private static final List<String> FORMS =
            """
            PING
            PING value
            ECHO value
            SELECT database
            DBSIZE
            PUBLISH key value
            GET key
            GET key
            SET key value
            SET key value
            SET key number
            SET key number
            SET key value options
            SET key value options
            SET key value options
            SETNX key value
            SETEX key seconds value
            PSETEX key ms value
            GETSET key value
            MGET keys
            MSET pairs
            APPEND key value
            STRLEN key
            INCR key
            DECR key
            INCRBY key number
            DECRBY key number
            DEL keys
            UNLINK keys
            EXISTS keys
            TYPE key
            EXPIRE key seconds
            PEXPIRE key ms
            EXPIREAT key at
            PEXPIREAT key atMs
            TTL key
            PTTL key
            PERSIST key
            SCAN cursor
            SCAN cursor scanned
            HSET key fields
            HSET key fields
            HSET key field number
            HMSET key fields
            HGET key field
            HMGET key names
            HGETALL key
            HDEL key names
            HLEN key
            HEXISTS key field
            HINCRBY key field number
            HINCRBY key field number
            LLEN key
            HKEYS key
            NOPE
            NOPE key value value
            """
                    .lines()
                    .toList();

    private static final List<String> NUMBERS =
            List.of(
                    "0",
                    "1",
                    "-1",
                    "7",
                    "-12",
                    "100",
                    "9223372036854775806",
                    "9223372036854775807",
                    "9223372036854775808",
                    "-9223372036854775807",
                    "-9223372036854775808",
                    "-9223372036854775809",
                    "99999999999999999999",
                    "999999999999999999999");

    private static final List<String> NO_NUMBERS =
            List.of(
                    "",
                    "x",
                    "+1",
                    "007",
                    "-0",
                    "-01",
                    "--1",
                    "-",
                    "1 ",
                    " 1",
                    "1.5",
                    "1e3",
                    "0x10",
                    "1\0",
                    "\u00b2",
                    "\u00d9\u00a1");

    private static final List<String> FLAGS =
            List.of("NX", "XX", "GET", "KEEPTTL", "nx", "Get", "PERSIST", "EX", "PXAT", "", "soon");

    /** Those of patterns; keys are made of them too. */
    private static final String PATTERN = "abk019*?[]^\\-";

    private final Random random;

    RandomCommands(Random random) {
        this.random = random;
    }

    Words next() {
        List<String> words = new ArrayList<>();
        String form = random.nextInt(1_000) == 0 ? flush() : one(FORMS);
        for (String each : form.split(" ", -1)) {
            add(each, words);
        }
        if (random.nextInt(12) == 0) {
            disturb(words);
        }
        if (random.nextInt(20) == 0) {
            words.set(0, words.get(0).toLowerCase(Locale.ROOT));
        }
        return Words.of(words.toArray());
    }

    private String flush() {
        return one(List.of("FLUSHALL", "FLUSHDB", "FLUSHALL SYNC", "flushdb ASYNC", "FLUSHALL X"));
    }

    /** Too few words, or too many. */
    private void disturb(List<String> words) {
        if (random.nextBoolean() && words.size() > 1) {
            words.removeLast();
        } else {
            words.add(one(List.of("x", "", "key", "\r\n")));
        }
    }

    private void add(String kind, List<String> to) {
        switch (kind) {
            case "key", "field" -> to.add(key());
            case "value" -> to.add(value());
            case "number" -> to.add(number());
            case "seconds" -> to.add(time("100000", "9223372036854775", "9223372036854776"));
            case "ms" -> to.add(time("100000000", "9000000000000000000", "9223372036854775807"));
            case "at" -> to.add(time("4102444800", "9223372036854775", "1"));
            case "atMs" -> to.add(time("4102444800000", "9223372036854775807", "1"));
            case "database" -> to.add(one(List.of("0", "16", "-1", "x", "", "99999999999")));
            case "cursor" -> to.add(one(List.of("0", "0", "x", "1x", " 0", "-", "0 ")));
            case "keys", "names" -> repeat("key", to);
            case "pairs", "fields" -> repeat("key value", to);
            case "options" -> repeat("option", to);
            case "option" -> option(to);
            case "scanned" -> to.addAll(scanned(random.nextInt(4) == 0));
            default -> to.add(kind);
        }
    }

    private void repeat(String kinds, List<String> to) {
        int times = random.nextInt(200) == 0 ? 150 : 1 + random.nextInt(3);
        for (int i = 0; i < times; i++) {
            for (String each : kinds.split(" ", -1)) {
                add(each, to);
            }
        }
    }

    private void option(List<String> to) {
        switch (random.nextInt(6)) {
            case 0 -> to.addAll(List.of("EX", time("100000", "9223372036854775", "0")));
            case 1 -> to.addAll(List.of("px", time("100000000", "9000000000000000000", "-1")));
            case 2 -> to.addAll(List.of("EXAT", time("4102444800", "9223372036854775", "1")));
            case 3 -> to.addAll(List.of("PXAT", time("4102444800000", "1", "0")));
            default -> to.add(one(FLAGS));
        }
    }

    /** Options of a scan. */
    List<String> scanned(boolean isBad) {
        List<String> options = new ArrayList<>();
        if (random.nextBoolean()) {
            options.addAll(List.of("MATCH", pattern()));
        }
        if (random.nextBoolean()) {
            options.addAll(List.of("count", one(List.of("1", "3", "10", "1000", "100000"))));
        }
        if (random.nextInt(3) == 0) {
            options.addAll(
                    List.of("TYPE", one(List.of("string", "hash", "HASH", "list", "", "x"))));
        }
        if (isBad) {
            options.addAll(
                    one(
                            List.of(
                                    List.of("COUNT", "0"),
                                    List.of("COUNT", "-1"),
                                    List.of("COUNT", "x"),
                                    List.of("COUNT"),
                                    List.of("MATCH"),
                                    List.of("LIMIT", "1"))));
        }
        return options;
    }

    /** For a scan. */
    private String pattern() {
        return random.nextInt(3) == 0 ? one(List.of("*", "k*", "k?", "[ab]*")) : letters(8);
    }

    private String letters(int max) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(max + 1); i > 0; i--) {
            text.append(PATTERN.charAt(random.nextInt(PATTERN.length())));
        }
        return text.toString();
    }

    /** Few, so that they meet again. */
    private String key() {
        int kind = random.nextInt(20);
        return kind == 0
                ? one(List.of("", "\r\n", "\0\u00ff\r\n$", "\u00c3\u00a9"))
                : kind < 4 ? letters(2) : "k" + random.nextInt(10);
    }

    private String value() {
        return switch (random.nextInt(8)) {
            case 0, 1 -> number();
            case 2 -> one(List.of("", "OK", "\r\n", "$-1\r\n", "*", "\u00c3\u00a9"));
            case 3 -> binary(40);
            case 4 -> random.nextInt(40) == 0 ? binary(20_000) : binary(100);
            default -> "v" + random.nextInt(100);
        };
    }

    private String binary(int max) {
        byte[] bytes = new byte[random.nextInt(max)];
        random.nextBytes(bytes);
        return Words.of((Object) bytes).text(0);
    }

    private String number() {
        return switch (random.nextInt(8)) {
            case 0 -> one(NO_NUMBERS);
            case 1, 2 -> one(NUMBERS);
            default -> Integer.toString(random.nextInt(2_001) - 1_000);
        };
    }

    private String time(String... some) {
        return switch (random.nextInt(8)) {
            case 0 -> one(NO_NUMBERS);
            case 1 ->
                    one(
                            List.of(
                                    "0",
                                    "-1",
                                    "-9223372036854775",
                                    "-9223372036854775808",
                                    "9223372036854775807",
                                    "9223372036854775808"));
            default -> one(List.of(some));
        };
    }

    <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }
}
