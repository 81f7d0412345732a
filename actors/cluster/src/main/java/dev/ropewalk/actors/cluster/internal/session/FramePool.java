package dev.ropewalk.actors.cluster.internal.session;

import dev.ropewalk.actors.cluster.internal.wire.TypeTable;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

/**
 * The frames of a node, for any thread: each has a Kryo, which takes long to make. No frame is held
 * across a switchpoint, so threads need about as many as run at a time.
 */
public final class FramePool {
    private static final int SLOTS = 64;

    private final TypeTable types;
    private final int maxMessage;
    private final AtomicReferenceArray<@Nullable Frame> free = new AtomicReferenceArray<>(SLOTS);

    public FramePool(TypeTable types, int maxMessage) {
        this.types = types;
        this.maxMessage = maxMessage;
    }

    /** Lends a frame to the code, which must not wait. */
    public <T extends @Nullable Object> T with(Function<Frame, T> code) {
        Frame taken = take();
        try {
            return code.apply(taken);
        } finally {
            give(taken);
        }
    }

    /** A frame that the thread must {@link #give} back, and not wait before. */
    public Frame take() {
        Frame taken = free.getAndSet(slot(), null);
        return taken == null ? new Frame(types, maxMessage) : taken;
    }

    /** The end of {@link #take}. */
    public void give(Frame taken) {
        free.setRelease(slot(), taken);
    }

    private static int slot() {
        return (int) Thread.currentThread().threadId() & (SLOTS - 1);
    }
}
