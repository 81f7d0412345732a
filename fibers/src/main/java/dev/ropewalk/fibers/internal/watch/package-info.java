/**
 * The one thread that watches all cords: it sets the marks by which turns end, and reports cords
 * that are stuck or grow (rules F2, F13).
 *
 * <p>The ticker calls the cords' watches from its own thread; its readings of a cord are hints.
 */
@NullMarked
package dev.ropewalk.fibers.internal.watch;

import org.jspecify.annotations.NullMarked;
