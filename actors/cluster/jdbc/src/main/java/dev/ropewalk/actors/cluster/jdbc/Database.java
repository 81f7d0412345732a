package dev.ropewalk.actors.cluster.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A database with its connections. All of it blocks, and may be called from any thread. */
interface Database extends AutoCloseable {
    /** A read of it. */
    @FunctionalInterface
    interface Query<T> {
        T run(Connection connection) throws SQLException;
    }

    /** The results of a batch: of each write the revision that it has made; 0 if it was refused. */
    long[] write(List<PendingWrite> batch) throws SQLException;

    <T> T query(Query<T> query) throws SQLException;

    /** How many reads may run at once. */
    int readers();

    /** How many batches may be written at once. */
    int writers();

    /** Whether other processes write too, so that changes are to be looked for. */
    boolean isShared();

    @Override
    void close() throws SQLException;
}
