package dev.ropewalk.channels;

import dev.ropewalk.channels.ChannelOptions.Kind;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** One kind of channel and where its senders and receivers are: what the contract runs over. */
record Variant(Kind kind, boolean isLocal, Stage stage, int capacity) {
    private static final int[] CAPACITIES = {0, 1, 2, 10, 1_000};

    /** Where senders and receivers are. */
    enum Stage {
        /** Fibers of one cord with a virtual clock, replayed with several seeds and orders. */
        ONE_CORD,
        /** Fibers of three cords that share a thread and a virtual clock, with several seeds. */
        SEEDED_CORDS,
        /** Fibers of one cord on virtual threads. */
        ONE_VIRTUAL_CORD,
        /** Senders on one cord, receivers on another, the test itself on a plain thread. */
        TWO_CORDS,
        /** The same, on virtual threads. */
        TWO_VIRTUAL_CORDS,
        /** Senders on four cords, receivers on four others. */
        EIGHT_CORDS,
        /** Everybody on a plain thread of their own. */
        THREADS,
        /** Senders are plain threads, receivers are fibers of one cord. */
        THREADS_TO_CORD,
        /** Senders are fibers of one cord, receivers are plain threads. */
        CORD_TO_THREADS;

        /** Time is virtual, and a seed replays it. */
        boolean isSeeded() {
            return this == ONE_CORD || this == SEEDED_CORDS;
        }
    }

    /** Kinds whose senders wait, of every capacity, everywhere. */
    static Stream<Variant> all() {
        return Stream.concat(local(), shared(Arrays.asList(Stage.values())));
    }

    static Stream<Variant> onOneCord() {
        return Stream.of(true, false).flatMap(isLocal -> capacities(isLocal, Stage.ONE_CORD));
    }

    static Stream<Variant> acrossThreads() {
        return shared(
                List.of(
                        Stage.TWO_CORDS,
                        Stage.TWO_VIRTUAL_CORDS,
                        Stage.EIGHT_CORDS,
                        Stage.THREADS,
                        Stage.THREADS_TO_CORD,
                        Stage.CORD_TO_THREADS));
    }

    static Stream<Variant> buffered() {
        return all().filter(variant -> variant.capacity > 0);
    }

    /** Every kind, everywhere. */
    static Stream<Variant> everyKind() {
        return Stream.concat(all(), overflowing());
    }

    /** Kinds whose senders never wait, everywhere. */
    static Stream<Variant> overflowing() {
        return Stream.concat(
                Stream.of(Stage.ONE_CORD, Stage.ONE_VIRTUAL_CORD)
                        .flatMap(stage -> overflowing(true, stage)),
                Stream.of(Stage.values()).flatMap(stage -> overflowing(false, stage)));
    }

    private static Stream<Variant> overflowing(boolean isLocal, Stage stage) {
        return Stream.concat(
                Stream.of(
                        new Variant(Kind.UNLIMITED, isLocal, stage, Integer.MAX_VALUE),
                        new Variant(Kind.CONFLATED, isLocal, stage, 1)),
                Stream.of(Kind.SLIDING, Kind.DROPPING)
                        .flatMap(
                                kind ->
                                        Arrays.stream(CAPACITIES)
                                                .filter(n -> n > 0)
                                                .mapToObj(
                                                        n ->
                                                                new Variant(
                                                                        kind, isLocal, stage, n))));
    }

    private static Stream<Variant> local() {
        return Stream.of(Stage.ONE_CORD, Stage.ONE_VIRTUAL_CORD)
                .flatMap(stage -> capacities(true, stage));
    }

    private static Stream<Variant> shared(List<Stage> stages) {
        return stages.stream().flatMap(stage -> capacities(false, stage));
    }

    private static Stream<Variant> capacities(boolean isLocal, Stage stage) {
        return Arrays.stream(CAPACITIES)
                .mapToObj(
                        n ->
                                new Variant(
                                        n == 0 ? Kind.RENDEZVOUS : Kind.BUFFERED,
                                        isLocal,
                                        stage,
                                        n));
    }

    /** Its senders wait when it is full. */
    boolean isWaiting() {
        return kind == Kind.RENDEZVOUS || kind == Kind.BUFFERED;
    }

    /** Fresh for each channel, because a local one belongs to the cord that makes it. */
    <E> ChannelOptions<E> options() {
        ChannelOptions<E> options =
                switch (kind) {
                    case RENDEZVOUS -> ChannelOptions.rendezvous();
                    case BUFFERED -> ChannelOptions.buffered(capacity);
                    case UNLIMITED -> ChannelOptions.unlimited();
                    case CONFLATED -> ChannelOptions.conflated();
                    case SLIDING -> ChannelOptions.sliding(capacity);
                    case DROPPING -> ChannelOptions.dropping(capacity);
                };
        return isLocal ? options.onThisCord() : options;
    }

    @Override
    public String toString() {
        return (isLocal ? "local " : "shared ") + kind + "(" + capacity + ") " + stage;
    }
}
