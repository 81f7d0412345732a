package dev.ropewalk.actors.cluster.internal.entity;

/** Whether this process may work for the entities of a shard now. For any thread. */
public interface Ownership {
    /** Of a process that owns all, for ever. */
    Ownership ALONE =
            new Ownership() {
                @Override
                public boolean mayWork(int shard) {
                    return true;
                }

                @Override
                public long epoch(int shard) {
                    return 0;
                }

                @Override
                public boolean isShared() {
                    return false;
                }
            };

    /** Looked at before each message and each reply: one reading of the clock. */
    boolean mayWork(int shard);

    /** Greater for each owner of the shard than for those before it; 0 if it is not owned. */
    long epoch(int shard);

    /** Whether shards come and go. */
    boolean isShared();
}
