/**
 * Supervisors: how actors are started, and started again.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.supervision;

import org.jspecify.annotations.NullMarked;
