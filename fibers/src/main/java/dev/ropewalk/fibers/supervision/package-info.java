/**
 * Fibers that are started again when they fail: the rule, the window that bounds how often, and the
 * delays in between (rule F7).
 *
 * <p>Actors use the same rule, window and delays. Confined to the cord of the supervisor.
 */
@NullMarked
package dev.ropewalk.fibers.supervision;

import org.jspecify.annotations.NullMarked;
