/**
 * Actions that come again: after a pause, at a rate, or no more often than that (rule F2).
 *
 * <p>Each is a fiber with a timer; it ends with its parent. Confined to the cord, except where a
 * comment says otherwise.
 */
@NullMarked
package dev.ropewalk.fibers.recurring;

import org.jspecify.annotations.NullMarked;
