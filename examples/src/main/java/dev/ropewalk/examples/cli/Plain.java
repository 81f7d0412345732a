package dev.ropewalk.examples.cli;

import java.util.HexFormat;

/** Text that neither moves the cursor nor hides anything, whatever it was made from. */
public final class Plain {
    private Plain() {}

    /**
     * The same text with what is not visible as such, for instance a line end, as {@code \\uXXXX}.
     */
    public static String text(String any) {
        StringBuilder plain = new StringBuilder(any.length());
        any.codePoints().forEach(c -> append(plain, c));
        return plain.toString();
    }

    private static void append(StringBuilder plain, int c) {
        if (isVisible(c)) {
            plain.appendCodePoint(c);
        } else {
            for (char unit : Character.toChars(c)) {
                appendEscape(plain, unit);
            }
        }
    }

    private static void appendEscape(StringBuilder to, char unit) {
        to.append("\\u").append(HexFormat.of().toHexDigits(unit));
    }

    private static boolean isVisible(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    false;
            default -> true;
        };
    }
}
