package dev.ropewalk.actors.cluster.internal.entity;

/** Faults of moves, for games of other packages. */
public final class WayFaults {
    private WayFaults() {}

    /** A way goes on before its last place has said that nothing more comes back. */
    public static WayTiming noFence() {
        return new WayTiming() {
            @Override
            boolean isFenced() {
                return false;
            }
        };
    }

    /** Messages that came back go behind those that were told since. */
    public static WayTiming returnedLast() {
        return new WayTiming() {
            @Override
            boolean goesFirst() {
                return false;
            }
        };
    }

    /** A reply leaves, whoever owns the shard by then. */
    public static WayTiming repliesAlways() {
        return new WayTiming() {
            @Override
            boolean mayReply(Ownership of, int shard, long epoch) {
                return true;
            }
        };
    }

    /** States are read and written, whoever owns the shard by then. */
    public static WayTiming writesAlways() {
        return new WayTiming() {
            @Override
            boolean mayWrite(Ownership of, int shard, long epoch) {
                return true;
            }
        };
    }
}
