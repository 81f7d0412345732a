/**
 * Bodies that give values in the middle, and go on when asked: coroutines with resume, yield and
 * transfer, and generators (rule F16).
 *
 * <p>On public parts of fibers and on fibers of the kernel. Confined to the cord of the fiber that
 * made the coroutine, with misuse answered by an error that names both.
 *
 * <p>Incubating: may change in any version, because no program among the examples has used
 * coroutines and generators yet.
 */
@Incubating
@NullMarked
package dev.ropewalk.fibers.coroutine;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
