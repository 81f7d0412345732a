/**
 * One fiber: its record of fields and its states, and the protocols over it, each a class of static
 * methods (rules F4 to F9).
 *
 * <ul>
 *   <li>{@link dev.ropewalk.fibers.internal.fiber.FiberImpl}: the fields, the states, how it waits
 *       and is woken;
 *   <li>Cancellation, PendingRules, Unwind, ScopeNode: the early ends of waits, and which of them
 *       stands;
 *   <li>Family, Children, Adoption: parents and children; Ending ends the children of a fiber that
 *       is over, and Abandonment those that do not end;
 *   <li>FiberAwait, EndListeners: the awaiters and listeners that are told of the end; WaitSlot: a
 *       wait that other threads end.
 * </ul>
 *
 * <p>Called by the rest of the kernel and by the topics above it, on the fiber's cord unless a
 * method says otherwise. It and internal.cord name each other: a fiber parks in its cord's loop,
 * and the loop runs fibers.
 */
@NullMarked
package dev.ropewalk.fibers.internal.fiber;

import org.jspecify.annotations.NullMarked;
