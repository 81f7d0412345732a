/**
 * A {@link dev.ropewalk.actors.cluster.jdbc.JdbcStore} keeps what a cluster owns in a table of a
 * database: SQLite, in a file of one process, or PostgreSQL, for several. The driver is the
 * program's own dependency.
 *
 * <p>Incubating: may change in any version, because entities, which stand on it, are to come.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.cluster.jdbc;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
