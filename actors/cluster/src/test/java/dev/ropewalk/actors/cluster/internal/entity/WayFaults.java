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

    /** What a durable function tells leaves before its state is written. */
    public static WayTiming tellsBeforeTheWrite() {
        return new WayTiming() {
            @Override
            boolean isHolding() {
                return false;
            }
        };
    }

    /** A delivered message counts each time it comes. */
    public static WayTiming countsEachDelivery() {
        return new WayTiming() {
            @Override
            boolean countsAgain() {
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
