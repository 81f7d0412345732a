package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/**
 * Requests that are malformed, or that two programs in a row may read in two ways. Each is answered
 * with an error, once; what follows it on the connection is never taken for a request.
 */
@SuppressWarnings("StringConcatToTextBlock") // each byte of a line end matters
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BadRequestTest {
    private static final String HIDDEN = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\n";
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";

    /** In the notation of Java's own escapes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                // the first line
                "400 G\\u0000T / HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET /\r\nHost: a\r\n\r\n",
                "400 GET / HTTP/one\r\nHost: a\r\n\r\n",
                "505 GET / HTTP/1.2\r\nHost: a\r\n\r\n",
                "505 PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "400 \u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n",
                "400 GET / HTTP/1.1\nHost: a\n\n",
                // the target
                "400 GET x?u=http://h/admin HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET admin HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET * HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 OPTIONS ** HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET http:/a HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET http://a:x/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET http://a\\b/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET http://a#/b HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET /a\u0000b HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET /a\u001bb HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET /a\u007fb HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 GET /\u00e4 HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 CONNECT a HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 CONNECT a: HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 CONNECT :80 HTTP/1.1\r\nHost: a\r\n\r\n",
                "400 CONNECT http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                // the host
                "400 GET / HTTP/1.1\r\nHost: <script>\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a:80:80\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: []\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: [1.2.3.4]\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: [fe80::1%eth0]\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: [g::1]\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: ::1\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a:99999999999\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a:+80\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: :80\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a%2\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a%zz\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a,b\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: \u00e4\r\n\r\n",
                "400 GET / HTTP/1.0\r\nHost: a/b\r\n\r\n",
                // the fields
                "400 GET / HTTP/1.1\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\nX y\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\nX\u0000: y\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\nX: y\u0000z\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\nX: y\rZ: z\r\n\r\n",
                "400 GET / HTTP/1.1\r\nHost: a\r\nX: y\nZ: z\r\n\r\n",
                "400 GET / HTTP/1.1\r\n Host: a\r\n\r\n",
                "417 GET / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n",
                "417 GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nExpect: x\r\n\r\n",
            })
    void I2_malformedHeads(String statusAndBytes) {
        check(statusAndBytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "400 " + POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
                "400 " + POST + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
                "400 " + POST + "Content-Length: 5, 5\r\n\r\nhello",
                "400 " + POST + "Content-Length: 5, 6\r\n\r\nhello",
                "400 " + POST + "Content-Length: -5\r\n\r\nhello",
                "400 " + POST + "Content-Length: +5\r\n\r\nhello",
                "400 " + POST + "Content-Length: 0x5\r\n\r\nhello",
                "400 " + POST + "Content-Length: 5 5\r\n\r\nhello",
                "400 " + POST + "Content-Length: \r\n\r\n",
                "400 " + POST + "Content-Length: 99999999999999999999\r\n\r\nhello",
                "501 " + POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Transfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n",
                "400 " + POST + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                "400 "
                        + POST
                        + "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n",
                "400 POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "400 " + CHUNKED + "x\r\n\r\n",
                "400 " + CHUNKED + "-1\r\na\r\n0\r\n\r\n",
                "400 " + CHUNKED + "0x1\r\na\r\n0\r\n\r\n",
                "400 " + CHUNKED + "1 1\r\na\r\n0\r\n\r\n",
                "400 " + CHUNKED + "\r\na\r\n0\r\n\r\n",
                "400 " + CHUNKED + "ffffffffffffffff1\r\na\r\n0\r\n\r\n",
                "400 " + CHUNKED + "1\r\nab\r\n0\r\n\r\n",
                "400 " + CHUNKED + "1\na\n0\n\n",
                "400 " + CHUNKED + "1;x\ny\r\na\r\n0\r\n\r\n",
            })
    void I2_bodiesThatMayEndInTwoPlaces(String statusAndBytes) {
        check(statusAndBytes);
    }

    private static void check(String statusAndBytes) {
        String status = statusAndBytes.substring(0, 3);
        String bytes = statusAndBytes.substring(4);
        Web.anywhere(
                web -> {
                    List<String> seen = new ArrayList<>();
                    try (HttpServer server =
                            web.serve(
                                    request -> {
                                        String body = request.body().text();
                                        seen.add(request + body);
                                        return HttpResponse.text(body);
                                    })) {
                        String got = web.answer(server, bytes + HIDDEN);
                        assertTrue(got.startsWith("HTTP/1.1 " + status), () -> "got=" + got + seen);
                        assertEquals(-1, got.indexOf("\nHTTP/1.1 "), got);
                        assertFalse(got.endsWith("RESET"), got);
                        assertEquals(List.of(), seen);
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                "\r\nGET / HTTP/1.1\r\nhOsT:a\r\nConnection: close\r\n\r\n",
                "GET http://a/b HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n",
                "GET  / http/1.1\r\nHost: a\r\nX: y\r\n z\r\nConnection: close\r\n\r\n",
                "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                "PATCH-IT / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: [::1]:80\r\nX:\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: [::ffff:1.2.3.4]\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:65535\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a_b-c.%64~!:\r\nConnection: close\r\n\r\n",
                "GET //a/../{b}|?\"c\" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                "GET HTTPS://a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                "GET http://[::1]:80?a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
                "POST / HTTP/1.0\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\nx",
                "POST / HTTP/1.1\r\n"
                        + "Host: a\r\n"
                        + "Connection: close\r\n"
                        + "Transfer-Encoding: Chunked\r\n\r\n"
                        + "00001;a=\"b\"\r\n"
                        + "x\r\n"
                        + "0\r\n"
                        + "T: u\r\n\r\n",
            })
    void I2_unusualAndInOrder(String bytes) {
        Web.anywhere(
                web -> {
                    try (HttpServer server =
                            web.serve(request -> HttpResponse.text(request.body().text()))) {
                        String got = web.answer(server, bytes);
                        assertTrue(got.startsWith("HTTP/1.1 200"), got);
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"414 GET /", "431 GET / HTTP/1.1\r\nHost: a\r\nX: "})
    void I2_headsAboveTheirLimits(String statusAndBytes) {
        check(statusAndBytes + "x".repeat(20_000) + " HTTP/1.1\r\n\r\n");
    }
}
