package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.observe.ActorGlance;

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
        long atNs,
        List<CordSight> cords,
        List<SchedulerSight> schedulers,
        List<SystemSight> systems,
        List<SourceSight> sources) {
    /** Where there is no sample before. */
    static final double UNKNOWN = -1;

    /**
     * A system.
     *
     * @param id of it alone
     * @param actors by their paths
     * @param silent cords that have not told of their actors
     * @param letters dead letters a second
     * @param failure why it cannot be seen; null if it can
     */
    record SystemSight(
            long id,
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

    /**
     * The one of that id or, without an id, of that name, or the first one; null if there is none.
     */
    @Nullable SystemSight system(@Nullable Long id, @Nullable String name) {
        for (SystemSight each : systems) {
            boolean isIt = id == null ? name == null || each.name().equals(name) : each.id() == id;
            if (isIt) {
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
