package dev.ropewalk.examples.logpipe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.logpipe.Event.Request;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;

/** The Common and the Combined Log Format, as servers write them. */
@Timeout(60)
class LineParserTest {
    private static final String TIME = "[10/Oct/2000:13:55:36 -0700]";
    private static final long SECOND = Instant.parse("2000-10-10T20:55:36Z").getEpochSecond();

    private static Request parse(String line) {
        try {
            return LineParser.parse(line);
        } catch (BadLine e) {
            throw new AssertionError(line, e);
        }
    }

    private static String complaint(String line) {
        return String.valueOf(
                assertThrows(BadLine.class, () -> LineParser.parse(line), line).getMessage());
    }

    private static String withRequest(String request) {
        return "c - - " + TIME + " \"" + request + "\" 200 1";
    }

    @Test
    void commonLogFormat() {
        assertEquals(
                new Request(SECOND, "127.0.0.1", "/apache_pb.gif", 200, 2326, -1),
                parse("127.0.0.1 - frank " + TIME + " \"GET /apache_pb.gif HTTP/1.0\" 200 2326"));
    }

    @Test
    void combinedLogFormat() {
        assertEquals(
                new Request(SECOND, "host.example", "/a", 404, 0, -1),
                parse(
                        "host.example - - "
                                + TIME
                                + " \"GET /a?b=c HTTP/1.1\" 404 - \"http://x/?[y]\" \"Mozilla/5.0"
                                + " (X 1) 5\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2001:db8::1", "::1", "::ffff:192.0.2.1", "fe80::1%eth0"})
    void clientsOfIpv6(String client) {
        assertEquals(
                client, parse(withRequest("GET / HTTP/2.0").replace("c ", client + " ")).client());
    }

    @ParameterizedTest
    @CsvSource({
        "GET /a HTTP/1.1, /a",
        "GET /a?b HTTP/1.1, /a",
        "GET ?b HTTP/1.1, ?b",
        "GET /a, /a",
        "OPTIONS * HTTP/1.1, *",
        "GET http://h/p?q HTTP/1.1, http://h/p",
        "GET /a\\\"b\\\\ HTTP/1.1, /a\\\"b\\\\",
        "GET /a\\x22b HTTP/1.1, /a\\x22b",
        "\\x16\\x03\\x01, \\x16\\x03\\x01",
        "GET  HTTP/1.1, GET  HTTP/1.1",
        "-, -",
        "'', -",
    })
    void pathOfARequest(String request, String path) {
        assertEquals(path, parse(withRequest(request)).path());
    }

    @ParameterizedTest
    @CsvSource({
        "0.005, 5000",
        "12.3, 12300000",
        "1.2345678, 1234567",
        "1234, 1234",
        "-, -1",
        "1., -1",
        ".5, -1",
        "x, -1",
        "9999999999999999, -1",
        "7 x, -1",
        "x 7, 7",
    })
    void timeOfTheAnswerIsTheLastField(String fields, long micros) {
        assertEquals(micros, parse(withRequest("GET / X") + " " + fields).micros());
        assertEquals(micros, parse(withRequest("GET / X") + " \"r\" \"5\" " + fields).micros());
        assertEquals(-1, parse(withRequest("GET / X") + " " + fields + " \"5\"").micros());
    }

    @Test
    void usersMayHaveBlanks() {
        assertEquals(SECOND, parse("c - John Q. Public " + TIME + " \"GET / X\" 200 1").second());
    }

    @ParameterizedTest
    @CsvSource({
        "10/Oct/2000:13:55:36 -0700, 2000-10-10T20:55:36Z",
        "29/Feb/2024:00:00:00 +0000, 2024-02-29T00:00:00Z",
        "01/Jan/2026:00:30:00 +0530, 2025-12-31T19:00:00Z",
        "31/Dec/2016:23:59:60 +0000, 2017-01-01T00:00:00Z",
    })
    void times(String time, Instant expected) {
        assertEquals(
                expected.getEpochSecond(),
                parse("c - - [" + time + "] \"GET / X\" 200 1").second());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10/Okt/2000:13:55:36 -0700",
                "10/anF/2000:13:55:36 -0700",
                "31/Feb/2000:13:55:36 -0700",
                "10/Oct/2000:24:00:00 -0700",
                "10/Oct/2000:13:60:36 -0700",
                "10/Oct/2000:13:55:61 -0700",
                "10/Oct/2000:13:55:36",
                "10/Oct/2000:13:55:36 00700",
                "1x/Oct/2000:13:55:36 -0700",
                "2000-10-10T13:55:36-07:00",
                "",
            })
    void refusesWhatIsNoTime(String time) {
        String complaint = complaint("c - - [" + time + "] \"GET / X\" 200 1");
        assertEquals(
                "the time [" + time + "] is not as in [10/Oct/2000:13:55:36 -0700]", complaint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | the client is missing",
                "' - - TIME' | the client is missing",
                "c | the time is missing; it stands in brackets",
                "c - - | the time is missing; it stands in brackets",
                "c TIME | the time is missing; it stands in brackets",
                "c - TIME | the user is missing",
                "c - - [10/Oct | the time has no end; it ends with ]",
                "c - - TIME | the request is missing; it begins with \"",
                "c - - TIME GET / X 200 1 | the request is missing",
                "c - - TIME \"GET / X | the request has no end; it ends with \"",
                "c - - TIME \"GET / X\\\" 200 1 | the request has no end",
                "c - - TIME \"GET / X\"200 1 | no blank behind the request \"GET / X\"",
                "c - - TIME \"GET / X\" | the status is missing",
                "c - - TIME \"GET / X\" OK 1 | the status OK is not a number of three digits",
                "c - - TIME \"GET / X\" 20 1 | the status 20 is not",
                "c - - TIME \"GET / X\" 200 | the length is missing",
                "c - - TIME \"GET / X\" 200 -5 | the length -5 is neither",
                "c - - TIME \"GET / X\" 200 9999999999999999 | the length 9999999999999999 is"
                        + " neither",
                "c - - TIME \"GET / X\" 200 1 \"referer | the last has no end",
            })
    void saysWhatIsMissingOrWrong(String line, String complaint) {
        String said = complaint(line.replace("TIME", TIME));
        assertTrue(said.startsWith(complaint), said);
    }

    @Test
    void aComplaintIsShortWhateverTheLine() {
        assertTrue(
                complaint("c - - [" + "x".repeat(100_000) + "] \"GET / X\" 200 1").length() < 200);
    }

    /** Cut anywhere, or with any character changed: a request or a complaint, and nothing else. */
    @Test
    void noLineBreaksIt() {
        String line = new LogGenerator(1).lines(1).getFirst();
        int parsed = 0;
        int refused = 0;
        for (int i = 0; i <= line.length(); i++) {
            for (String changed :
                    new String[] {
                        line.substring(0, i),
                        line.substring(i),
                        line.substring(0, i)
                                + "\\"
                                + line.substring(Math.min(i + 1, line.length())),
                        line.substring(0, i) + "\"" + line.substring(i),
                        line.substring(0, i) + " " + line.substring(i)
                    }) {
                try {
                    LineParser.parse(changed);
                    parsed++;
                } catch (BadLine e) {
                    refused++;
                }
            }
        }
        assertTrue(parsed > 50 && refused > 50, "parsed=" + parsed + " refused=" + refused);
    }
}
