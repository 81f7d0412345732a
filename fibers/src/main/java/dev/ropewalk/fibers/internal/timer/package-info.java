/**
 * The timers of a cord, in the order of their deadlines (rule F2): a heap of chains, one for each
 * limit in use. They know no fiber: a {@link dev.ropewalk.fibers.internal.timer.Timer} says itself
 * what it does when it is fired. Change the timers here.
 *
 * <p>Called by the cord that owns them, on its thread.
 */
@NullMarked
package dev.ropewalk.fibers.internal.timer;

import org.jspecify.annotations.NullMarked;
