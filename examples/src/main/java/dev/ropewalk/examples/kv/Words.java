package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A command as a client sent it: its name and its arguments. Nobody changes it any more. */
final class Words {
    private final List<byte[]> all;
    private final String name;

    /** The first argument as text, once it was asked for: the key, of which each shard is found. */
    private @Nullable String key;

    /** At least one. */
    Words(List<byte[]> all) {
        this.all = all;
        this.name = upper(0);
    }

    static Words of(Object... words) {
        List<byte[]> all = new ArrayList<>(words.length);
        for (Object each : words) {
            all.add(each instanceof byte[] bytes ? bytes : Reply.bytes(each.toString()));
        }
        return new Words(all);
    }

    List<byte[]> all() {
        return all;
    }

    int count() {
        return all.size();
    }

    byte[] word(int at) {
        return all.get(at);
    }

    /** Each byte a character, so that keys need not be text. */
    String text(int at) {
        if (at != 1) {
            return textOf(at);
        }
        String made = key;
        if (made == null) {
            made = textOf(at);
            key = made;
        }
        return made;
    }

    private String textOf(int at) {
        return new String(word(at), StandardCharsets.ISO_8859_1);
    }

    /** In upper case. */
    String name() {
        return name;
    }

    /** A word in upper case. */
    String upper(int at) {
        return text(at).toUpperCase(Locale.ROOT);
    }

    /** An option: upper and lower case are the same. */
    boolean is(int at, String option) {
        return text(at).equalsIgnoreCase(option);
    }

    long number(int at) throws CommandException {
        return number(word(at));
    }

    static long number(byte[] digits) throws CommandException {
        String text = new String(digits, StandardCharsets.ISO_8859_1);
        try {
            long number = Long.parseLong(text);
            if (Long.toString(number).equals(text)) { // neither 007 nor -0 nor +1
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new CommandException("ERR value is not an integer or out of range");
    }

    /** How long it is as a client sends it. */
    int encodedBytes() {
        int bytes = headBytes(all.size());
        for (byte[] each : all) {
            bytes += headBytes(each.length) + each.length + 2;
        }
        return bytes;
    }

    /** A letter, the digits and a line end. */
    private static int headBytes(int number) {
        return 3 + Integer.toString(number).length();
    }

    @Override
    public String toString() {
        return name + " of " + all.size() + " words";
    }
}
