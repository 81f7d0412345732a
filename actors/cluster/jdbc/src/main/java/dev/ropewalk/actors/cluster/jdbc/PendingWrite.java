package dev.ropewalk.actors.cluster.jdbc;

import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

/** A write whose caller waits for its result. */
final class PendingWrite extends WaitCell {
    final String key;
    final long revision;
    final byte @Nullable [] value;

    PendingWrite(String key, long revision, byte @Nullable [] value) {
        this.key = key;
        this.revision = revision;
        this.value = value;
    }

    @Override
    public String toString() {
        return "the write of " + key;
    }
}
