package dev.ropewalk.actors.top;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/** Answers one client with what it is given, and keeps it until it is closed. */
final class FakeObserver implements AutoCloseable {
    private final ServerSocket server;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private FakeObserver(String answer, boolean isKept) throws IOException {
        this.server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        this.thread = Thread.ofPlatform().daemon().start(() -> serve(answer, isKept));
    }

    /** The client waits for more. */
    static FakeObserver thatGoesOn(String answer) throws IOException {
        return new FakeObserver(answer, true);
    }

    /** The client sees the end. */
    static FakeObserver thatEnds(String answer) throws IOException {
        return new FakeObserver(answer, false);
    }

    static String stream(String... events) {
        StringBuilder all =
                new StringBuilder("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
                        .append("Connection: close\r\n\r\n");
        for (String each : events) {
            all.append("data: ").append(each).append("\n\n");
        }
        return all.toString();
    }

    String address() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/#token";
    }

    private void serve(String answer, boolean isKept) {
        try (Socket client = server.accept()) {
            InputStream in = client.getInputStream();
            int newlines = 0;
            while (newlines < 2) {
                int each = in.read();
                newlines = each == '\n' ? newlines + 1 : each == '\r' ? newlines : 0;
            }
            OutputStream out = client.getOutputStream();
            out.write(answer.getBytes(UTF_8));
            out.flush();
            if (isKept) {
                closed.await();
            }
        } catch (IOException gone) {
            // The client has left, or the test has ended.
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        server.close();
        thread.interrupt();
    }
}
