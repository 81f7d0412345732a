package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.Recipient;

/** Writes and reads the addresses in messages; which those are depends on the two nodes. */
public interface Recipients {
    /**
     * Writes an address.
     *
     * @throws IllegalArgumentException if it means nothing on another node
     */
    void write(Output to, Recipient<?> recipient);

    /** Reads an address of the other node. */
    Recipient<?> read(WireInput from);
}
