package dev.ropewalk.channels.pipeline;

import java.time.Duration;

/**
 * The counters of a stage.
 *
 * @param name the name of the stage
 * @param fibers how many carry it out: 1, but for a parallel one
 * @param elements how many came in; for a source, how many it gave
 * @param busy how long it worked on them, in all its fibers: estimated from a sample of them, in
 *     each fiber the first {@value StageCounter#ALL_SAMPLED} and then one in {@value
 *     StageCounter#SAMPLE_EVERY}
 * @param inputWaits how often it found no element and waited for one
 * @param waitedForInput how long, in all
 * @param roomWaits how often what follows had no room, and it waited for that
 * @param waitedForRoom how long, in all
 */
public record StageStats(
        String name,
        int fibers,
        long elements,
        Duration busy,
        long inputWaits,
        Duration waitedForInput,
        long roomWaits,
        Duration waitedForRoom) {}
