/**
 * The log of the library: loggers of SLF4J, stderr where there is no provider, and the hook by
 * which tests see their lines (rule A6).
 *
 * <p>For all modules of Ropewalk; not for programs.
 */
@NullMarked
package dev.ropewalk.fibers.internal.log;

import org.jspecify.annotations.NullMarked;
