package dev.ropewalk.examples.logpipe;

import dev.ropewalk.examples.logpipe.Event.Request;

import java.time.DateTimeException;
import java.time.LocalDate;

/**
 * Parses one line of the Common or Combined Log Format:
 *
 * <pre>
 * client ident user [10/Oct/2000:13:55:36 -0700] "GET /path HTTP/1.1" 200 2326 "referer" "agent"
 * </pre>
 *
 * In quotes, a backslash keeps the character behind it from ending the field. What follows the
 * agent is skipped, but for a last field that is a number: the time that the answer took.
 */
final class LineParser {
    private static final String MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
    private static final String TIME_EXAMPLE = "10/Oct/2000:13:55:36 -0700";

    /** Longer numbers are no lengths and no times. */
    private static final int MAX_DIGITS = 15;

    /** A text of the log that is shown in a complaint is cut there. */
    private static final int MAX_SHOWN = 60;

    private final String line;
    private int at;

    private LineParser(String line) {
        this.line = line;
    }

    static Request parse(String line) throws BadLine {
        return new LineParser(line).parse();
    }

    private Request parse() throws BadLine {
        String client = field("client");
        skipUser();
        long second = second(enclosed("time", '[', ']'));
        String request = enclosed("request", '"', '"');
        int status = status(field("status"));
        long bytes = bytes(field("length"));
        long micros = -1;
        while (at < line.length()) {
            boolean isQuoted = line.charAt(at) == '"';
            String last = isQuoted ? enclosed("last", '"', '"') : field("last");
            micros = isQuoted ? -1 : micros(last);
        }
        return new Request(second, client, path(request), status, bytes, micros);
    }

    // ---------------------------------------------------------------- fields

    /** Up to the next blank, or to the end. */
    private String field(String what) throws BadLine {
        if (at >= line.length() || line.charAt(at) == ' ') {
            throw new BadLine("the " + what + " is missing");
        }
        int blank = line.indexOf(' ', at);
        int end = blank < 0 ? line.length() : blank;
        String field = line.substring(at, end);
        goBehind(end);
        return field;
    }

    /** The ident and the user, who may have blanks in his name, and is of no interest. */
    private void skipUser() throws BadLine {
        int time = line.indexOf(" [", at);
        if (time < 0) {
            throw new BadLine("the time is missing; it stands in brackets: [" + TIME_EXAMPLE + "]");
        }
        int blank = line.indexOf(' ', at);
        if (blank >= time) {
            throw new BadLine("the user is missing; \"client ident user\" stand before the time");
        }
        at = time + 1;
    }

    private String enclosed(String what, char open, char close) throws BadLine {
        if (at >= line.length() || line.charAt(at) != open) {
            throw new BadLine("the " + what + " is missing; it begins with " + open);
        }
        int end = at + 1;
        while (end < line.length() && line.charAt(end) != close) {
            end += line.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= line.length()) {
            throw new BadLine("the " + what + " has no end; it ends with " + close);
        }
        String field = line.substring(at + 1, end);
        if (end + 1 < line.length() && line.charAt(end + 1) != ' ') {
            throw new BadLine("no blank behind the " + what + " \"" + shown(field) + "\"");
        }
        goBehind(end + 1);
        return field;
    }

    /** One blank separates fields; further ones are skipped. */
    private void goBehind(int end) {
        at = end;
        while (at < line.length() && line.charAt(at) == ' ') {
            at++;
        }
    }

    // ---------------------------------------------------------------- values

    private static long second(String time) throws BadLine {
        try {
            boolean isTime =
                    time.length() == TIME_EXAMPLE.length()
                            && time.charAt(2) == '/'
                            && time.charAt(6) == '/'
                            && time.charAt(11) == ':'
                            && time.charAt(14) == ':'
                            && time.charAt(17) == ':'
                            && time.charAt(20) == ' '
                            && (time.charAt(21) == '+' || time.charAt(21) == '-');
            int month = isTime ? MONTHS.indexOf(time.substring(3, 6)) : -1;
            if (month < 0 || month % 3 != 0) {
                throw new DateTimeException("no time");
            }
            long day =
                    LocalDate.of(number(time, 7, 11), month / 3 + 1, number(time, 0, 2))
                            .toEpochDay();
            // A leap second is the one after it.
            long ofDay =
                    3600L * within(number(time, 12, 14), 23)
                            + 60L * within(number(time, 15, 17), 59)
                            + within(number(time, 18, 20), 60);
            long offset = 3600L * number(time, 22, 24) + 60L * number(time, 24, 26);
            return day * 86_400 + ofDay + (time.charAt(21) == '+' ? -offset : offset);
        } catch (DateTimeException e) {
            throw new BadLine("the time [" + shown(time) + "] is not as in [" + TIME_EXAMPLE + "]");
        }
    }

    private static int within(int number, int max) {
        if (number > max) {
            throw new DateTimeException(number + " > " + max);
        }
        return number;
    }

    private static int number(String text, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            if (!isDigit(text.charAt(i))) {
                throw new DateTimeException("no number");
            }
            number = 10 * number + text.charAt(i) - '0';
        }
        return number;
    }

    private static int status(String field) throws BadLine {
        if (field.length() != 3 || !isNumber(field)) {
            throw new BadLine("the status " + shown(field) + " is not a number of three digits");
        }
        return Integer.parseInt(field);
    }

    private static long bytes(String field) throws BadLine {
        if (field.equals("-")) {
            return 0;
        }
        if (!isNumber(field)) {
            throw new BadLine(
                    "the length " + shown(field) + " is neither a number of bytes nor a -");
        }
        return Long.parseLong(field);
    }

    /** With a point it is in seconds, otherwise in microseconds; negative if it is no number. */
    private static long micros(String field) {
        int point = field.indexOf('.');
        if (point < 0) {
            return isNumber(field) ? Long.parseLong(field) : -1;
        }
        String whole = field.substring(0, point);
        String part = field.substring(point + 1);
        if (!isNumber(whole) || !isNumber(part) || whole.length() > MAX_DIGITS - 6) {
            return -1;
        }
        return 1_000_000 * Long.parseLong(whole) + Long.parseLong((part + "00000").substring(0, 6));
    }

    /** Of "GET /path?query HTTP/1.1" the path; all of what is no request. */
    private static String path(String request) {
        int from = request.indexOf(' ') + 1;
        int blank = request.indexOf(' ', from);
        if (from == 0 || blank == from) {
            return request.isEmpty() ? "-" : request;
        }
        String target = request.substring(from, blank < 0 ? request.length() : blank);
        int query = target.indexOf('?');
        return query <= 0 ? target : target.substring(0, query);
    }

    private static boolean isNumber(String text) {
        if (text.isEmpty() || text.length() > MAX_DIGITS) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static String shown(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
    }
}
