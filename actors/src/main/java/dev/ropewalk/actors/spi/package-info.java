/**
 * For builders of targets of refs. Programs that only use actors need nothing here.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.spi;

import org.jspecify.annotations.NullMarked;
