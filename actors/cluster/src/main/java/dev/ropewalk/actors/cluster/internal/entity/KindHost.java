package dev.ropewalk.actors.cluster.internal.entity;

import org.jspecify.annotations.Nullable;

import java.time.InstantSource;

/**
 * The things that the kinds of one host share. For any thread.
 *
 * @param states of durable ones; null if it has no store
 * @param homes of the kinds, by their names
 * @param clock the time of the day
 * @param ownership of the shards
 */
public record KindHost(
        @Nullable StateStore states, Homes homes, InstantSource clock, Ownership ownership) {
    /** The homes of the kinds that are open. */
    @FunctionalInterface
    public interface Homes {
        /** Null if there is none of the name. */
        @Nullable EntityHome<?> home(String kind);
    }
}
