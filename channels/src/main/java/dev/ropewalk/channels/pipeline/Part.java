package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.Spinner;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * One part of the description of a pipeline. Immutable; the plan makes the objects that have a
 * state.
 */
sealed interface Part {
    /** A source; to make its feed runs nothing of the user's. */
    record Open(String name, Supplier<? extends Feed> feed) implements Part {}

    /** A stage that is carried out in its segment. */
    record Do(Supplier<Step> step) implements Part {}

    /** The end of a segment. */
    record Buffer(int capacity) implements Part {}

    /** The later stages run there, behind a channel. */
    record On(Spinner where, int capacity) implements Part {}

    /** A stage of several fibers. */
    record Parallel(
            String name, int fibers, StageFunction<Object, Object> function, boolean isOrdered)
            implements Part {}

    /** Lists of elements, none older than the limit. */
    record Batch(String name, int size, long limitNs) implements Part {}

    /** The elements of the others too, as they come. */
    record Merge(String name, List<List<Part>> others) implements Part {}

    /** Pairs with the elements of the other. */
    record Zip(String name, List<Part> other, BiFunction<Object, Object, Object> function)
            implements Part {}
}
