package dev.ropewalk.benchmarks.system.remote;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Stands between a node that dials and the other one, and passes the bytes on both ways. Once shut
 * it takes nothing more from the first one: that one hears a peer that reads nothing. The other one
 * gets a beat now and then, so that neither gives the other up.
 */
final class DeafDoor {
    private static final int BUFFER = 64 * 1024;
    private static final long BEAT_MILLIS = 500;

    /** A frame of one byte, its type. */
    private static final byte[] BEAT = {0, 0, 0, 1, 5};

    private final ServerSocket listener;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean isShut;

    DeafDoor() {
        try {
            listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /**
     * Opens it; once.
     *
     * @param target the port of the other node
     * @return the port that is to be dialled
     */
    int open(int target) {
        Daemon.start(() -> accept(target));
        return listener.getLocalPort();
    }

    /** From the next frame on. */
    void shut() {
        isShut = true;
    }

    /** Ends what it passes on. */
    void end() {
        ended.countDown();
        try {
            listener.close();
            for (Socket each : sockets) {
                each.close();
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private void accept(int target) throws IOException {
        while (true) {
            Socket from = listener.accept();
            Socket to = new Socket(listener.getInetAddress(), target);
            to.setTcpNoDelay(true);
            sockets.addAll(List.of(from, to));
            Daemon.start(() -> passFrames(from, to));
            Daemon.start(() -> passAll(to, from));
        }
    }

    private void passFrames(Socket from, Socket to) throws IOException {
        DataInputStream in = new DataInputStream(from.getInputStream());
        OutputStream out = to.getOutputStream();
        while (!isShut) {
            int length = in.readInt();
            byte[] frame = new byte[Integer.BYTES + length];
            frame[0] = (byte) (length >>> 24);
            frame[1] = (byte) (length >>> 16);
            frame[2] = (byte) (length >>> 8);
            frame[3] = (byte) length;
            in.readFully(frame, Integer.BYTES, length);
            out.write(frame);
        }
        while (true) {
            out.write(BEAT);
            try {
                if (ended.await(BEAT_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException interrupted) {
                return;
            }
        }
    }

    private static void passAll(Socket from, Socket to) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        byte[] bytes = new byte[BUFFER];
        for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
            out.write(bytes, 0, count);
        }
    }
}
