package dev.ropewalk.benchmarks.failover;

import java.util.Arrays;
import java.util.List;

/** The clusters that lose a process. */
enum Subject {
    ROPEWALK("ropewalk", RopewalkMember.class, ""),
    PEKKO("pekko", PekkoMember.class, ""),
    PEKKO_3S("pekko-3s", PekkoMember.class, "3s");

    private final String id;
    private final Class<?> main;

    /** Of Pekko's split brain resolver; its default if empty. */
    private final String stableAfter;

    Subject(String id, Class<?> main, String stableAfter) {
        this.id = id;
        this.main = main;
        this.stableAfter = stableAfter;
    }

    static Subject of(String id) {
        return Arrays.stream(values())
                .filter(each -> each.id.equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "no such system: " + id + "; give one of " + names()));
    }

    private static List<String> names() {
        return Arrays.stream(values()).map(Subject::toString).toList();
    }

    /** Which each of its processes runs. */
    Class<?> main() {
        return main;
    }

    String stableAfter() {
        return stableAfter;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return id;
    }
}
