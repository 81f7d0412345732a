package dev.ropewalk.benchmarks.scenario;

import java.util.Map;

/**
 * A system under test in one configuration. What it needs for its whole life (threads, an actor
 * system) is made by its constructor and is no part of what is measured.
 */
public interface Peer extends AutoCloseable {
    /** {@return what this system runs, by the names of {@link Scenario}} */
    Map<String, Program> programs();

    @Override
    default void close() {}
}
