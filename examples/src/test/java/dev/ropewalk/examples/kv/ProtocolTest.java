package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import java.util.Locale;

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
                    HELLO 4               | -NOPROTO unsupported protocol version
                    HELLO x               | -ERR Protocol version is not an integer or out of range
                    HELLO 2 SETNAME       | -ERR Syntax error in HELLO option 'SETNAME'
                    HELLO 3 NOPE          | -ERR Syntax error in HELLO option 'NOPE'
                    HELLO 3 AUTH a b      | -WRONGPASS invalid username-password pair or user is disabled.
                    HELLO 2 SETNAME "a b" | -ERR Client names cannot contain spaces, newlines or special characters.
                    CLIENT                | -ERR wrong number of arguments for 'client' command
                    CLIENT NOPE           | -ERR unknown subcommand 'NOPE'. Try CLIENT HELP.
                    CLIENT SETNAME "a b"  | -ERR Client names cannot contain spaces, newlines or special characters.
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
        assertEquals("+PONG\r\n", answer("*0\r\n*-1\r\n*-10\r\n*1\r\n$4\r\nPING\r\n"));
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
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    *1,:1                 | expected '$', got ':'
                    *1,+PING              | expected '$', got '+'
                    *1,*1,$4,PING         | expected '$', got '*'
                    *3,$3,SET,$1,x,fooz   | expected '$', got 'f'
                    *1,$-1                | invalid bulk length
                    *1,$-10               | invalid bulk length
                    *1,$x                 | invalid bulk length
                    *1,$                  | invalid bulk length
                    *1,$04,PING           | invalid bulk length
                    *1,$999999999999999999999 | invalid bulk length
                    *1,$99999999          | invalid bulk length: 99999999 > 16777216
                    *99999999999999999999 | invalid multibulk length
                    *-99999999999999999999 | invalid multibulk length
                    *99999999             | invalid multibulk length: 99999999 > 65536
                    *x                    | invalid multibulk length
                    *                     | invalid multibulk length
                    *01                   | invalid multibulk length
                    *-0                   | invalid multibulk length
                    *1,$-0                | invalid bulk length
                    *1,$4,PINGPONG        | no line end behind a word of 4 bytes, as its head says
                    echo "abc             | unbalanced quotes in request
                    echo 'abc             | unbalanced quotes in request
                    echo "abc"d           | unbalanced quotes in request
                    """)
    void malformed(String lines, String complaint) throws IOException {
        String bytes = lines.strip().replace(",", "\r\n") + "\r\n";
        assertEquals(
                "+PONG\r\n-ERR Protocol error: " + complaint + "\r\n",
                answer("PING\r\n" + bytes + "PING\r\n").replace("reset", ""));
    }

    /** Whatever the pieces are in which they come. */
    @Test
    void eachByteByItself() throws IOException {
        String all =
                "*3\r\n"
                        + "$3\r\n"
                        + "SET\r\n"
                        + "$1\r\n"
                        + "k\r\n"
                        + "$6\r\n"
                        + "a\r\n\r\n"
                        + "b\r\n"
                        + "get k\r\n"
                        + "*2\r\n"
                        + "$6\r\n"
                        + "STRLEN\r\n"
                        + "$1\r\n"
                        + "k\r\n"
                        + "*1\r\n"
                        + ":";
        try (Wire wire = new Wire(store.kv.port())) {
            for (byte each : Reply.bytes(all)) {
                wire.send(new byte[] {each}, 0, 1);
            }
            assertEquals(
                    "+OK\r\n"
                            + "$6\r\n"
                            + "a\r\n\r\n"
                            + "b\r\n"
                            + ":6\r\n"
                            + "-ERR Protocol error: expected '$', got ':'\r\n",
                    wire.rest());
        }
    }

    /** Of lines too: bytes that are no UTF-8 are not all the same. */
    @Test
    void keysAndValuesAreBytes() throws IOException {
        assertEquals(
                "+OK\r\n+OK\r\n$2\r\n\u00c3(\r\n$1\r\n\u00fe\r\n:2\r\n",
                answer(
                        "set \u00ff \u00c3(\r\nset \u00fe \u00fe\r\nget \u00ff\r\nget \u00fe\r\n"
                                + "exists \u00ff \u00fe \u00fd\r\n"));
        StringBuilder lines = new StringBuilder("FLUSHALL\r\n");
        StringBuilder replies = new StringBuilder("+OK\r\n");
        for (int i = 0; i < 256; i++) {
            lines.append(String.format(Locale.ROOT, "SETNX \"\\x%02x\" %d\r\n", i, i));
            replies.append(":1\r\n");
        }
        assertEquals(replies + ":256\r\n", answer(lines + "DBSIZE\r\n"));
    }

    /** As Redis reads them. */
    @Test
    void quotesInLines() throws IOException {
        assertEquals("$3\r\na b\r\n", answer("echo \"a b\"\r\n"));
        assertEquals("$3\r\na b\r\n", answer("echo 'a b'\r\n"));
        assertEquals("$4\r\nab d\r\n", answer("echo ab\" d\"\n"));
        assertEquals("$0\r\n\r\n", answer("echo ''\r\n"));
        assertEquals("$5\r\nA\n\"\\\t\r\n", answer("echo \"\\x41\\n\\\"\\\\\\t\"\r\n"));
        assertEquals("$4\r\nit's\r\n", answer("echo 'it\\'s'\r\n"));
        assertEquals("$4\r\nxzz\\\r\n", answer("echo \"\\xzz\\\\\"\r\n"));
        assertEquals(
                "-ERR unknown command '$4', with args beginning with: \r\n+PONG\r\n",
                answer("$4\r\nPING\r\n"));
        String zero = answer("PING\r\nget a\0b\r\nPING\r\n");
        assertTrue(zero.startsWith("+PONG\r\n-ERR Protocol error: "), zero);
    }

    /** A web page makes a browser send it: nothing that follows is carried out. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST / HTTP/1.1\r\n",
                "post\r\n",
                "Host: 127.0.0.1:7379\r\n",
                "*2\r\n$5\r\nhOst:\r\n$1\r\nx\r\n",
            })
    void anHttpRequestIsNoCommand(String head) throws IOException {
        String body = "\r\nset hacked 1\r\nPING\r\n";
        assertEquals("", answer(head + body).replace("reset", ""));
        assertEquals("+PONG\r\n", answer("PING\r\n" + head + body).replace("reset", ""));
        assertEquals(
                "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n",
                answer("SUBSCRIBE c\r\n" + head + body).replace("reset", ""));
        assertEquals(":0\r\n", answer("EXISTS hacked\r\n"));
    }

    /** What CLIENT and HELLO say of a connection. */
    @Test
    void aConnectionHasANumberAndAName() throws IOException {
        String[] ids = answer("CLIENT ID\r\nHELLO\r\nclient id\r\n").split("\r\n", -1);
        assertEquals(ids[0], ids[ids.length - 2]);
        String other = answer("CLIENT ID\r\n");
        assertTrue(other.matches(":[1-9][0-9]*\r\n"), other);
        assertNotEquals(ids[0] + "\r\n", other);
        assertEquals(
                "$-1\r\n+OK\r\n$3\r\nabc\r\n",
                answer("CLIENT GETNAME\r\nCLIENT SETNAME abc\r\nCLIENT GETNAME\r\n"));
        assertEquals(
                "-ERR wrong number of arguments for 'client|id' command\r\n",
                answer("CLIENT ID x\r\n"));
        String hello = answer("HELLO 2 AUTH default x SETNAME d\r\nCLIENT GETNAME\r\n");
        assertTrue(hello.startsWith("*14\r\n$6\r\nserver\r\n"), hello);
        assertTrue(hello.contains("$5\r\nproto\r\n:2\r\n"), hello);
        assertTrue(hello.endsWith("*0\r\n$1\r\nd\r\n"), hello);
    }

    /** What was published while it was subscribed was counted, so it is not lost. */
    @ParameterizedTest
    @ValueSource(strings = {"UNSUBSCRIBE c", "UNSUBSCRIBE"})
    void whatIsPublishedBeforeAnUnsubscribeIsHeard(String unsubscribe) throws IOException {
        String message = ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\n";
        for (int i = 0; i < 50; i++) { // a select takes any of what is ready
            String answer =
                    answer(
                            "HELLO 3\r\nSUBSCRIBE c\r\nPUBLISH c m\r\nPUBLISH c n\r\n"
                                    + unsubscribe
                                    + "\r\nPUBLISH c o\r\n");
            int first = answer.indexOf(message + "m\r\n");
            int second = answer.indexOf(message + "n\r\n");
            int left = answer.indexOf(">3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n:0\r\n");
            assertTrue(0 <= first && first < second && second < left, answer);
        }
    }

    /** One that is refused in any word has changed nothing, neither name nor version. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HELLO 3 SETNAME n AUTH a b",
                "HELLO 3 SETNAME n NOPE",
                "HELLO 3 SETNAME n SETNAME \"a b\"",
                "HELLO 3 SETNAME n AUTH default",
            })
    void aRefusedHelloChangesNothing(String hello) throws IOException {
        String answer = answer("CLIENT SETNAME m\r\n" + hello + "\r\nCLIENT GETNAME\r\nGET no\r\n");
        assertTrue(answer.matches("\\+OK\r\n-[^\r\n]+\r\n\\$1\r\nm\r\n\\$-1\r\n"), answer);
    }

    /** Nulls, pairs and what is pushed look different, and a subscribed client may ask. */
    @Test
    void resp3() throws IOException {
        String answer =
                answer(
                        "HELLO 3\r\n"
                                + "DEL nokey\r\n"
                                + "GET nokey\r\n"
                                + "HSET hh a 1\r\n"
                                + "HGETALL hh\r\n"
                                + "MGET nokey\r\n"
                                + "HGETALL nokey\r\n"
                                + "SUBSCRIBE c\r\n"
                                + "PING\r\n"
                                + "GET nokey\r\n"
                                + "UNSUBSCRIBE c\r\n"
                                + "PING\r\n"
                                + "HELLO 2\r\n"
                                + "GET nokey\r\n"
                                + "HGETALL hh\r\n");
        assertTrue(answer.startsWith("%7\r\n$6\r\nserver\r\n"), answer);
        String behind = answer.substring(answer.indexOf("*0\r\n") + 4);
        assertTrue(
                behind.startsWith(
                        ":0\r\n_\r\n:1\r\n%1\r\n$1\r\na\r\n$1\r\n1\r\n*1\r\n_\r\n%0\r\n"
                                + ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n+PONG\r\n_\r\n"
                                + ">3\r\n$11\r\nunsubscribe\r\n$1\r\nc\r\n:0\r\n+PONG\r\n*14\r\n"),
                behind);
        assertTrue(behind.endsWith("$-1\r\n*2\r\n$1\r\na\r\n$1\r\n1\r\n"), behind);
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
