/**
 * How entities run: which of them have an actor now, on which cord, and how the state of a durable
 * one is read and written. For {@code dev.ropewalk.actors.cluster.entity} alone.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.entity;

import org.jspecify.annotations.NullMarked;
