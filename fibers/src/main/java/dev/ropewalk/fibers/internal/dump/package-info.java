/**
 * The parts of dumps, of cords and of systems of actors: a question to a cord, lines of text, JSON.
 * Exported only to the modules of Ropewalk that have dumps.
 */
@NullMarked
package dev.ropewalk.fibers.internal.dump;

import org.jspecify.annotations.NullMarked;
