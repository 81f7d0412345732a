/**
 * Writes JSON, for the dumps of cords and of systems of actors. Not exported but to those modules
 * of Ropewalk that have dumps.
 */
@NullMarked
package dev.ropewalk.fibers.internal.json;

import org.jspecify.annotations.NullMarked;
