package dev.ropewalk.benchmarks.scenario;

/** Flags of the JVM that say what stacks are, and how many threads carry them. */
public final class StackFlags {
    /** Stacks of Ropewalk are threads of the JDK's scheduler. */
    public static final String PORTABLE = "-Dropewalk.stacks=portable";

    /** That scheduler has one thread, with {@link #MAX_ONE_CARRIER}. */
    public static final String ONE_CARRIER = "-Djdk.virtualThreadScheduler.parallelism=1";

    public static final String MAX_ONE_CARRIER = "-Djdk.virtualThreadScheduler.maxPoolSize=1";

    private StackFlags() {}
}
