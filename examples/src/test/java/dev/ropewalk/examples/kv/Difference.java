package dev.ropewalk.examples.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Where the store is not like Redis, and why; docs/kv.md has the same table. */
enum Difference {
    SCAN("`SCAN`: order, cursors, keys in a step", "it goes by hash codes of its own") {
        @Override
        boolean isOf(Words command) {
            return Set.of("SCAN").contains(command.name());
        }

        @Override
        boolean areBothRight(Words command, String kv, String redis) {
            return kv.startsWith("*2\r\n") && redis.startsWith("*2\r\n"); // seen as a whole later
        }
    },
    FIELD_ORDER(
            "`HGETALL`: order",
            "as the fields were set; Redis keeps that order only in small hashes") {
        @Override
        boolean isOf(Words command) {
            return Set.of("HGETALL").contains(command.name());
        }

        @Override
        boolean areBothRight(Words command, String kv, String redis) {
            return kv.startsWith("*") && redis.startsWith("*") && pairs(kv).equals(pairs(redis));
        }
    },
    TIME(
            "`TTL`, `PTTL`: what goes by between the two servers",
            "each has a clock of its own; the test allows a minute") {
        @Override
        boolean isOf(Words command) {
            return Set.of("TTL", "PTTL").contains(command.name());
        }

        @Override
        boolean areBothRight(Words command, String kv, String redis) {
            long minute = command.name().equals("PTTL") ? 60_000 : 60;
            long one = whole(kv);
            long other = whole(redis);
            return one > minute && other > minute && Math.abs(one - other) <= minute;
        }
    },
    OVER(
            "`SET` with a time that is over: no key at all",
            "Redis counts it in `DBSIZE` until it is asked for"),
    UNKNOWN("other commands, transactions and scripts too: unknown", "it is an example") {
        @Override
        boolean isOf(Words command) {
            return Set.of("LLEN", "HKEYS").contains(command.name());
        }

        @Override
        boolean areBothRight(Words command, String kv, String redis) {
            return kv.startsWith("-ERR unknown command '");
        }
    },
    EXPIRE_OPTIONS("`EXPIRE` and its kin: no `NX`, `XX`, `GT`, `LT`", "few clients send them") {
        @Override
        boolean isOf(Words command) {
            return Set.of("EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT").contains(command.name());
        }

        @Override
        boolean areBothRight(Words command, String kv, String redis) {
            return kv.startsWith("-ERR wrong number of arguments")
                    && redis.startsWith("-ERR Unsupported option");
        }
    },
    SELECT("`SELECT`: of 0 only", "there is one database"),
    OWN(
            "`INFO`, `COMMAND`, `CONFIG`: little in them, errors of their own",
            "as much as clients need to begin"),
    DEBUG("`DEBUG`: only `PANIC`, which needs a key", "a shard crashes, not the process"),
    SUBSCRIBED(
            "what a subscribed client may not do: always `ERR Can't execute`, and another text",
            "there is less that it may do") {
        @Override
        boolean isOf(Words command) {
            return Set.of("GET", "NOPE").contains(command.name());
        }

        @Override
        boolean areBothRight(Words command, String kv, String redis) {
            return kv.startsWith("-ERR Can't execute '") && redis.startsWith("-ERR ");
        }
    },
    HELLO(
            "`HELLO`, `CLIENT`: `server` and `version`; only `ID`, `GETNAME`, `SETNAME`, `SETINFO`",
            "as much as clients need to begin"),
    CURSORS(
            "`SCAN`: a cursor that no server gave, below 0 or above 2^63",
            "an error, where Redis begins anywhere"),
    HTTP(
            "`POST` and `Host:`: what came before them is answered",
            "Redis drops the replies that it has not sent yet"),
    LIMITS(
            "at most 65,536 words, 16 MB in a word or value, 64 MB in a command",
            "memory; Redis takes 512 MB of a word");

    private final String what;
    private final String why;

    Difference(String what, String why) {
        this.what = what;
        this.why = why;
    }

    static boolean isAllowed(Words command, String kv, String redis) {
        for (Difference each : values()) {
            if (each.isOf(command) && each.areBothRight(command, kv, redis)) {
                return true;
            }
        }
        return false;
    }

    /** Of none, unless the test sends some. */
    boolean isOf(Words command) {
        return false;
    }

    boolean areBothRight(Words command, String kv, String redis) {
        return false;
    }

    /** A line of the table. */
    String line() {
        return "| " + what + " | " + why + " |";
    }

    /** Field and value, in an order of their own. */
    private static List<String> pairs(String reply) {
        List<String> parts = Wire.parts(reply);
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < parts.size(); i += 2) {
            pairs.add(parts.get(i) + parts.get(i + 1));
        }
        pairs.sort(null);
        return pairs;
    }

    /** 0 if it is none. */
    private static long whole(String reply) {
        return reply.startsWith(":") ? Long.parseLong(reply.substring(1, reply.length() - 2)) : 0;
    }
}
