/**
 * Gives the numbers of cords, actors, channels, pools and nodes to the registries of Micrometer.
 *
 * <p>Its types are for programs. It reads sources of metrics, and knows no other part of the
 * library.
 *
 * <p>Incubating: may change in any version, because it is new.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.micrometer;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
