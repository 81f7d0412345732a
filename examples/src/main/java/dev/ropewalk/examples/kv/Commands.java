package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What the commands do to the keys of a shard. Confined to its actor. */
final class Commands {
    private static final int DEFAULT_SCAN = 10;
    private static final int MAX_SCAN = 10_000;

    /**
     * What became of one.
     *
     * @param logged the command that does the same at another time; null if nothing has changed
     */
    record Done(Reply reply, @Nullable Words logged) {}

    private final Keyspace keys;

    Commands(Keyspace keys) {
        this.keys = keys;
    }

    private static final Set<String> READS =
            Set.of(
                    "GET", "MGET", "STRLEN", "EXISTS", "TTL", "PTTL", "TYPE", "SCAN", "HGET",
                    "HMGET", "HGETALL", "HLEN", "HEXISTS", "DBSIZE");

    private static final Set<String> WRITES =
            Set.of(
                    "SET",
                    "SETNX",
                    "SETEX",
                    "PSETEX",
                    "GETSET",
                    "MSET",
                    "APPEND",
                    "INCR",
                    "DECR",
                    "INCRBY",
                    "DECRBY",
                    "DEL",
                    "UNLINK",
                    "EXPIRE",
                    "PEXPIRE",
                    "EXPIREAT",
                    "PEXPIREAT",
                    "PERSIST",
                    "HSET",
                    "HMSET",
                    "HDEL",
                    "HINCRBY",
                    "FLUSHALL",
                    "FLUSHDB",
                    "DEBUG");

    /** Options of SET with a time behind them. */
    private static final Set<String> UNITS = Set.of("EX", "PX", "EXAT", "PXAT");

    static boolean isKnown(Words command) {
        return READS.contains(command.name()) || WRITES.contains(command.name());
    }

    /** What a log may have. */
    static boolean isWrite(Words command) {
        return WRITES.contains(command.name());
    }

    // ---------------------------------------------------------------- commands

    /**
     * Carries a command out.
     *
     * @throws CommandException tells the client what is wrong; nothing is changed then
     */
    Done execute(Words command) throws CommandException {
        return switch (command.name()) {
            case "GET" -> read(bytes(one(command, 2)));
            case "SET" -> set(command);
            case "SETNX" -> setNx(command);
            case "SETEX" -> setFor(command, "EX");
            case "PSETEX" -> setFor(command, "PX");
            case "GETSET" -> getSet(command);
            case "MGET" -> mget(command);
            case "MSET" -> mset(command);
            case "APPEND" -> append(command);
            case "STRLEN" -> strlen(command);
            case "INCR" -> add(command, 2, 1);
            case "DECR" -> add(command, 2, -1);
            case "INCRBY" -> add(command, 3, 0);
            case "DECRBY" -> add(command, 3, 0);
            case "DEL", "UNLINK" -> delete(command);
            case "EXISTS" -> exists(command);
            case "TYPE" -> type(command);
            case "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT" -> expire(command);
            case "TTL", "PTTL" -> timeToLive(command);
            case "PERSIST" -> persist(command);
            case "SCAN" -> scan(command);
            case "HSET", "HMSET" -> hashSet(command);
            case "HGET" -> hashGet(command);
            case "HMGET" -> hashGetMany(command);
            case "HGETALL" -> hashAll(command);
            case "HDEL" -> hashDelete(command);
            case "HLEN" -> read(new Reply.Whole(hash(one(command, 2)).size()));
            case "HEXISTS" -> {
                check(command, 3);
                yield read(Reply.of(hash(command).containsKey(command.text(2))));
            }
            case "HINCRBY" -> hashAdd(command);
            case "DBSIZE" -> read(new Reply.Whole(keys.size()));
            case "FLUSHALL", "FLUSHDB" -> {
                keys.clear();
                yield new Done(Reply.OK, command);
            }
            case "DEBUG" -> debug(command);
            default -> throw CommandException.unknown(command);
        };
    }

    private static Done read(Reply reply) {
        return new Done(reply, null);
    }

    /** With so many words. */
    private static Words one(Words command, int words) throws CommandException {
        check(command, words);
        return command;
    }

    private static void check(Words command, int words) throws CommandException {
        if (command.count() != words) {
            throw CommandException.wrongCount(command.name());
        }
    }

    private static void checkMin(Words command, int words) throws CommandException {
        if (command.count() < words) {
            throw CommandException.wrongCount(command.name());
        }
    }

    /** Of the key behind the name. */
    private Keyspace.@Nullable Entry entry(Words command) {
        return keys.get(command.text(1));
    }

    private Reply bytes(Words command) throws CommandException {
        Keyspace.Entry entry = entry(command);
        return entry == null ? Reply.NONE : new Reply.Bytes(entry.bytes());
    }

    // ---------------------------------------------------------------- strings

    private Done set(Words command) throws CommandException {
        checkMin(command, 3);
        boolean isNew = false;
        boolean isOld = false;
        boolean isGet = false;
        boolean isKept = false;
        String unit = "";
        int time = 0;
        for (int i = 3; i < command.count(); i++) {
            if (command.is(i, "NX")) {
                isNew = true;
            } else if (command.is(i, "XX")) {
                isOld = true;
            } else if (command.is(i, "GET")) {
                isGet = true;
            } else if (command.is(i, "KEEPTTL")) {
                isKept = true;
            } else {
                String option = command.text(i).toUpperCase(Locale.ROOT);
                time = i + 1;
                if (!UNITS.contains(option)
                        || time == command.count()
                        || !(unit.isEmpty() || unit.equals(option))) {
                    throw CommandException.syntax();
                }
                unit = option;
                i++;
            }
        }
        if ((isNew && isOld) || (isKept && !unit.isEmpty())) {
            throw CommandException.syntax();
        }
        long expiresAtMs = unit.isEmpty() ? -1 : expiresAt(command, unit, time);
        Keyspace.Entry old = entry(command);
        Reply before = !isGet || old == null ? Reply.NONE : new Reply.Bytes(old.bytes());
        if (isNew ? old != null : isOld && old == null) {
            return read(before);
        }
        String key = command.text(1);
        byte[] value = command.word(2);
        if (isKept && old != null) {
            keys.change(old, value);
            return new Done(isGet ? before : Reply.OK, Words.of("SET", key, value, "KEEPTTL"));
        }
        if (expiresAtMs >= 0 && keys.isOver(expiresAtMs)) {
            // Otherwise the log would be told of its end before it is told of it.
            return new Done(isGet ? before : Reply.OK, removed(command));
        }
        Keyspace.Entry entry = keys.put(key, value);
        if (expiresAtMs < 0) {
            Words same = command.count() == 3 ? command : Words.of("SET", key, value);
            return new Done(isGet ? before : Reply.OK, same);
        }
        keys.expireAt(entry, expiresAtMs);
        return new Done(
                isGet ? before : Reply.OK, Words.of("SET", key, value, "PXAT", expiresAtMs));
    }

    private long expiresAt(Words command, String unit, int at) throws CommandException {
        long number = command.number(at);
        if (number <= 0) {
            throw invalidTime(command);
        }
        try {
            return switch (unit) {
                case "EX" -> Math.addExact(keys.nowMs(), Math.multiplyExact(number, 1_000L));
                case "PX" -> Math.addExact(keys.nowMs(), number);
                case "EXAT" -> Math.multiplyExact(number, 1_000L);
                default -> number;
            };
        } catch (ArithmeticException e) {
            throw invalidTime(command);
        }
    }

    /** Its time is over. The command for the log; null if there was no such key. */
    private @Nullable Words removed(Words command) {
        Keyspace.Entry entry = entry(command);
        if (entry == null) {
            return null;
        }
        keys.remove(entry);
        return Words.of("DEL", entry.key);
    }

    private static CommandException invalidTime(Words command) {
        return new CommandException(
                "ERR invalid expire time in '"
                        + command.name().toLowerCase(Locale.ROOT)
                        + "' command");
    }

    private Done setFor(Words command, String unit) throws CommandException {
        check(command, 4);
        long atMs = expiresAt(command, unit, 2);
        keys.expireAt(keys.put(command.text(1), command.word(3)), atMs);
        return new Done(Reply.OK, Words.of("SET", command.text(1), command.word(3), "PXAT", atMs));
    }

    private Done setNx(Words command) throws CommandException {
        check(command, 3);
        if (entry(command) != null) {
            return read(Reply.ZERO);
        }
        keys.put(command.text(1), command.word(2));
        return new Done(Reply.ONE, command);
    }

    private Done getSet(Words command) throws CommandException {
        check(command, 3);
        Reply before = bytes(command);
        keys.put(command.text(1), command.word(2));
        return new Done(before, command);
    }

    private Done mget(Words command) throws CommandException {
        checkMin(command, 2);
        List<Reply> values = new ArrayList<>();
        for (int i = 1; i < command.count(); i++) {
            Keyspace.Entry entry = keys.get(command.text(i));
            values.add(
                    entry == null || entry.isHash() ? Reply.NONE : new Reply.Bytes(entry.bytes()));
        }
        return read(new Reply.Many(values));
    }

    private Done mset(Words command) throws CommandException {
        checkMin(command, 3);
        if (command.count() % 2 == 0) {
            throw CommandException.wrongCount(command.name());
        }
        for (int i = 1; i < command.count(); i += 2) {
            keys.put(command.text(i), command.word(i + 1));
        }
        return new Done(Reply.OK, command);
    }

    private Done append(Words command) throws CommandException {
        check(command, 3);
        Keyspace.Entry entry = entry(command);
        byte[] more = command.word(2);
        if (entry == null) {
            keys.put(command.text(1), more);
            return new Done(new Reply.Whole(more.length), command);
        }
        byte[] old = entry.bytes();
        if (old.length + more.length > CommandDecoder.MAX_WORD_BYTES) {
            throw new CommandException("ERR string exceeds maximum allowed size");
        }
        byte[] all = Arrays.copyOf(old, old.length + more.length);
        System.arraycopy(more, 0, all, old.length, more.length);
        keys.change(entry, all);
        return new Done(new Reply.Whole(all.length), command);
    }

    private Done strlen(Words command) throws CommandException {
        check(command, 2);
        Keyspace.Entry entry = entry(command);
        return read(new Reply.Whole(entry == null ? 0 : entry.bytes().length));
    }

    private Done add(Words command, int words, long by) throws CommandException {
        check(command, words);
        boolean isMinus = command.name().equals("DECRBY");
        long change = words == 2 ? by : command.number(2);
        if (isMinus && change == Long.MIN_VALUE) {
            throw new CommandException("ERR decrement would overflow"); // Redis has no minus of it
        }
        Keyspace.Entry entry = entry(command);
        long before = entry == null ? 0 : Words.number(entry.bytes());
        long after;
        try {
            after = isMinus ? Math.subtractExact(before, change) : Math.addExact(before, change);
        } catch (ArithmeticException e) {
            throw new CommandException("ERR increment or decrement would overflow");
        }
        byte[] digits = Reply.bytes(Long.toString(after));
        if (entry == null) {
            keys.put(command.text(1), digits);
        } else {
            keys.change(entry, digits);
        }
        return new Done(new Reply.Whole(after), command);
    }

    // ---------------------------------------------------------------- keys

    private Done delete(Words command) throws CommandException {
        checkMin(command, 2);
        int count = 0;
        for (int i = 1; i < command.count(); i++) {
            Keyspace.Entry entry = keys.get(command.text(i));
            if (entry != null) {
                keys.remove(entry);
                count++;
            }
        }
        return new Done(new Reply.Whole(count), count == 0 ? null : command);
    }

    private Done exists(Words command) throws CommandException {
        checkMin(command, 2);
        int count = 0;
        for (int i = 1; i < command.count(); i++) {
            count += keys.get(command.text(i)) == null ? 0 : 1;
        }
        return read(new Reply.Whole(count));
    }

    private Done type(Words command) throws CommandException {
        check(command, 2);
        Keyspace.Entry entry = entry(command);
        return read(new Reply.Line(entry == null ? "none" : type(entry)));
    }

    private static String type(Keyspace.Entry entry) {
        return entry.isHash() ? "hash" : "string";
    }

    private Done expire(Words command) throws CommandException {
        check(command, 3);
        long number = command.number(2);
        long atMs;
        try {
            atMs =
                    switch (command.name()) {
                        case "EXPIRE" ->
                                Math.addExact(keys.nowMs(), Math.multiplyExact(number, 1_000L));
                        case "PEXPIRE" -> Math.addExact(keys.nowMs(), number);
                        case "EXPIREAT" -> Math.multiplyExact(number, 1_000L);
                        default -> number;
                    };
        } catch (ArithmeticException e) {
            throw invalidTime(command);
        }
        Keyspace.Entry entry = entry(command);
        if (entry == null) {
            return read(Reply.ZERO);
        }
        if (keys.isOver(atMs)) {
            return new Done(Reply.ONE, removed(command));
        }
        keys.expireAt(entry, atMs);
        return new Done(Reply.ONE, Words.of("PEXPIREAT", command.text(1), atMs));
    }

    private Done timeToLive(Words command) throws CommandException {
        check(command, 2);
        Keyspace.Entry entry = entry(command);
        if (entry == null || entry.expiresAtMs() < 0) {
            return read(new Reply.Whole(entry == null ? -2 : -1));
        }
        long leftMs = entry.expiresAtMs() - keys.nowMs();
        return read(
                new Reply.Whole(command.name().equals("PTTL") ? leftMs : (leftMs + 500) / 1_000));
    }

    private Done persist(Words command) throws CommandException {
        check(command, 2);
        Keyspace.Entry entry = entry(command);
        if (entry == null || entry.expiresAtMs() < 0) {
            return read(Reply.ZERO);
        }
        keys.persist(entry);
        return new Done(Reply.ONE, command);
    }

    /** The cursor is this shard's own: the client's has the shard in it. */
    private Done scan(Words command) throws CommandException {
        checkMin(command, 2);
        String pattern = "*";
        @Nullable String type = null;
        int count = DEFAULT_SCAN;
        for (int i = 2; i < command.count(); i += 2) {
            if (i + 1 == command.count()) {
                throw CommandException.syntax();
            }
            if (command.is(i, "MATCH")) {
                pattern = command.text(i + 1);
            } else if (command.is(i, "COUNT")) {
                long number = command.number(i + 1);
                if (number < 1) {
                    throw CommandException.syntax();
                }
                count = (int) Math.min(number, MAX_SCAN);
            } else if (command.is(i, "TYPE")) {
                type = command.text(i + 1);
            } else {
                throw CommandException.syntax();
            }
        }
        String wanted = pattern;
        @Nullable String wantedType = type;
        List<Keyspace.Entry> found = new ArrayList<>();
        long next =
                keys.scan(
                        command.number(1),
                        count,
                        entry ->
                                (wanted.equals("*") || Glob.matches(wanted, entry.key))
                                        && (wantedType == null
                                                || wantedType.equalsIgnoreCase(type(entry))),
                        found);
        return read(
                new Reply.Many(
                        List.of(
                                new Reply.Whole(next),
                                new Reply.Many(
                                        found.stream()
                                                .map(each -> Reply.text(each.key))
                                                .toList()))));
    }

    // ---------------------------------------------------------------- hashes

    /** Empty if there is no such key. */
    private Map<String, byte[]> hash(Words command) throws CommandException {
        Keyspace.Entry entry = entry(command);
        return entry == null ? Map.of() : entry.fields();
    }

    private Keyspace.Entry hashOrNew(Words command) throws CommandException {
        Keyspace.Entry entry = entry(command);
        if (entry == null) {
            return keys.put(command.text(1), new LinkedHashMap<String, byte[]>());
        }
        entry.fields(); // throws if it is no hash
        return entry;
    }

    private Done hashSet(Words command) throws CommandException {
        checkMin(command, 4);
        if (command.count() % 2 != 0) {
            throw CommandException.wrongCount(command.name());
        }
        Keyspace.Entry entry = hashOrNew(command);
        int added = 0;
        for (int i = 2; i < command.count(); i += 2) {
            added += keys.putField(entry, command.text(i), command.word(i + 1)) == null ? 1 : 0;
        }
        return new Done(
                command.name().equals("HMSET") ? Reply.OK : new Reply.Whole(added), command);
    }

    private Done hashGet(Words command) throws CommandException {
        check(command, 3);
        return read(new Reply.Bytes(hash(command).get(command.text(2))));
    }

    private Done hashGetMany(Words command) throws CommandException {
        checkMin(command, 3);
        Map<String, byte[]> fields = hash(command);
        List<Reply> values = new ArrayList<>();
        for (int i = 2; i < command.count(); i++) {
            values.add(new Reply.Bytes(fields.get(command.text(i))));
        }
        return read(new Reply.Many(values));
    }

    private Done hashAll(Words command) throws CommandException {
        check(command, 2);
        List<Reply> all = new ArrayList<>();
        hash(command)
                .forEach(
                        (field, value) -> {
                            all.add(Reply.text(field));
                            all.add(new Reply.Bytes(value));
                        });
        return read(new Reply.Pairs(all));
    }

    private Done hashDelete(Words command) throws CommandException {
        checkMin(command, 3);
        Keyspace.Entry entry = entry(command);
        if (entry == null) {
            return read(Reply.ZERO);
        }
        int count = 0;
        for (int i = 2; i < command.count(); i++) {
            count += keys.removeField(entry, command.text(i)) == null ? 0 : 1;
        }
        if (entry.fields().isEmpty()) {
            keys.remove(entry);
        }
        return new Done(new Reply.Whole(count), count == 0 ? null : command);
    }

    private Done hashAdd(Words command) throws CommandException {
        check(command, 4);
        long change = command.number(3);
        byte[] old = hash(command).get(command.text(2));
        long before;
        try {
            before = old == null ? 0 : Words.number(old);
        } catch (CommandException e) {
            throw new CommandException("ERR hash value is not an integer");
        }
        long after;
        try {
            after = Math.addExact(before, change);
        } catch (ArithmeticException e) {
            throw new CommandException("ERR increment or decrement would overflow");
        }
        keys.putField(hashOrNew(command), command.text(2), Reply.bytes(Long.toString(after)));
        return new Done(new Reply.Whole(after), command);
    }

    /** For those who want to see a shard crash. */
    private static Done debug(Words command) throws CommandException {
        if (command.count() == 3 && command.is(1, "PANIC")) {
            throw new IllegalStateException("DEBUG PANIC");
        }
        throw new CommandException("ERR only DEBUG PANIC key");
    }
}
