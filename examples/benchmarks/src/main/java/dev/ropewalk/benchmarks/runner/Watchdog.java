package dev.ropewalk.benchmarks.runner;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Ends a program that its runner cannot end any more. */
final class Watchdog {
    private static final long LIMIT_SECONDS = 120;
    private static final int STATUS = 3;

    private Watchdog() {}

    static void start() {
        Thread.ofPlatform().daemon().name("watchdog").start(Watchdog::watch);
    }

    private static void watch() {
        try {
            if (!new CountDownLatch(1).await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                Runtime.getRuntime().halt(STATUS);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
