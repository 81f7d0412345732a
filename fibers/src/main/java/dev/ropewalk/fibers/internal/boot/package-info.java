/**
 * Makes cords and starts their threads, and drives them: by a thread of their own, or in turns
 * (rules F8, F14).
 *
 * <p>Called by Cord, Scheduler and VirtualCords before a cord runs; after that the drivers are the
 * cord's.
 */
@NullMarked
package dev.ropewalk.fibers.internal.boot;

import org.jspecify.annotations.NullMarked;
