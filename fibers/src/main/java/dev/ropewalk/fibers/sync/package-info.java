/**
 * Locks and the like for fibers: they make the fiber wait, never its thread.
 *
 * <p>Each comes in two forms that behave alike. {@code local()} is confined to the cord that made
 * it and takes no atomic instruction; {@code shared()} is for fibers of any cord and plain threads.
 * Waiters are served first in, first out; a waiter that times out, or is terminated or cancelled,
 * takes nothing with it.
 */
@NullMarked
package dev.ropewalk.fibers.sync;

import org.jspecify.annotations.NullMarked;
