/**
 * A command that shows the cords and actors of a running process in a terminal, by the address of
 * its observer (rule A6). It has no API: {@link dev.ropewalk.actors.top.Main} is the command.
 *
 * <p>{@code Options} and {@code Address} are the command line, {@code Feed} has the looks of the
 * observer, {@code Look} is one of them, {@code Screen} makes it text, {@code Terminal} is the
 * place where that is shown.
 *
 * <p>Incubating: may change in any version, because the observer may.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.top;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
