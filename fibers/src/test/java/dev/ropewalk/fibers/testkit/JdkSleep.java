package dev.ropewalk.fibers.testkit;

import java.time.Duration;

/**
 * The one test class that may call {@code Thread.sleep}: for tests whose subject is a thread that
 * sleeps or blocks for a while.
 */
public final class JdkSleep {
    private JdkSleep() {}

    public static void sleep(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }

    /** For callbacks, which declare nothing. */
    public static void block(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
