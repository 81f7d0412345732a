/**
 * The way of a context from the sender of a message to its handler, in systems that have a {@link
 * dev.ropewalk.actors.spi.ContextCarrier}. Others have none of these objects.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.internal.context;

import org.jspecify.annotations.NullMarked;
