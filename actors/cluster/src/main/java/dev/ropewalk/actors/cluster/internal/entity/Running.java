package dev.ropewalk.actors.cluster.internal.entity;

import java.time.Duration;

/**
 * How long the entities of a kind run.
 *
 * @param idle after so long without a message one stops
 * @param isRemembered those that have a state are started without a message
 */
public record Running(Duration idle, boolean isRemembered) {}
