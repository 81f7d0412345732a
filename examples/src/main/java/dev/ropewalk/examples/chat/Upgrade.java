package dev.ropewalk.examples.chat;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ropewalk.fibers.io.LineTooLongException;
import dev.ropewalk.fibers.io.TcpConnection;

import org.jspecify.annotations.Nullable;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** How a connection becomes a WebSocket (RFC 6455, section 4.2): lines first, then frames. */
final class Upgrade {
    private static final int MAX_HEADERS = 100;
    private static final int KEY_BYTES = 16;
    private static final String ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private Upgrade() {}

    /** Reads the request, and answers it; false if it is none of a WebSocket, which is told. */
    static boolean agree(TcpConnection client) {
        try {
            return answer(client);
        } catch (LineTooLongException e) {
            refuse(client, "431 Request Header Fields Too Large", "");
            return false;
        }
    }

    private static boolean answer(TcpConnection client) {
        String request = client.readLine();
        if (request == null) {
            return false;
        }
        Map<String, String> headers = headers(client);
        if (!request.matches("GET /\\S* HTTP/1\\.1") || headers == null) {
            refuse(client, "400 Bad Request", "");
            return false;
        }
        String key = headers.getOrDefault("sec-websocket-key", "");
        if (!hasToken(headers, "upgrade", "websocket")
                || !hasToken(headers, "connection", "upgrade")) {
            refuse(client, "426 Upgrade Required", "Upgrade: websocket\r\n");
            return false;
        }
        if (!headers.getOrDefault("sec-websocket-version", "").equals("13") || !isKey(key)) {
            refuse(client, "400 Bad Request", "Sec-WebSocket-Version: 13\r\n");
            return false;
        }
        client.write(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: "
                        + accept(key)
                        + "\r\n\r\n");
        return true;
    }

    /** By names in small letters; null if they are malformed, too many, or cut off. */
    private static @Nullable Map<String, String> headers(TcpConnection client) {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < MAX_HEADERS; i++) {
            String line = client.readLine();
            if (line == null) {
                return null;
            }
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon < 1) {
                return null;
            }
            String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
            headers.merge(name, line.substring(colon + 1).strip(), (a, b) -> a + ", " + b);
        }
        return null;
    }

    private static boolean hasToken(Map<String, String> headers, String name, String token) {
        for (String each : headers.getOrDefault(name, "").split(",", -1)) {
            if (each.strip().equalsIgnoreCase(token)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isKey(String text) {
        try {
            return Base64.getDecoder().decode(text).length == KEY_BYTES;
        } catch (IllegalArgumentException notBase64) {
            return false;
        }
    }

    private static void refuse(TcpConnection client, String status, String headers) {
        client.write(
                "HTTP/1.1 "
                        + status
                        + "\r\n"
                        + headers
                        + "Connection: close\r\nContent-Length: 0\r\n\r\n");
    }

    static String accept(String key) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-1")
                            .digest((key + ACCEPT_SUFFIX).getBytes(US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JDK has SHA-1", e);
        }
    }
}
