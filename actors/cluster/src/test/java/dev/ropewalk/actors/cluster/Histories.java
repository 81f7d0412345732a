package dev.ropewalk.actors.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The things that clients of registers have seen, one for each key: a register is a list to which a
 * write adds its number, and which a read returns. They must be such as those of one list that does
 * one thing after the other: of two reads one is the beginning of the other; a read has what was
 * acknowledged before it began, and all that a read before it has returned; no number is there
 * twice, or was never written. A write of unknown outcome may be there or not. Confined to one
 * thread.
 *
 * <p>Source: a list that is appended to tells the order of its writes by itself, as Elle uses it.
 */
final class Histories {
    private final Map<String, Register> registers = new HashMap<>();

    private static final class Register {
        /** By number: the ones that were acknowledged when its write began. */
        private final Map<Long, Set<Long>> begun = new HashMap<>();

        private final Set<Long> acknowledged = new HashSet<>();

        /** The longest that was returned. */
        private List<Long> longest = List.of();
    }

    /** What a read that begins now must have. */
    record Before(String key, Set<Long> acknowledged, List<Long> read) {}

    private Register register(String key) {
        return registers.computeIfAbsent(key, _ -> new Register());
    }

    /** A write is about to begin. */
    void writes(String key, long number) {
        Register now = register(key);
        now.begun.put(number, Set.copyOf(now.acknowledged));
    }

    /** A write has succeeded. */
    void acknowledged(String key, long number) {
        register(key).acknowledged.add(number);
    }

    Before begins(String key) {
        Register now = register(key);
        return new Before(key, Set.copyOf(now.acknowledged), now.longest);
    }

    /** {@return the reason why a read cannot have returned that; empty if it can} */
    String returned(Before before, List<Long> list) {
        Set<Long> missing = new HashSet<>(before.acknowledged);
        list.forEach(missing::remove);
        if (!missing.isEmpty()) {
            return before.key + " has lost " + missing + ", which were acknowledged: " + list;
        }
        if (new HashSet<>(list).size() < list.size()) {
            return before.key + " has one twice: " + list;
        }
        if (!isBeginning(before.read, list)) {
            return before.key + " was " + before.read + " before it was " + list;
        }
        Register now = register(before.key);
        Set<Long> ahead = new HashSet<>();
        for (long each : list) {
            Set<Long> first = now.begun.get(each);
            if (first == null) {
                return before.key + " has one that nobody wrote: " + list;
            }
            if (!ahead.containsAll(first)) {
                return before.key + " has " + each + " ahead of a write that came first: " + list;
            }
            ahead.add(each);
        }
        if (!isBeginning(now.longest, list) && !isBeginning(list, now.longest)) {
            return before.key + " was " + now.longest + " and " + list;
        }
        if (list.size() > now.longest.size()) {
            now.longest = new ArrayList<>(list);
        }
        return "";
    }

    private static boolean isBeginning(List<Long> first, List<Long> of) {
        return first.size() <= of.size() && of.subList(0, first.size()).equals(first);
    }
}
