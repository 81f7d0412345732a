package dev.ropewalk.examples.bank.nodes;

/** Something that is done to processes. */
enum Fault {
    KILL_ONE(1, true),
    STOP_ONE(1, false),
    KILL_ALL(NodeSettings.NODES, true),
    STOP_TWO(2, false),
    KILL_TWO(2, true),
    STOP_ALL(NodeSettings.NODES, false);

    /** To how many at once. */
    private final int count;

    /** Otherwise it is stopped for a while. */
    private final boolean isKill;

    Fault(int count, boolean isKill) {
        this.count = count;
        this.isKill = isKill;
    }

    int count() {
        return count;
    }

    boolean isKill() {
        return isKill;
    }
}
