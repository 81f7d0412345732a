/**
 * Request servers: a state, and a function of it for each type of message, in place of a behavior
 * by hand. It stands on the actors; nothing stands on it.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 *
 * <p>Incubating: may change in any version, because no program among the examples has a request
 * server yet.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.server;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
