package dev.ropewalk.examples.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.SendResult;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the output of a process on a thread of its own, because a read from a pipe heeds no
 * interrupt: it ends when the last process that writes to the pipe has closed it.
 */
final class LineReader implements Runnable {
    /** A longer line comes in pieces of so many bytes, so that memory is bounded. */
    static final int MAX_LINE = 8_192;

    private final InputStream from;
    private final SendPort<List<String>> to;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private List<String> batch = new ArrayList<>();
    private int reads;

    /** The number of the read that is under way; 0 if it waits for the taker, or is over. */
    private volatile int pendingRead;

    LineReader(InputStream from, SendPort<List<String>> to) {
        this.from = from;
        this.to = to;
    }

    /**
     * {@return the number of the read that is under way; 0 if none is} If it is the same after a
     * while, the process has written nothing in that time.
     */
    int pendingRead() {
        return pendingRead;
    }

    @Override
    public void run() {
        byte[] buffer = new byte[16_384];
        try {
            for (int n = read(buffer); n >= 0; n = read(buffer)) {
                split(buffer, n);
                if (!pass()) {
                    return;
                }
            }
            if (line.size() > 0) {
                endLine();
            }
            pass();
            to.close();
        } catch (IOException | RuntimeException broken) {
            to.close(broken);
        }
    }

    private int read(byte[] buffer) throws IOException {
        pendingRead = ++reads;
        try {
            return from.read(buffer);
        } finally {
            pendingRead = 0;
        }
    }

    private void split(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '\n') {
                endLine();
            } else {
                line.write(bytes[i]);
                if (line.size() == MAX_LINE) {
                    endLine();
                }
            }
        }
    }

    private void endLine() {
        String text = line.toString(UTF_8);
        batch.add(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
        line.reset();
    }

    /** False if nobody takes lines any more. */
    private boolean pass() {
        if (batch.isEmpty()) {
            return true;
        }
        List<String> full = batch;
        batch = new ArrayList<>();
        return to.sendResult(full) == SendResult.SENT;
    }
}
