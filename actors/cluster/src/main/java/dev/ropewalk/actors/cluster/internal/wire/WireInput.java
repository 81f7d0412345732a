package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;

/** Bytes of another node: no length in them is believed beyond what is left. */
public final class WireInput extends Input {
    /** Without bytes yet: see {@link #setBuffer(byte[], int, int)}. */
    public WireInput() {}

    public int left() {
        return limit - position;
    }

    /**
     * The number of elements that follow.
     *
     * @param bytesEach how many bytes one takes at least
     */
    public int readSize(int bytesEach) {
        int size = readVarInt(true);
        checkSize(size, bytesEach);
        return size;
    }

    private void checkSize(int size, int bytesEach) {
        if (size < 0 || size > left() / bytesEach) {
            throw new KryoException("length=" + size + " > left=" + left() / bytesEach);
        }
    }

    @Override
    public byte[] readBytes(int length) {
        checkSize(length, 1);
        return super.readBytes(length);
    }

    @Override
    public int[] readInts(int length) {
        checkSize(length, Integer.BYTES);
        return super.readInts(length);
    }

    @Override
    public int[] readInts(int length, boolean optimizePositive) {
        checkSize(length, 1);
        return super.readInts(length, optimizePositive);
    }

    @Override
    public long[] readLongs(int length) {
        checkSize(length, Long.BYTES);
        return super.readLongs(length);
    }

    @Override
    public long[] readLongs(int length, boolean optimizePositive) {
        checkSize(length, 1);
        return super.readLongs(length, optimizePositive);
    }

    @Override
    public float[] readFloats(int length) {
        checkSize(length, Float.BYTES);
        return super.readFloats(length);
    }

    @Override
    public double[] readDoubles(int length) {
        checkSize(length, Double.BYTES);
        return super.readDoubles(length);
    }

    @Override
    public short[] readShorts(int length) {
        checkSize(length, Short.BYTES);
        return super.readShorts(length);
    }

    @Override
    public char[] readChars(int length) {
        checkSize(length, Character.BYTES);
        return super.readChars(length);
    }

    @Override
    public boolean[] readBooleans(int length) {
        checkSize(length, 1);
        return super.readBooleans(length);
    }

    @Override
    public String readString() {
        checkText();
        return super.readString();
    }

    @Override
    public StringBuilder readStringBuilder() {
        checkText();
        return super.readStringBuilder();
    }

    /** Kryo makes an array of as many chars as the text says it has. */
    private void checkText() {
        int begin = position;
        if (!readVarIntFlag()) {
            return; // ASCII, which ends where its bytes end
        }
        int charsAndOne = readVarIntFlag(true);
        position = begin;
        if (charsAndOne > 1) {
            checkSize(charsAndOne - 1, 1);
        }
    }
}
