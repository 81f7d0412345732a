package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.fibers.observe.CordStats;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All that was seen at one moment.
 *
 * @param atNs by {@code Waits.nanoTime}
 */
record Sample(
        long atNs, List<CordSight> cords, List<SystemSight> systems, List<SourceSight> sources) {
    /** Where there is no sample before. */
    static final double UNKNOWN = -1;

    /**
     * A cord.
     *
     * @param busy the share of the time since the last sample in which its thread did not sleep
     * @param switches a second
     * @param running the fiber that keeps it, where it does not answer
     * @param stack where that is
     * @param cycles fibers that wait for each other
     */
    record CordSight(
            String name,
            CordStats stats,
            double busy,
            double switches,
            boolean isSilent,
            @Nullable String running,
            List<StackTraceElement> stack,
            List<String> cycles) {}

    /**
     * A system.
     *
     * @param actors by their paths
     * @param silent cords that have not told of their actors
     * @param letters dead letters a second
     * @param failure why it cannot be seen; null if it can
     */
    record SystemSight(
            ActorSystem system,
            List<ActorGlance> actors,
            List<String> silent,
            long deadLetters,
            double letters,
            @Nullable String failure) {
        String name() {
            return system.name();
        }
    }

    /** The one of that name, or the first one; null if there is none. */
    @Nullable SystemSight system(@Nullable String name) {
        for (SystemSight each : systems) {
            if (name == null || each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    /** The names of cords that have not answered. */
    Set<String> silentCords() {
        return cords.stream()
                .filter(CordSight::isSilent)
                .map(CordSight::name)
                .collect(Collectors.toSet());
    }
}
