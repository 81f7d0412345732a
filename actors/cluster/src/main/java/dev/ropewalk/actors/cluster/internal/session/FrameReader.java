package dev.ropewalk.actors.cluster.internal.session;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.fibers.io.TcpConnection;

import org.jspecify.annotations.Nullable;

/** The bytes of a connection, in frames. Confined to the connection's cord; one fiber reads. */
public final class FrameReader {
    private static final int FIRST_SIZE = 2 * 1_024;
    private static final int USUAL_SIZE = 64 * 1_024;

    private final TcpConnection connection;

    /** A longer frame is an error. */
    private int maxFrame = Hello.MAX_BYTES;

    private byte[] bytes = new byte[FIRST_SIZE];

    // Of the bytes that were read and not taken.
    private int begin;
    private int end;

    private final WireInput frame = new WireInput();

    public FrameReader(TcpConnection connection) {
        this.connection = connection;
    }

    /** From now on the other side is known. */
    public void allow(int maxFrameBytes) {
        maxFrame = maxFrameBytes;
        grow(USUAL_SIZE);
    }

    /** Whether {@link #next} does not wait. */
    boolean hasNext() {
        return end - begin >= Frame.HEAD && end - begin >= Frame.HEAD + length();
    }

    /**
     * The next frame; waits for it. It is good until the next call. A switchpoint if it waits.
     *
     * @return null at the end of the input, between two frames
     * @throws KryoException if the input ends in a frame, or that is too long
     */
    @Nullable WireInput next() {
        while (!hasNext()) {
            if (!readMore()) {
                if (end > begin) {
                    throw new KryoException("the input ends in a frame");
                }
                return null;
            }
        }
        int length = length();
        frame.setBuffer(bytes, begin + Frame.HEAD, length);
        begin += Frame.HEAD + length;
        return frame;
    }

    private int length() {
        int length =
                (bytes[begin] & 0xFF) << 24
                        | (bytes[begin + 1] & 0xFF) << 16
                        | (bytes[begin + 2] & 0xFF) << 8
                        | (bytes[begin + 3] & 0xFF);
        if (length < 1 || length > maxFrame) {
            throw new KryoException("a frame has length=" + length + ", not 1 to " + maxFrame);
        }
        return length;
    }

    private boolean readMore() {
        if (begin > 0) {
            System.arraycopy(bytes, begin, bytes, 0, end - begin);
            end -= begin;
            begin = 0;
        }
        if (end >= Frame.HEAD) {
            grow(Frame.HEAD + length());
        }
        int count = connection.read(bytes, end, bytes.length - end);
        if (count < 0) {
            return false;
        }
        end += count;
        return true;
    }

    private void grow(int size) {
        if (bytes.length < size) {
            bytes = java.util.Arrays.copyOf(bytes, size);
        }
    }
}
