package dev.ropewalk.actors.cluster.internal.session;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.Recipients;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.TypeTable;

import org.jspecify.annotations.Nullable;

/**
 * A frame that is being written: four bytes with the length of the rest, a byte that says what it
 * is, and what belongs to that. For one thread at a time; see {@link FramePool}.
 */
public final class Frame {
    /** The bytes before the type. */
    static final int HEAD = Integer.BYTES;

    /** So much for what stands around a message, or in its place: a failure, for one. */
    public static final int MAX_AROUND = 32 * 1_024;

    private static final int FIRST_SIZE = 512;

    /** A buffer that a large message has made larger is not kept. */
    private static final int MAX_KEPT = 64 * 1024;

    private final KryoCodec codec;
    private final int maxMessage;
    private Output out;
    private int limitAt = -1;

    Frame(TypeTable types, int maxMessage) {
        this.codec = new KryoCodec(types);
        this.maxMessage = maxMessage;
        this.out = newOutput();
    }

    private Output newOutput() {
        return new Output(FIRST_SIZE, maxMessage + MAX_AROUND);
    }

    /** The bytes of a frame that waits for room, and where its limit stands in them, or -1. */
    @SuppressWarnings("ArrayRecordComponent") // it is compared with none
    public record Copy(byte[] bytes, int limitAt) {}

    /** Begins one; what was there is over. */
    public Frame begin(byte type) {
        if (out.getBuffer().length > MAX_KEPT) {
            out = newOutput();
        }
        out.reset();
        limitAt = -1;
        out.setPosition(HEAD);
        out.writeByte(type);
        return this;
    }

    /** Begins one with a message, and the sender's context in front if there is one. */
    public Frame begin(byte type, @Nullable String context) {
        if (context == null) {
            return begin(type);
        }
        begin((byte) (type | FrameType.WITH_CONTEXT));
        Text.write(out, context);
        return this;
    }

    public Frame number(long number) {
        out.writeVarLong(number, true);
        return this;
    }

    /** A number that may be below zero. */
    public Frame signed(long number) {
        out.writeVarLong(number, false);
        return this;
    }

    public Frame flag(boolean on) {
        out.writeBoolean(on);
        return this;
    }

    /**
     * The time left of a question. If the frame waits for room, less of it is left when it leaves:
     * see {@link #limit(byte[], int, long)}.
     */
    public Frame limit(long nanos) {
        limitAt = out.position();
        out.writeLong(nanos);
        return this;
    }

    /** Where the limit stands; -1 if there is none. */
    int limitAt() {
        return limitAt;
    }

    /** Puts another limit into the bytes of a frame, as {@link Output#writeLong} writes it. */
    static void limit(byte[] bytes, int limitAt, long nanos) {
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[limitAt + i] = (byte) (nanos >>> (Byte.SIZE * i));
        }
    }

    /** For what has a form of its own. */
    public Output out() {
        return out;
    }

    /**
     * The message, which comes last.
     *
     * @throws dev.ropewalk.actors.cluster.NotSendableException if it cannot be sent
     */
    public Frame message(Object message, Recipients addresses) {
        int begin = out.position();
        codec.write(out, message, addresses);
        if (out.position() - begin > maxMessage) {
            throw KryoCodec.tooLarge(message, maxMessage, null);
        }
        return this;
    }

    /** Bytes of a message that was written before. */
    public Frame bytes(byte[] message) {
        out.writeBytes(message);
        return this;
    }

    /** The bytes behind the type. */
    public byte[] content() {
        return java.util.Arrays.copyOfRange(out.getBuffer(), HEAD + 1, out.position());
    }

    /** All of its bytes. */
    public Copy copy() {
        return new Copy(java.util.Arrays.copyOf(buffer(), length()), limitAt());
    }

    /** Ends it: the bytes are those up to {@link #length}. */
    byte[] buffer() {
        byte[] bytes = out.getBuffer();
        int rest = out.position() - HEAD;
        bytes[0] = (byte) (rest >>> 24);
        bytes[1] = (byte) (rest >>> 16);
        bytes[2] = (byte) (rest >>> 8);
        bytes[3] = (byte) rest;
        return bytes;
    }

    int length() {
        return out.position();
    }

    byte type() {
        return out.getBuffer()[HEAD];
    }
}
