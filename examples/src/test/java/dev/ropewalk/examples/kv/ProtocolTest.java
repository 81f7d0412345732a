package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;

/** What comes over the wire: good bytes and bad ones. */
@SuppressWarnings("StringConcatToTextBlock") // the line ends matter
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProtocolTest {
    private Store store;

    @BeforeAll
    void start() throws IOException {
        store = Store.inMemory(2);
    }

    @AfterAll
    void end() {
        store.close();
    }

    /** All that is answered to these bytes and the end of the input; "reset" behind it if so. */
    private String answer(String bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), store.kv.port())) {
            socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
            socket.shutdownOutput();
            StringBuilder all = new StringBuilder();
            try {
                for (int next = socket.getInputStream().read();
                        next >= 0;
                        next = socket.getInputStream().read()) {
                    all.append((char) next);
                }
            } catch (SocketException reset) {
                all.append("reset");
            }
            return all.toString();
        }
    }

    @Test
    void replies() throws IOException {
        assertEquals("+PONG\r\n", answer("*1\r\n$4\r\nPING\r\n"));
        assertEquals(
                "+OK\r\n$3\r\nb\r\n\r\n:1\r\n$-1\r\n*2\r\n$3\r\nb\r\n\r\n$-1\r\n",
                answer(
                        "*3\r\n$3\r\nset\r\n$1\r\na\r\n$3\r\nb\r\n\r\n"
                                + "*2\r\n$3\r\nGET\r\n$1\r\na\r\n"
                                + "*2\r\n$6\r\nEXISTS\r\n$1\r\na\r\n"
                                + "*2\r\n$3\r\nGET\r\n$2\r\nno\r\n"
                                + "*3\r\n$4\r\nMGET\r\n$1\r\na\r\n$2\r\nno\r\n"));
    }

    /** What a redis-server answers to the same lines; found by {@link BesideRedisTest}. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    NOPE a b              | -ERR unknown command 'NOPE', with args beginning with: 'a' 'b'
                    PING a b              | -ERR wrong number of arguments for 'ping' command
                    DBSIZE a              | -ERR wrong number of arguments for 'dbsize' command
                    FLUSHALL a            | -ERR syntax error
                    FLUSHALL async        | +OK
                    SELECT                | -ERR wrong number of arguments for 'select' command
                    SET n 007, INCR n     | +OK, -ERR value is not an integer or out of range
                    SET n -0, INCR n      | +OK, -ERR value is not an integer or out of range
                    INCRBY n 01           | -ERR value is not an integer or out of range
                    DECRBY n -9223372036854775808 | -ERR decrement would overflow
                    HSET h f x, HINCRBY h f 1 | :1, -ERR hash value is not an integer
                    SET k v SOON 1        | -ERR syntax error
                    SET k v EX x NX XX    | -ERR syntax error
                    SET k v EX 9 PX 9     | -ERR syntax error
                    SET k v EX 8 EX 9, TTL k | +OK, :9
                    SCAN x                | -ERR invalid cursor
                    SCAN 0 COUNT          | -ERR syntax error
                    SCAN 0 COUNT 0        | -ERR syntax error
                    SCAN 0 COUNT x        | -ERR value is not an integer or out of range
                    """)
    void repliesOfRedis(String lines, String replies) throws IOException {
        assertEquals(
                replies.strip().replace(", -", "\r\n-").replace(", :", "\r\n:"),
                answer(lines.strip().replace(", ", "\r\n") + "\r\n").strip());
    }

    @Test
    void aTimeThatIsOverRemovesTheKeyAtOnce() throws IOException {
        assertEquals(
                "+OK\r\n+OK\r\n:1\r\n:0\r\n",
                answer("FLUSHALL\r\nSET a 1\r\nEXPIRE a 0\r\nDBSIZE\r\n"));
    }

    @Test
    void theLastTimeOfAllIsATime() throws IOException {
        String answer = answer("SET a 1\r\nPEXPIREAT a 9223372036854775807\r\nPTTL a\r\n");
        assertTrue(answer.startsWith("+OK\r\n:1\r\n:9223372036"), answer);
    }

    @Test
    void theBytesOfALineAreKept() throws IOException {
        String bytes = "\u00c3\u00a9";
        assertEquals("$2\r\n" + bytes + "\r\n", answer("ECHO " + bytes + "\r\n"));
    }

    /** For people with nc. */
    @Test
    void lines() throws IOException {
        assertEquals("+OK\r\n$1\r\nx\r\n", answer("set line x\r\n\r\n  get   line \r\n"));
        assertEquals("+PONG\r\n+OK\r\n", answer("PING\r\nQUIT\r\nPING\r\n"));
    }

    @Test
    void anEmptyArrayIsNoCommand() throws IOException {
        assertEquals("+PONG\r\n", answer("*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n"));
    }

    /** Half a command and the end of the input: the whole ones are answered. */
    @Test
    void halfACommand() throws IOException {
        String whole = "*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n";
        for (int length = 0; length < whole.length(); length++) {
            assertEquals(
                    "$2\r\nhi\r\n", answer(whole + whole.substring(0, length)), "length=" + length);
        }
    }

    /** Each is told so, behind the answer to what came before it, and ends the connection. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "*1\r\n:1\r\n",
                "*1\r\n+PING\r\n",
                "*1\r\n$-1\r\n",
                "*1\r\n*1\r\n$4\r\nPING\r\n",
                "*99999999\r\n",
                "*99999999999999999999\r\n",
                "*1\r\n$99999999\r\n",
                "*1\r\n$999999999999999999999\r\n",
                "*x\r\n",
                "*1\r\n$x\r\n",
                "*1\r\n$4\r\nPINGPONG\r\n",
                "$4\r\nPING\r\n",
                ":1\r\n",
                "+OK\r\n",
            })
    void malformed(String bytes) throws IOException {
        String answer = answer("PING\r\n" + bytes + "PING\r\n");
        assertTrue(answer.startsWith("+PONG\r\n-ERR Protocol error: "), answer);
        assertEquals(2, answer.replace("reset", "").lines().count(), answer);
    }

    /** A line without an end, and words without number, are limited. */
    @Test
    void tooMuch() throws IOException {
        String answer = answer("PING\r\n" + "x".repeat(100_000));
        assertTrue(answer.startsWith("+PONG\r\n-ERR Protocol error: "), answer);
        StringBuilder bytes = new StringBuilder("*60000\r\n$4\r\nMGET\r\n");
        for (int i = 1; i < 60_000; i++) {
            bytes.append("$1\r\nk\r\n");
        }
        assertTrue(answer(bytes.toString()).startsWith("*59999\r\n$-1\r\n"));
    }

    @Test
    void subscribedClientsMayNotAsk() throws IOException {
        assertEquals(
                "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
                        + "-ERR Can't execute 'get': only (UN)SUBSCRIBE / PING / QUIT are allowed"
                        + " in this context\r\n"
                        + "*2\r\n$4\r\npong\r\n$0\r\n\r\n"
                        + "*3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n"
                        + "$-1\r\n",
                answer("SUBSCRIBE c\r\nget x\r\nPING\r\nUNSUBSCRIBE\r\nget x\r\n"));
        assertEquals(
                "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
                        + "*2\r\n$4\r\npong\r\n$2\r\nhi\r\n"
                        + "-ERR wrong number of arguments for 'ping' command\r\n",
                answer("SUBSCRIBE c\r\nPING hi\r\nPING a b\r\n"));
        assertEquals(
                "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n-ERR wrong number of arguments for"
                        + " 'subscribe' command\r\n",
                answer("UNSUBSCRIBE\r\nSUBSCRIBE\r\n"));
    }
}
