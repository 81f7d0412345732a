package dev.ropewalk.examples.kv;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A connection to a server, and its replies as they came: a character for each byte. */
final class Wire implements AutoCloseable {
    private static final int LIMIT_MS = 30_000;

    private final Socket socket;
    private final InputStream in;

    Wire(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(LIMIT_MS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** As a client of Redis sends it. */
    static byte[] encode(Words command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(Reply.bytes("*" + command.count() + "\r\n"));
        for (byte[] each : command.all()) {
            out.writeBytes(Reply.bytes("$" + each.length + "\r\n"));
            out.writeBytes(each);
            out.writeBytes(Reply.bytes("\r\n"));
        }
        return out.toByteArray();
    }

    void send(byte[] bytes, int from, int count) throws IOException {
        socket.getOutputStream().write(bytes, from, count);
    }

    void send(Words command) throws IOException {
        byte[] bytes = encode(command);
        send(bytes, 0, bytes.length);
    }

    /** The next one. */
    String reply() throws IOException {
        StringBuilder reply = new StringBuilder();
        copy(in, reply);
        return reply.toString();
    }

    /** All that comes until the other side ends the connection. */
    String rest() throws IOException {
        return new String(in.readAllBytes(), ISO_8859_1);
    }

    /** The replies within one of several. */
    static List<String> parts(String reply) {
        try {
            InputStream in = new ByteArrayInputStream(Reply.bytes(reply));
            StringBuilder head = new StringBuilder();
            int count = count(in, head);
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                StringBuilder part = new StringBuilder();
                copy(in, part);
                parts.add(part.toString());
            }
            return parts;
        } catch (IOException e) {
            throw new IllegalArgumentException(reply, e);
        }
    }

    private static void copy(InputStream in, StringBuilder to) throws IOException {
        int at = to.length();
        int count = count(in, to);
        switch (to.charAt(at)) {
            case '+', '-', ':' -> {}
            case '$' -> {
                for (int i = 0; count >= 0 && i < count + 2; i++) {
                    to.append(next(in));
                }
            }
            case '*' -> {
                for (int i = 0; i < count; i++) {
                    copy(in, to);
                }
            }
            default -> throw new IOException("no reply begins so: " + to.substring(at));
        }
    }

    /** Copies the first line, whose number it is, if it has one. */
    private static int count(InputStream in, StringBuilder to) throws IOException {
        int at = to.length();
        do {
            to.append(next(in));
        } while (to.charAt(to.length() - 1) != '\n');
        char kind = to.charAt(at);
        return kind == '$' || kind == '*'
                ? Integer.parseInt(to.substring(at + 1, to.length() - 2))
                : 0;
    }

    private static char next(InputStream in) throws IOException {
        int next = in.read();
        if (next < 0) {
            throw new EOFException("the server has ended the connection");
        }
        return (char) next;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
