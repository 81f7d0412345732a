package dev.ropewalk.benchmarks.scenario;

/** What a program does with an element besides handing it on: about a microsecond of arithmetic. */
public final class Work {
    /** Each waits for the one before; measured, see {@code chan_work} of {@code loop}. */
    private static final int STEPS = 1_000;

    private static final long FACTOR = 6_364_136_223_846_793_005L;

    private Work() {}

    /** {@return the value, after the work} No compiler can know that. */
    public static long on(long value) {
        long x = value;
        for (int i = 0; i < STEPS; i++) {
            x = x * FACTOR + i;
        }
        return x == 1 ? value + 1 : value;
    }
}
