/**
 * The parts of actors and supervisors: the cell survives a restart, the incarnation does not, and a
 * child is what its supervisor knows of both. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors.internal;

import org.jspecify.annotations.NullMarked;
