package dev.ropewalk.actors.cluster.internal.shard;

/** An entry of the store is no table of shards that this program may use. */
final class RefusedTableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedTableException(String message) {
        super(message);
    }
}
