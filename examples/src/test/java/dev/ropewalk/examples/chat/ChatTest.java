package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The room against the WebSocket of the JDK, and against clients that are none. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ChatTest {
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

    /** What a client heard. */
    private static final class Ears implements WebSocket.Listener {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                heard.add(text.toString());
                text.setLength(0);
            }
            return WebSocket.Listener.super.onText(socket, part, isLast);
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            heard.add("pong " + message.remaining());
            return WebSocket.Listener.super.onPong(socket, message);
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            heard.add("closed " + status);
            return WebSocket.Listener.super.onClose(socket, status, reason);
        }

        String next() throws InterruptedException {
            return String.valueOf(heard.poll(30, TimeUnit.SECONDS));
        }
    }

    private static ServerProgram.Server start(int cords) throws IOException {
        return new Main().start(new ServerOptions(0, cords, 100, false));
    }

    private static WebSocket connect(HttpClient http, ServerProgram.Server chat, Ears ears) {
        return http.newWebSocketBuilder()
                .buildAsync(URI.create("ws://127.0.0.1:" + chat.port() + "/"), ears)
                .join();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatOneSaysAllHear(int cords) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            Ears last = talk(http, cords);
            assertEquals("closed 1001", last.next());
        }
    }

    /** One that is still there at the end. */
    private static Ears talk(HttpClient http, int cords) throws IOException, InterruptedException {
        List<Ears> all = new ArrayList<>();
        try (ServerProgram.Server chat = start(cords)) {
            List<WebSocket> sockets = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(new Ears());
                sockets.add(connect(http, chat, all.getLast()));
                // It is in the room when it is answered.
                sockets.getLast().sendPing(ByteBuffer.allocate(i)).join();
                assertEquals("pong " + i, all.getLast().next());
            }
            String large = "größe".repeat(5_000);
            for (String said : List.of("hello", "", large)) {
                sockets.get(1).sendText(said, true).join();
                for (Ears each : all) {
                    assertEquals(said, each.next());
                }
            }
            sockets.get(2).sendText("in two ", false).join();
            sockets.get(2).sendText("parts", true).join();
            for (Ears each : all) {
                assertEquals("in two parts", each.next());
            }
            sockets.get(0).abort();
            sockets.get(1).sendClose(WebSocket.NORMAL_CLOSURE, "bye").join();
            assertEquals("closed 1000", all.get(1).next());
            sockets.get(2).sendText("still here", true).join();
            assertEquals("still here", all.get(4).next());
            sockets.get(3).sendBinary(ByteBuffer.allocate(3), true).join();
            assertEquals("still here", all.get(3).next());
            assertEquals("closed 1003", all.get(3).next());
        }
        return all.get(4);
    }

    // ---------------------------------------------------------------- clients that are none

    /** All that comes until the end. */
    private static String answer(String request) throws IOException {
        try (ServerProgram.Server chat = start(1);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), chat.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        }
    }

    @Test
    void whatIsNoUpgradeIsRefused() throws IOException {
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
    void theAnswerIsThatOfTheStandard() throws IOException {
        assertTrue(
                answer(REQUEST)
                        .contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0081\u0002hi", // not masked
                "\u0091\u0082abcdhi", // a bit that nobody agreed on
                "\u0083\u0080abcd", // no such frame
                "\u0081\u00ff\u0000\u0000\u0000\u0000\u0010\u0000\u0000\u0000abcd" // too long
            })
    void whatIsNoFrameIsToldSo(String frame) throws IOException {
        try (ServerProgram.Server chat = start(1);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), chat.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write((REQUEST + frame).getBytes(ISO_8859_1));
            DataInputStream in = new DataInputStream(socket.getInputStream());
            String agreement = "";
            while (!agreement.endsWith("\r\n\r\n")) {
                agreement += (char) in.readUnsignedByte();
            }
            assertEquals(0x88, in.readUnsignedByte());
            int length = in.readUnsignedByte();
            assertEquals(1002, in.readUnsignedShort());
            in.readNBytes(length - 2);
            assertEquals(-1, in.read());
        }
    }
}
