package dev.ropewalk.channels;

import java.util.Arrays;
import java.util.stream.Stream;

/** One kind of channel and where its senders and receivers are: what the contract runs over. */
record Variant(boolean isLocal, Stage stage, int capacity) {
    private static final int[] CAPACITIES = {0, 1, 2, 10, 100};

    /** Where senders and receivers are. */
    enum Stage {
        /** Fibers of one cord with a virtual clock, replayed with several seeds and orders. */
        ONE_CORD,
        /** Senders on one cord, receivers on another, the test itself on a plain thread. */
        TWO_CORDS,
        /** The same, on virtual threads. */
        TWO_VIRTUAL_CORDS,
        /** Everybody on a plain thread of their own. */
        THREADS
    }

    static Stream<Variant> all() {
        return Stream.concat(onOneCord(), acrossThreads());
    }

    static Stream<Variant> onOneCord() {
        return Stream.concat(capacities(true, Stage.ONE_CORD), capacities(false, Stage.ONE_CORD));
    }

    static Stream<Variant> acrossThreads() {
        return Stream.of(Stage.TWO_CORDS, Stage.TWO_VIRTUAL_CORDS, Stage.THREADS)
                .flatMap(stage -> capacities(false, stage));
    }

    static Stream<Variant> buffered() {
        return all().filter(variant -> variant.capacity > 0);
    }

    private static Stream<Variant> capacities(boolean isLocal, Stage stage) {
        return Arrays.stream(CAPACITIES).mapToObj(n -> new Variant(isLocal, stage, n));
    }

    @Override
    public String toString() {
        return (isLocal ? "local(" : "shared(") + capacity + ") " + stage;
    }
}
