package dev.ropewalk.benchmarks.system.thread;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A web server of one page, on the sockets of the JDK with a virtual thread for each connection and
 * nothing above them: what the example http is measured beside. Takes a port and how many seconds
 * it is to live.
 */
public final class VirtualThreadPlaintext {
    private static final int BACKLOG = 4_096;
    private static final int BUFFER_BYTES = 8 * 1_024;
    private static final byte[] PAGE = answer("200 OK", "Hello, World!");
    private static final byte[] NO_PAGE = answer("404 Not Found", "there is /plaintext");

    private VirtualThreadPlaintext() {}

    /** Serves for so long. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int port = Integer.parseInt(arguments[0]);
        CountDownLatch isOver = new CountDownLatch(1);
        try (ServerSocket server =
                new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(
                    () -> {
                        accept(server);
                        isOver.countDown();
                    });
            if (isOver.await(Long.parseLong(arguments[1]), TimeUnit.SECONDS)) {
                throw new IOException("it accepts no more");
            }
        }
    }

    private static byte[] answer(String status, String text) {
        String all =
                "HTTP/1.1 "
                        + status
                        + "\r\ncontent-type: text/plain; charset=utf-8\r\nserver: jdk-----"
                        + "\r\ncontent-length: "
                        + text.length()
                        + "\r\n\r\n"
                        + text;
        return all.getBytes(ISO_8859_1);
    }

    private static void accept(ServerSocket server) {
        try {
            while (true) {
                Socket client = server.accept();
                Thread.startVirtualThread(() -> serve(client));
            }
        } catch (IOException closed) {
            // Its time is over.
        }
    }

    private static void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            new Connection(client).serve();
        } catch (IOException gone) {
            // The client has gone.
        }
    }

    /** The first line of a request, in words, and its headers: name, value, name, value. */
    private record Request(List<String> line, List<String> headers) {
        /** Null if it is not there. */
        @Nullable String header(String name) {
            for (int i = 0; i < headers.size(); i += 2) {
                if (headers.get(i).equalsIgnoreCase(name)) {
                    return headers.get(i + 1);
                }
            }
            return null;
        }

        boolean isLast() {
            return "close".equalsIgnoreCase(header("connection"));
        }

        int bodyBytes() throws IOException {
            String length = header("content-length");
            try {
                return length == null ? 0 : Integer.parseUnsignedInt(length);
            } catch (NumberFormatException e) {
                throw new IOException("content-length: " + length, e);
            }
        }
    }

    /** Answers are kept while there is another request in the buffer, and then sent together. */
    private static final class Connection {
        private final InputStream in;
        private final OutputStream out;
        private final byte[] input = new byte[BUFFER_BYTES];
        private final byte[] output = new byte[BUFFER_BYTES];
        private int from;
        private int to;
        private int written;

        Connection(Socket client) throws IOException {
            in = client.getInputStream();
            out = client.getOutputStream();
        }

        void serve() throws IOException {
            boolean isOpen = true;
            while (isOpen) {
                Request request = read();
                isOpen = request != null && !request.isLast();
                if (request != null) {
                    skip(request.bodyBytes());
                    answer(request.line().get(1).equals("/plaintext") ? PAGE : NO_PAGE);
                }
            }
            flush();
        }

        /** Null at the end. */
        private @Nullable Request read() throws IOException {
            String first = line();
            if (first == null) {
                return null;
            }
            List<String> words = words(first);
            List<String> headers = new ArrayList<>();
            for (String next = line(); next == null || !next.isEmpty(); next = line()) {
                int colon = next == null ? -1 : next.indexOf(':');
                if (next == null || colon < 0) {
                    throw new IOException("not a header: " + next);
                }
                headers.add(next.substring(0, colon));
                headers.add(next.substring(colon + 1).strip());
            }
            return new Request(words, headers);
        }

        private static List<String> words(String line) throws IOException {
            int first = line.indexOf(' ');
            int last = line.lastIndexOf(' ');
            if (first < 0 || first == last || !line.startsWith("HTTP/1.", last + 1)) {
                throw new IOException("not a request: " + line);
            }
            return List.of(
                    line.substring(0, first),
                    line.substring(first + 1, last),
                    line.substring(last + 1));
        }

        /** Without its end; null at the end of the input. */
        private @Nullable String line() throws IOException {
            int at = from;
            while (true) {
                for (; at < to; at++) {
                    if (input[at] == '\n') {
                        int length = at - from - (at > from && input[at - 1] == '\r' ? 1 : 0);
                        String line = new String(input, from, length, ISO_8859_1);
                        from = at + 1;
                        return line;
                    }
                }
                at -= from;
                if (!fill()) {
                    return null;
                }
                at += from;
            }
        }

        /** Reads more behind what is there, which comes to the front; false at the end. */
        private boolean fill() throws IOException {
            flush();
            System.arraycopy(input, from, input, 0, to - from);
            to -= from;
            from = 0;
            if (to == input.length) {
                throw new IOException("a line is longer than " + to);
            }
            int count = in.read(input, to, input.length - to);
            to += Math.max(count, 0);
            return count > 0;
        }

        private void skip(int bytes) throws IOException {
            int left = bytes;
            while (left > to - from) {
                left -= to - from;
                from = to;
                if (!fill()) {
                    throw new EOFException();
                }
            }
            from += left;
        }

        private void answer(byte[] bytes) throws IOException {
            if (written + bytes.length > output.length) {
                flush();
            }
            System.arraycopy(bytes, 0, output, written, bytes.length);
            written += bytes.length;
        }

        private void flush() throws IOException {
            if (written > 0) {
                out.write(output, 0, written);
                written = 0;
            }
        }
    }
}
