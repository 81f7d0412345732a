/**
 * For builders of channels, mailboxes and locks on top of fibers; programs that use fibers do not
 * need it (rules C1, F4, F5, F9).
 *
 * <p>Called by sync, channels, actors, and any library that makes fibers wait. Calls come from any
 * thread, except where a class says otherwise.
 *
 * <p>A lock, whole. The exclusion decides whether fibers of one cord or of all may use it; the
 * queue keeps the waiters in order; a waiter that leaves early takes itself out, and gives back
 * what it was given in the last moment:
 *
 * {@snippet file="dev/ropewalk/fibers/spi/LockSnippetTest.java" region="lock"}
 *
 * <p>The search for cycles finds fibers that wait for the holder of a lock if the lock is a {@link
 * dev.ropewalk.fibers.spi.HasHolder}. A lock goes back when its holder dies if it is a {@link
 * dev.ropewalk.fibers.spi.Hold}.
 */
@NullMarked
package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.NullMarked;
