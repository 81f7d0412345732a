package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * The result of a run.
 *
 * @param value what the last stage made of the elements; null if it makes nothing
 * @param count how many elements reached the last stage
 * @param stats what each stage did
 * @param <R> the type of the value
 */
public record PipelineResult<R extends @Nullable Object>(
        R value, long count, PipelineStats stats) {}
