package dev.ropewalk.actors.observer;

import org.jspecify.annotations.Nullable;

/**
 * A thing that the program has added, as it was seen.
 *
 * @param json null if it has failed
 * @param failure null if it has not
 */
record SourceSight(String name, @Nullable String json, @Nullable String failure) {}
