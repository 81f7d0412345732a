/**
 * The parts of dumps, of cords and of systems of actors: a question to a cord, lines of text, JSON,
 * names of classes. Exported only to modules of Ropewalk.
 */
@NullMarked
package dev.ropewalk.fibers.internal.dump;

import org.jspecify.annotations.NullMarked;
