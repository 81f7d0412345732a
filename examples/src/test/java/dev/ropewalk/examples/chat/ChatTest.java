package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.ServerOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The whole server on real sockets: with the WebSocket of the JDK, and with clients that are none.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ChatTest {
    private static final int LIMIT_MS = 30_000;

    private static final String REQUEST =
            """
            GET / HTTP/1.1
            Host: x
            Upgrade: websocket
            Connection: keep-alive, Upgrade
            Sec-WebSocket-Version: 13
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==

            """
                    .replace("\n", "\r\n");

    /** A user by WebSocket. */
    private static final class Browser implements User, WebSocket.Listener {
        final WebSocket socket;
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        Browser(HttpClient http, ChatServer chat) {
            URI uri = URI.create("ws://127.0.0.1:" + chat.webSocketPort() + "/");
            socket = http.newWebSocketBuilder().buildAsync(uri, this).join();
            assertTrue(next().startsWith("* /join ROOM NAME"));
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                heard.add(text.toString());
                text.setLength(0);
            }
            return WebSocket.Listener.super.onText(from, part, isLast);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
            heard.add("pong " + message.remaining());
            return WebSocket.Listener.super.onPong(from, message);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
            heard.add("closed " + status + " " + reason);
            return WebSocket.Listener.super.onClose(from, status, reason);
        }

        @Override
        public void say(String line) {
            socket.sendText(line, true).join();
        }

        @Override
        public String next() {
            try {
                return String.valueOf(heard.poll(LIMIT_MS, TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A user by telnet. */
    private static final class Terminal implements User {
        final Socket socket;
        private final BufferedReader in;

        Terminal(ChatServer chat) throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), chat.port());
            socket.setSoTimeout(LIMIT_MS);
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
            assertTrue(next().startsWith("* /join ROOM NAME"));
        }

        @Override
        public void say(String line) {
            try {
                socket.getOutputStream().write((line + "\r\n").getBytes(UTF_8));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public String next() {
            try {
                return String.valueOf(in.readLine());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static ChatServer start(int cords) throws BadOption {
        return start(cords, ChatOptions.defaults());
    }

    private static ChatServer start(int cords, ChatOptions options) {
        return new ChatServer(new ServerOptions(0, cords, 100, false), 0, options);
    }

    // ---------------------------------------------------------------- users of both kinds

    /** Rooms and connections are spread over the cords. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void whatOneSaysAllInTheRoomHear(int cords) throws IOException {
        CountingEncoder encoder = new CountingEncoder();
        try (HttpClient http = HttpClient.newHttpClient()) {
            List<User> left = talk(http, cords, encoder);
            left.get(0).expect("* the server ends", "null");
            left.get(1).expect("closed 1001 the server ends");
        }
        encoder.checkDone();
    }

    /** Those that are there at the end. */
    private static List<User> talk(HttpClient http, int cords, CountingEncoder encoder)
            throws IOException {
        ChatOptions options = ChatOptions.defaults().withEncoder(encoder);
        try (ChatServer chat = start(cords, options)) {
            List<User> users = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                users.add(i % 2 == 0 ? new Terminal(chat) : new Browser(http, chat));
                users.getLast().join("hall", "user" + i);
            }
            for (int room = 0; room < 5; room++) {
                Terminal alone = new Terminal(chat);
                alone.join("room-" + room, "alone");
                alone.say("echo " + room);
                alone.expect("alone: echo " + room);
                alone.socket.close();
            }
            for (int i = 0; i < users.size(); i++) {
                String said = "größe " + "x".repeat(200 * i);
                users.get(i).say(said);
                for (User each : users) {
                    each.expect("user" + i + ": " + said);
                }
                assertEquals(1, encoder.count(Format.LINE, "user" + i + ": " + said));
                assertEquals(1, encoder.count(Format.FRAME, "user" + i + ": " + said));
            }
            Browser late = new Browser(http, chat);
            late.join("hall", "late");
            for (int i = 0; i < users.size(); i++) {
                late.expect("user" + i + ": größe " + "x".repeat(200 * i));
            }
            users.get(2).say("/quit");
            users.get(2).expect("* goodbye", "null");
            ((Terminal) users.get(4)).socket.close();
            ((Browser) users.get(3)).socket.abort();
            late.say("still here");
            users.get(0).expect("late: still here");
            users.get(1).expect("late: still here");
            return List.of(users.get(0), users.get(1));
        }
    }

    @Test
    void aWebSocketPingsAndCloses() throws BadOption {
        try (HttpClient http = HttpClient.newHttpClient();
                ChatServer chat = start(1)) {
            Browser ada = new Browser(http, chat);
            ada.join("hall", "ada");
            ada.socket.sendPing(ByteBuffer.allocate(3)).join();
            ada.expect("pong 3");
            ada.socket.sendText("in two ", false).join();
            ada.socket.sendText("parts", true).join();
            ada.expect("ada: in two parts");
            ada.socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").join();
            ada.expect("closed 1000 bye");
            Browser eve = new Browser(http, chat);
            eve.join("hall", "eve");
            eve.expect("ada: in two parts");
            eve.socket.sendBinary(ByteBuffer.allocate(3), true).join();
            eve.expect("closed 1003 only text is understood here");
        }
    }

    // ---------------------------------------------------------------- clients that are none

    /** All that comes until the end. */
    private static String answer(String request) throws IOException, BadOption {
        try (ChatServer chat = start(1);
                Socket socket =
                        new Socket(InetAddress.getLoopbackAddress(), chat.webSocketPort())) {
            socket.setSoTimeout(LIMIT_MS);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    @Test
    void whatIsNoUpgradeIsRefused() throws IOException, BadOption {
        assertTrue(answer("GET / HTTP/1.1\r\nHost: x\r\n\r\n").startsWith("HTTP/1.1 426 "));
        assertTrue(answer("POST / HTTP/1.1\r\n\r\n").startsWith("HTTP/1.1 400 "));
        assertTrue(answer("nonsense\r\n\r\n").startsWith("HTTP/1.1 400 "));
        assertTrue(answer("GET / HTTP/1.1\r\nno colon\r\n\r\n").startsWith("HTTP/1.1 400 "));
        assertTrue(answer("GET / HTTP/1.1\r\nHost: x").startsWith("HTTP/1.1 400 "));
        assertTrue(
                answer(REQUEST.replace("Version: 13", "Version: 8")).startsWith("HTTP/1.1 400 "));
        assertTrue(answer(REQUEST.replace("dGhl", "")).startsWith("HTTP/1.1 400 "));
        assertTrue(
                answer("GET / HTTP/1.1\r\n" + "a: b\r\n".repeat(101)).startsWith("HTTP/1.1 400 "));
        assertTrue(
                answer("GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n")
                        .startsWith("HTTP/1.1 431 "));
        assertEquals("", answer(""));
    }

    /** The key and the answer of the standard's own example. */
    @Test
    void theAnswerIsThatOfTheStandard() throws IOException, BadOption {
        assertTrue(
                answer(REQUEST)
                        .contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "8102 6869, 1002", // not masked
        "9182 61626364 6869, 1002", // a bit that nobody agreed on
        "8380 61626364, 1002", // no such frame
        "81ff 0000000000100000 61626364, 1009", // too long
        "8182 00000000 c328, 1007", // no UTF-8
        "8881 00000000 03, 1002", // half a code
        "8882 00000000 03e8, 1000" // the end, and its answer
    })
    void whatIsNoFrameIsToldSo(String frame, int status) throws IOException, BadOption {
        assertClosed(HexFormat.of().parseHex(frame.replace(" ", "")), status);
    }

    /** Its parts are short enough each. */
    @Test
    void aMessageInPartsThatIsTooLongIsToldSo() throws IOException, BadOption {
        byte[] first = HexFormat.of().parseHex("01fe040000000000");
        byte[] next = HexFormat.of().parseHex("00fe040000000000");
        ByteBuffer frames = ByteBuffer.allocate(3 * (8 + 1_024));
        for (byte[] each : List.of(first, next, next)) {
            frames.put(each).put("x".repeat(1_024).getBytes(ISO_8859_1));
        }
        assertClosed(frames.array(), 1009);
    }

    /**
     * Codes that may be sent are answered with the same, and others are an error (RFC 6455, 7.4).
     */
    @ParameterizedTest
    @CsvSource({
        "1000, 1000", "1001, 1001", "1003, 1003", "1007, 1007", "1011, 1011", "1014, 1014",
        "3000, 3000", "4999, 4999", "0, 1002", "999, 1002", "1004, 1002", "1005, 1002",
        "1006, 1002", "1015, 1002", "1016, 1002", "2999, 1002", "5000, 1002", "65535, 1002"
    })
    void codesThatMayNotBeSentAreAnError(int code, int answer) throws IOException, BadOption {
        byte[] head = HexFormat.of().parseHex("888200000000");
        assertClosed(ByteBuffer.allocate(8).put(head).putShort((short) code).array(), answer);
    }

    private static void assertClosed(byte[] frames, int status) throws IOException, BadOption {
        try (ChatServer chat = start(1);
                Socket socket =
                        new Socket(InetAddress.getLoopbackAddress(), chat.webSocketPort())) {
            socket.setSoTimeout(LIMIT_MS);
            socket.getOutputStream().write(REQUEST.getBytes(ISO_8859_1));
            socket.getOutputStream().write(frames);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            String agreement = "";
            while (!agreement.endsWith("\r\n\r\n")) {
                agreement += (char) in.readUnsignedByte();
            }
            assertEquals(0x81, in.readUnsignedByte()); // the greeting
            in.readNBytes(in.readUnsignedByte());
            assertEquals(0x88, in.readUnsignedByte());
            int length = in.readUnsignedByte();
            assertEquals(status, in.readUnsignedShort());
            in.readNBytes(length - 2);
            assertEquals(-1, in.read());
        }
    }

    // ---------------------------------------------------------------- the command line

    @Test
    void thePortsDiffer() {
        BadOption bad =
                assertThrows(
                        BadOption.class,
                        () -> new Main().start(new ServerOptions(7_009, 1, 100, false)));
        assertEquals("--port 7009 and --ws-port 7009 are one port; give two", bad.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "--ws-port 65536, 2, --ws-port 65536",
        "--ws-port, 2, --ws-port",
        "--history 1001, 2, --history 1001",
        "--history many, 2, --history many",
        "--cords 0, 2, --cords 0",
        "--port 7009, 2, are one port; give two",
        "--rooms 3, 2, --rooms is unknown; see --help",
        "hall, 2, hall is no option; see --help"
    })
    void wrongOptionsAreTold(String line, int status, String part) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int actual =
                new Main()
                        .run(
                                List.of(line.split(" ")),
                                new Output(out, UTF_8),
                                new PrintStream(err, true, UTF_8));
        assertEquals(status, actual);
        assertTrue(err.toString(UTF_8).startsWith("chat: "), err.toString(UTF_8));
        assertTrue(err.toString(UTF_8).contains(part), err.toString(UTF_8));
        assertEquals("", out.toString(UTF_8));
    }

    /** Both ports belong to one program: if one cannot be had, it does not start. */
    @Test
    void aPortThatIsInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            int status =
                    new Main()
                            .run(
                                    List.of("--port", "0", "--ws-port", "" + taken.getLocalPort()),
                                    new Output(new ByteArrayOutputStream(), UTF_8),
                                    new PrintStream(err, true, UTF_8));
            assertEquals(1, status);
            assertTrue(err.toString(UTF_8).contains("cannot listen on"), err.toString(UTF_8));
        }
    }
}
