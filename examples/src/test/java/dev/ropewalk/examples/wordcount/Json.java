package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON as RFC 8259 has it and nothing more; an object is a map, a number a long or double.
 *
 * <p>Not from a library, so that none that is lenient hides what another program would refuse.
 */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The one value that the text holds, with white space around it. */
    static @Nullable Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.at < text.length()) {
            throw json.bad("the end");
        }
        return value;
    }

    private @Nullable Object value() {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            default -> plain();
        };
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        take('{');
        skipSpace();
        if (peek() != '}') {
            do {
                skipSpace();
                String name = string();
                skipSpace();
                take(':');
                Object value = value();
                if (object.containsKey(name)) {
                    throw bad("no second " + name);
                }
                object.put(name, value);
            } while (another());
        }
        take('}');
        return object;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> array = new ArrayList<>();
        take('[');
        skipSpace();
        if (peek() != ']') {
            do {
                array.add(value());
            } while (another());
        }
        take(']');
        return array;
    }

    private boolean another() {
        skipSpace();
        if (peek() != ',') {
            return false;
        }
        take(',');
        return true;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        take('"');
        for (; ; ) {
            char c = next();
            if (c == '"') {
                return string.toString();
            }
            if (c < 0x20) {
                at--;
                throw bad("an escaped control character");
            }
            string.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hexadecimal();
            default -> throw bad("an escape before this");
        };
    }

    private char hexadecimal() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(next(), 16);
            if (digit < 0) {
                throw bad("four hexadecimal digits before this");
            }
            unit = 16 * unit + digit;
        }
        return (char) unit;
    }

    private @Nullable Object plain() {
        int start = at;
        while (at < text.length() && "{}[]:,\" \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String plain = text.substring(start, at);
        if (plain.matches("-?(0|[1-9][0-9]*)")) {
            return Long.valueOf(plain);
        }
        if (plain.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
            return Double.valueOf(plain);
        }
        return switch (plain) {
            case "true" -> true;
            case "false" -> false;
            case "null" -> null;
            default -> {
                at = start;
                throw bad("a value");
            }
        };
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** NUL, which is part of no JSON, at the end. */
    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char next() {
        if (at == text.length()) {
            throw bad("more");
        }
        return text.charAt(at++);
    }

    private void take(char wanted) {
        if (peek() != wanted) {
            throw bad("'" + wanted + "'");
        }
        at++;
    }

    private IllegalArgumentException bad(String wanted) {
        String around = text.substring(Math.max(0, at - 30), Math.min(text.length(), at + 30));
        return new IllegalArgumentException(
                "not JSON at "
                        + at
                        + " of "
                        + text.length()
                        + ", near "
                        + around
                        + ": wanted "
                        + wanted);
    }
}
