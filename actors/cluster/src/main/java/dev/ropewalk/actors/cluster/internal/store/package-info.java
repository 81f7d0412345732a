/**
 * How the library calls a program's store: with a limit. Called by {@code internal.lease} and
 * {@code internal.entity}; knows neither of them.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.store;

import org.jspecify.annotations.NullMarked;
