package dev.ropewalk.fibers.internal.dump;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** Writes one object of JSON, from its first brace to its last. Times are in nanoseconds. */
public final class JsonWriter {
    private final StringBuilder json = new StringBuilder();

    /** Begins an object; as an element of a list, too. */
    public void begin() {
        json.append('{');
    }

    public void end() {
        json.append('}');
    }

    public void nanos(String name, @Nullable Duration time) {
        field(name, time == null ? null : (Number) time.toNanos());
    }

    public void field(String name, boolean value) {
        key(name);
        json.append(value);
    }

    /** Begins an object that is the value of a field. */
    public void begin(String name) {
        key(name);
        begin();
    }

    public void field(String name, @Nullable Number value) {
        key(name);
        json.append(value);
    }

    public void field(String name, @Nullable String value) {
        key(name);
        if (value == null) {
            json.append((Object) null);
        } else {
            string(value);
        }
    }

    public <T> void list(String name, List<T> all, Consumer<? super T> writer) {
        key(name);
        json.append('[');
        for (T each : all) {
            comma();
            writer.accept(each);
        }
        json.append(']');
    }

    /** A value that is JSON already, as an element of a list. */
    public void raw(String value) {
        json.append(value);
    }

    private void key(String name) {
        comma();
        string(name);
        json.append(':');
    }

    /** Before everything but the first in its object or list. */
    private void comma() {
        char last = json.charAt(json.length() - 1);
        if (last != '{' && last != '[') {
            json.append(',');
        }
    }

    /** Also halves of surrogate pairs, which alone cannot be encoded, as escapes. */
    public void string(String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each == '"' || each == '\\') {
                json.append('\\').append(each);
            } else if (each < ' ' || each == 0x7f || Character.isSurrogate(each)) {
                json.append("\\u").append(HexFormat.of().toHexDigits(each));
            } else {
                json.append(each);
            }
        }
        json.append('"');
    }

    @Override
    public String toString() {
        return json.toString();
    }
}
