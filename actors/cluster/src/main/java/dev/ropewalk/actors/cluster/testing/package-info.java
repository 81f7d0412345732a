/**
 * Tests of a cluster in one thread: several nodes on virtual cords, with the faults of machines and
 * of the network between them (rules F14 and A7).
 *
 * <p>Incubating: may change in any version, because the cluster that it runs may.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.cluster.testing;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
