package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * Text: its number of bytes, which are UTF-8, or UTF-16 where a surrogate has lost its other half
 * and UTF-8 would lose it.
 *
 * <pre>
 *   0               null
 *   1 + 2 * bytes   UTF-8
 *   2 + 2 * bytes   UTF-16
 * </pre>
 */
public final class Text extends Serializer<String> {
    static final Text SERIALIZER = new Text();

    private Text() {
        super(true, true);
    }

    public static void write(Output to, @Nullable String text) {
        if (text == null) {
            to.writeVarInt(0, true);
            return;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        boolean isWhole = isAscii(bytes, text) || !hasLoneSurrogate(text);
        if (!isWhole) {
            bytes = units(text);
        }
        to.writeVarInt((isWhole ? 1 : 2) + 2 * bytes.length, true);
        to.writeBytes(bytes);
    }

    /** A lone surrogate becomes one byte too, so the length alone does not tell. */
    private static boolean isAscii(byte[] bytes, String text) {
        if (bytes.length != text.length()) {
            return false;
        }
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != text.charAt(i)) { // a char of 128 and more is no byte
                return false;
            }
        }
        return true;
    }

    /** No charset of the JDK writes half a pair. */
    private static byte[] units(String text) {
        byte[] bytes = new byte[2 * text.length()];
        for (int i = 0; i < text.length(); i++) {
            bytes[2 * i] = (byte) (text.charAt(i) >>> 8);
            bytes[2 * i + 1] = (byte) text.charAt(i);
        }
        return bytes;
    }

    private static String ofUnits(byte[] bytes, int at, int length) {
        char[] units = new char[length / 2];
        for (int i = 0; i < units.length; i++) {
            units[i] = (char) ((bytes[at + 2 * i] & 0xFF) << 8 | (bytes[at + 2 * i + 1] & 0xFF));
        }
        return new String(units);
    }

    private static boolean hasLoneSurrogate(String text) {
        int i = 0;
        while (i < text.length()) {
            char each = text.charAt(i);
            boolean isPair =
                    Character.isHighSurrogate(each)
                            && i + 1 < text.length()
                            && Character.isLowSurrogate(text.charAt(i + 1));
            if (Character.isSurrogate(each) && !isPair) {
                return true;
            }
            i += isPair ? 2 : 1;
        }
        return false;
    }

    /** Passes one over. */
    public static void skip(WireInput from) {
        int head = from.readVarInt(true);
        if (head != 0) {
            from.setPosition(from.position() + length(head, from));
        }
    }

    private static int length(int head, WireInput from) {
        int bytes = (head - 1) >>> 1;
        if (bytes > from.left()) {
            throw new KryoException("length=" + bytes + " > left=" + from.left());
        }
        return bytes;
    }

    public static @Nullable String read(WireInput from) {
        int head = from.readVarInt(true);
        if (head == 0) {
            return null;
        }
        int bytes = length(head, from);
        int at = from.position();
        from.setPosition(at + bytes);
        return (head & 1) == 1
                ? new String(from.getBuffer(), at, bytes, StandardCharsets.UTF_8)
                : ofUnits(from.getBuffer(), at, bytes);
    }

    /** Of what is never null. */
    public static String readSome(WireInput from) {
        String read = read(from);
        if (read == null) {
            throw new KryoException("there is no text");
        }
        return read;
    }

    @Override
    public void write(Kryo kryo, Output to, @Nullable String text) {
        write(to, text);
    }

    @Override
    @SuppressWarnings("NullAway") // Kryo's own signature is not marked
    public String read(Kryo kryo, Input from, Class<? extends String> type) {
        return read((WireInput) from);
    }
}
