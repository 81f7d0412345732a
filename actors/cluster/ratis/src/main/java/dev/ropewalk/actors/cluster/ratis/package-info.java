/**
 * A {@link dev.ropewalk.actors.cluster.ratis.RatisStore} keeps what a cluster owns in the processes
 * of the cluster themselves, replicated by Apache Ratis: for clusters without a database.
 *
 * <p>Incubating: may change in any version, because entities of several nodes are to come.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
