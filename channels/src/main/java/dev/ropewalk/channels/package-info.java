/**
 * Channels, through which fibers, cords and threads pass elements (rules C1 to C3).
 *
 * <p>References are non-null unless marked {@code @Nullable}; elements are never null.
 */
@NullMarked
package dev.ropewalk.channels;

import org.jspecify.annotations.NullMarked;
