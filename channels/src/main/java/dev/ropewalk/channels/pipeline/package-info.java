/**
 * Elements through stages, as one expression (rule C5).
 *
 * <p>Called by programs. {@code Pipeline} describes; {@code PipelinePlan} cuts the description into
 * segments, each a run of stages that one fiber carries out without a channel in between; a {@code
 * Link} is the channel between two segments; {@code PipelineRun} runs them in a scope.
 */
@NullMarked
package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.NullMarked;
