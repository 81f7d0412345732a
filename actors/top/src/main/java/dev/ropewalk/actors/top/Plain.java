package dev.ropewalk.actors.top;

import java.util.HexFormat;

/**
 * Text that neither moves the cursor nor turns the direction of a line, whatever the process has
 * sent.
 */
final class Plain {
    private Plain() {}

    /** A sign that is not visible as such is shown by its number, as in JSON. */
    static String escaped(String any) {
        StringBuilder plain = new StringBuilder(any.length());
        any.codePoints()
                .forEach(
                        point -> {
                            if (isVisible(point)) {
                                plain.appendCodePoint(point);
                            } else {
                                for (char unit : Character.toChars(point)) {
                                    plain.append("\\u").append(HexFormat.of().toHexDigits(unit));
                                }
                            }
                        });
        return plain.toString();
    }

    /** So many columns wide, filled up or cut; a question mark is for what is not visible. */
    static String cell(String any, int columns) {
        StringBuilder cell = new StringBuilder();
        int used = append(cell, any, columns);
        return cell.append(" ".repeat(columns - used)).toString();
    }

    /** The same, to the right. */
    static String right(String any, int columns) {
        StringBuilder cell = new StringBuilder();
        int used = append(cell, any, columns);
        return " ".repeat(columns - used) + cell;
    }

    /** At most so many columns. */
    static String cut(String any, int columns) {
        StringBuilder cell = new StringBuilder();
        append(cell, any, columns);
        return cell.toString();
    }

    /** Returns the columns that it takes. */
    private static int append(StringBuilder to, String any, int columns) {
        int used = 0;
        int end = 0;
        int beforeLast = to.length();
        for (int i = 0; i < any.length(); i = end) {
            int point = any.codePointAt(i);
            end = i + Character.charCount(point);
            int shown = isVisible(point) && !isMark(point) ? point : '?';
            int width = isWide(shown) ? 2 : 1;
            if (used + width > columns) {
                return withMark(to, beforeLast, columns, used);
            }
            beforeLast = to.length();
            to.appendCodePoint(shown);
            used += width;
        }
        return used;
    }

    /** The last sign gives way to one that says that there is more. */
    private static int withMark(StringBuilder to, int beforeLast, int columns, int used) {
        if (columns < 1 || used == 0) {
            return used;
        }
        int freed = isWide(to.codePointAt(beforeLast)) ? 2 : 1;
        to.setLength(beforeLast);
        to.append('~');
        return used - freed + 1;
    }

    private static boolean isVisible(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.SURROGATE,
                    Character.UNASSIGNED ->
                    false;
            default -> true;
        };
    }

    private static boolean isMark(int point) {
        return switch (Character.getType(point)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK -> true;
            default -> false;
        };
    }

    /** Two columns of a terminal. */
    private static boolean isWide(int point) {
        return (point >= 0x1100 && point <= 0x115f)
                || (point >= 0x2e80 && point <= 0xa4cf)
                || (point >= 0xac00 && point <= 0xd7a3)
                || (point >= 0xf900 && point <= 0xfaff)
                || (point >= 0xfe30 && point <= 0xfe6f)
                || (point >= 0xff00 && point <= 0xff60)
                || (point >= 0xffe0 && point <= 0xffe6)
                || (point >= 0x1f300 && point <= 0x1faff)
                || (point >= 0x20000 && point <= 0x3fffd);
    }
}
