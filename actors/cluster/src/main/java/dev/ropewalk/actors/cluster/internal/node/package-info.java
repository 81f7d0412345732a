/**
 * A node among others: {@code Presence} has a session with each that is there, and {@code Dialling}
 * tries the addresses at which some may be. Called by {@link dev.ropewalk.actors.cluster}.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.node;

import org.jspecify.annotations.NullMarked;
