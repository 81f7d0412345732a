/**
 * Channels, through which fibers, cords and threads pass elements.
 *
 * <p>References are non-null unless marked {@code @Nullable}; elements are never null.
 */
@NullMarked
package dev.ropewalk.channels;

import org.jspecify.annotations.NullMarked;
