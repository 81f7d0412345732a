package dev.ropewalk.benchmarks.failover;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;

/**
 * Askers of all keys, a virtual thread each, so that no key waits for the answer of another one. An
 * ask without an answer is repeated at once.
 */
final class Askers {
    static final int KEYS = 64;

    /** Of an ask. */
    static final int LIMIT_MS = 200;

    /** An answered key is asked again after so long. */
    private static final long PAUSE_NS = 20_000_000;

    /** For asks that fail at once, so that they do not take the processor. */
    private static final long MOMENT_NS = 1_000_000;

    /** One ask. */
    @FunctionalInterface
    interface Ask {
        /** The name of the node that has the entity; null without an answer within the limit. */
        @Nullable String nodeOf(String key);
    }

    private final Ask ask;
    private final Console console;

    Askers(Ask ask, Console console) {
        this.ask = ask;
        this.console = console;
    }

    void start() {
        for (int i = 0; i < KEYS; i++) {
            String key = "key-" + i;
            Thread.ofVirtual().name("asks " + key).start(() -> ask(key));
        }
    }

    private void ask(String key) {
        String before = "";
        while (true) {
            String now = ask.nodeOf(key);
            if (now == null) {
                LockSupport.parkNanos(MOMENT_NS);
                continue;
            }
            if (!now.equals(before)) {
                console.say(Console.AT, key, now);
                before = now;
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
