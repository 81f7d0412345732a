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
    private volatile boolean isReading = true;

    LineReader(InputStream from, SendPort<List<String>> to) {
        this.from = from;
        this.to = to;
    }

    /** Whether it waits for the process, and not for the taker of the lines. */
    boolean isReading() {
        return isReading;
    }

    @Override
    public void run() {
        byte[] buffer = new byte[16_384];
        try {
            for (int n; (n = from.read(buffer)) >= 0; ) {
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
        } finally {
            isReading = false;
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
        isReading = false;
        try {
            return to.sendResult(full) == SendResult.SENT;
        } finally {
            isReading = true;
        }
    }
}
