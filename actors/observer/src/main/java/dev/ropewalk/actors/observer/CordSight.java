package dev.ropewalk.actors.observer;

import dev.ropewalk.fibers.observe.CordStats;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * A cord.
 *
 * @param id of it alone
 * @param busy the share of the time since the last sample in which its thread did not sleep
 * @param switches a second
 * @param running the fiber that keeps it, where it does not answer
 * @param stack where that is
 * @param cycles fibers that wait for each other
 */
record CordSight(
        long id,
        String name,
        CordStats stats,
        double busy,
        double switches,
        boolean isSilent,
        @Nullable String running,
        List<StackTraceElement> stack,
        List<String> cycles) {}
