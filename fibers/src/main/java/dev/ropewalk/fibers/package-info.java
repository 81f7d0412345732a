/**
 * Fibers: light threads of control that are spun on cords and yield only at switchpoints.
 *
 * <p>A {@link dev.ropewalk.fibers.Cord} is a thread with a run queue, timers, an inbox and a
 * reactor. A {@link dev.ropewalk.fibers.Fiber} is pinned to one cord for life, so objects that only
 * the fibers of one cord touch need no lock. References are non-null unless marked
 * {@code @Nullable}.
 *
 * <p>{@link dev.ropewalk.fibers.spi.Waits}, {@link dev.ropewalk.fibers.spi.WaitCell}, {@link
 * dev.ropewalk.fibers.CordMessage} and {@link dev.ropewalk.fibers.Handler} are for builders of
 * channels, mailboxes and locks on top of fibers; programs that use fibers do not need them.
 */
@NullMarked
package dev.ropewalk.fibers;

import org.jspecify.annotations.NullMarked;
