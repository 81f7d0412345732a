package dev.ropewalk.fibers.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The books: in which ways each value and each fiber ended. */
final class Ends {
    private static final Queue<String> NONE = new ConcurrentLinkedQueue<>();
    private static final Set<String> ALL =
            Set.of(
                    "received",
                    "handed back",
                    "taken",
                    "left",
                    "arrived",
                    "result",
                    "failed",
                    "terminated",
                    "stopped",
                    "restarted");

    private final Map<String, Queue<String>> endsOf = new ConcurrentHashMap<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    static Set<String> all() {
        return ALL;
    }

    Set<String> seen() {
        return seen;
    }

    void begin(String what) {
        endsOf.put(what, new ConcurrentLinkedQueue<>());
    }

    void end(String what, String how) {
        seen.add(how);
        endsOf.computeIfAbsent(what, _ -> new ConcurrentLinkedQueue<>()).add(how);
    }

    /** Not an end. */
    void saw(String event) {
        seen.add(event);
    }

    boolean areAllOver(Set<String> those) {
        return those.stream().noneMatch(each -> endsOf.getOrDefault(each, NONE).isEmpty());
    }

    /** What did not end exactly once. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        endsOf.forEach(
                (what, ways) -> {
                    if (ways.size() != 1) {
                        problems.add(what + " ended " + ways);
                    }
                });
        return problems;
    }
}
