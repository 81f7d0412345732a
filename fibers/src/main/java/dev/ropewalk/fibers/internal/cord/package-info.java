/**
 * One cord: a thread's loop and its parts (rules F1 to F3, F8, F15, F18).
 *
 * <ul>
 *   <li>{@link dev.ropewalk.fibers.internal.cord.FiberLoop} empties the run queue, and polls in
 *       between;
 *   <li>StackMount gets the thread onto stacks and off again: {@code StackMount.of} picks one of
 *       its two kinds;
 *   <li>IdleWait spins and sleeps; Mail and Inbox are how other threads reach the cord, and wake
 *       it;
 *   <li>Roster knows its fibers; ForeignChildren those whose parents are elsewhere;
 *   <li>a cord of a scheduler asks its TaskSource for tasks.
 * </ul>
 *
 * <p>Confined to the cord's thread, except for Mail, Inbox, and where a comment says otherwise.
 */
@NullMarked
package dev.ropewalk.fibers.internal.cord;

import org.jspecify.annotations.NullMarked;
