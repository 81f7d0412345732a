package dev.ropewalk.examples.kv;

/**
 * Patterns with {@code *}, {@code ?}, {@code [a-c]}, {@code [^a]} and {@code \}, as Redis reads
 * them: any character behind a dash ends a range, and no range begins behind a {@code \}.
 */
final class Glob {
    private Glob() {}

    /** In time of the product of both lengths at most. */
    static boolean matches(String pattern, String text) {
        int at = 0;
        int in = 0;
        int star = -1;
        int retry = 0;
        while (in < text.length()) {
            if (at < pattern.length() && pattern.charAt(at) == '*') {
                star = at++;
                retry = in;
                continue;
            }
            int next = at < pattern.length() ? one(pattern, at, text.charAt(in)) : -1;
            if (next >= 0) {
                at = next;
                in++;
            } else if (star >= 0) {
                at = star + 1;
                in = ++retry;
            } else {
                return false;
            }
        }
        while (at < pattern.length() && pattern.charAt(at) == '*') {
            at++;
        }
        return at == pattern.length();
    }

    /** Where the pattern goes on behind one character; -1 if that does not match. */
    private static int one(String pattern, int at, char c) {
        return switch (pattern.charAt(at)) {
            case '?' -> at + 1;
            case '[' -> set(pattern, at + 1, c);
            case '\\' ->
                    at + 1 < pattern.length()
                            ? pattern.charAt(at + 1) == c ? at + 2 : -1
                            : c == '\\' ? at + 1 : -1;
            default -> pattern.charAt(at) == c ? at + 1 : -1;
        };
    }

    private static int set(String pattern, int from, char c) {
        boolean isNot = from < pattern.length() && pattern.charAt(from) == '^';
        boolean isIn = false;
        int at = isNot ? from + 1 : from;
        while (at < pattern.length() && pattern.charAt(at) != ']') {
            boolean isEscaped = pattern.charAt(at) == '\\' && at + 1 < pattern.length();
            at += isEscaped ? 1 : 0;
            char low = pattern.charAt(at);
            char high = low;
            if (!isEscaped && at + 2 < pattern.length() && pattern.charAt(at + 1) == '-') {
                high = pattern.charAt(at + 2);
                at += 2;
            }
            isIn |= low <= high ? low <= c && c <= high : high <= c && c <= low;
            at++;
        }
        return isIn == isNot ? -1 : Math.min(at + 1, pattern.length());
    }
}
