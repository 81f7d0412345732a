package dev.ropewalk.benchmarks.scenario;

/**
 * The ten functions of {@code fused}: each makes a fresh element with the next number. Flags of the
 * row keep them from being inlined, so that every system makes the same ten calls; otherwise the
 * loop without a library would have nothing left to do.
 */
public final class Stages {
    /** What goes through the stages. */
    public record Item(long value) {}

    private Stages() {}

    public static Item one(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item two(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item three(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item four(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item five(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item six(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item seven(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item eight(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item nine(Item item) {
        return new Item(item.value() + 1);
    }

    public static Item ten(Item item) {
        return new Item(item.value() + 1);
    }
}
