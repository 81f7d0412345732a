package dev.ropewalk.benchmarks.system.remote;

import java.io.IOException;

/** A thread at a socket, which ends with the process or when the socket is closed. */
final class Daemon {
    /** Goes on until the other end has gone. */
    @FunctionalInterface
    interface Body {
        void run() throws IOException;
    }

    private Daemon() {}

    static Thread start(Body body) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                body.run();
                            } catch (IOException gone) {
                                // That is its end.
                            }
                        });
    }
}
