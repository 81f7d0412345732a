package dev.ropewalk.fibers.internal.reactor;

import java.util.concurrent.CompletableFuture;

/**
 * Netty and its native library, loaded when I/O is first asked for: that takes some 0.3 s, in which
 * no cord is to stand still.
 */
public final class ReactorLibrary {
    /** Complete when reactors can be made; fails with the exception of the loading. */
    public static final CompletableFuture<Void> LOADED = new CompletableFuture<>();

    static {
        Thread.ofPlatform().daemon().name("ropewalk-io-library").start(ReactorLibrary::load);
    }

    private ReactorLibrary() {}

    private static void load() {
        try {
            Reactor.loadLibrary();
            LOADED.complete(null);
        } catch (Throwable failed) { // told to each that asks
            LOADED.completeExceptionally(failed);
        }
    }
}
