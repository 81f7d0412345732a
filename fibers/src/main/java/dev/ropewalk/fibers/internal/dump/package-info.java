/**
 * What dumps are made with, those of cords and those of systems of actors: a question to a cord,
 * lines of text, JSON. Exported to those modules of Ropewalk that have dumps, and to nobody else.
 */
@NullMarked
package dev.ropewalk.fibers.internal.dump;

import org.jspecify.annotations.NullMarked;
