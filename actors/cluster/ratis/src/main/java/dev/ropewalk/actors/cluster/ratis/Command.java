package dev.ropewalk.actors.cluster.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;

/**
 * An entry of the log, as bytes: the kind; of a write also the revision it is made from, the length
 * of the key, the key and the value. Its result is a number, in eight bytes: the revision that was
 * written, or 0 if it was refused.
 *
 * <p>Servers of two versions read the same log, so a kind never changes its meaning.
 */
final class Command {
    /** Changes nothing: reads wait until it is carried out. */
    private static final byte BARRIER = 0;

    private static final byte PUT = 1;
    private static final byte REMOVE = 2;

    static final ByteString NOTHING = ByteString.copyFrom(new byte[] {BARRIER});
    static final long REFUSED = 0;

    /** Null if it is a barrier. */
    final @Nullable String key;

    final long from;

    /** Null if it removes the entry. */
    final byte @Nullable [] value;

    private Command(@Nullable String key, long from, byte @Nullable [] value) {
        this.key = key;
        this.from = from;
        this.value = value;
    }

    static ByteString write(String key, long from, byte @Nullable [] value) {
        byte[] name = key.getBytes(UTF_8);
        int length = value == null ? 0 : value.length;
        ByteBuffer bytes = ByteBuffer.allocate(1 + 8 + 2 + name.length + length);
        bytes.put(value == null ? REMOVE : PUT).putLong(from).putShort((short) name.length);
        bytes.put(name);
        if (value != null) {
            bytes.put(value);
        }
        return UnsafeByteOperations.unsafeWrap(bytes.array());
    }

    /** Copies, because the bytes are only lent. */
    static Command decode(ByteString entry) {
        ByteBuffer bytes = ByteBuffer.wrap(entry.toByteArray());
        byte kind = bytes.get();
        return switch (kind) {
            case BARRIER -> new Command(null, 0, null);
            case PUT, REMOVE -> {
                long from = bytes.getLong();
                byte[] name = new byte[bytes.getShort()];
                bytes.get(name);
                byte[] value = kind == REMOVE ? null : new byte[bytes.remaining()];
                if (value != null) {
                    bytes.get(value);
                }
                yield new Command(new String(name, UTF_8), from, value);
            }
            default ->
                    throw new IllegalStateException(
                            "kind="
                                    + kind
                                    + " of an entry of the log is not known; run the version that"
                                    + " wrote it, or a later one");
        };
    }

    static ByteString outcome(long revision) {
        return UnsafeByteOperations.unsafeWrap(ByteBuffer.allocate(8).putLong(0, revision).array());
    }

    static long outcome(ByteString reply) {
        return reply.asReadOnlyByteBuffer().getLong();
    }

    @Override
    public String toString() {
        return key == null ? "a barrier" : "a write of " + key + " from " + from;
    }
}
