package dev.ropewalk.channels.pipeline;

import dev.ropewalk.fibers.blocking.Processes;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.SynchronousQueue;
import java.util.function.LongConsumer;

/**
 * The lines that a process writes; a process that fails fails the source.
 *
 * <p>It has two threads, one for each of its outputs. No interrupt ends a read from a pipe, only
 * the end of the process does: so {@link #read} waits for a thread that reads, and can be left at
 * once. They are no virtual threads, because one that waits in such a read keeps its carrier.
 */
final class ProcessLines implements Feeds.Batches {
    private static final Log LOG = Logs.logger(ProcessLines.class);

    /** How long the process may take to end after TERM, before KILL. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(2);

    /** How long the outputs may take to be read when it has ended. */
    private static final Duration READ_LIMIT = Duration.ofSeconds(1);

    private final Process process;
    private final String command;
    private final Lines lines;

    /** Hands over each batch, or the failure, when it is asked for. */
    private final SynchronousQueue<Callable<@Nullable List<String>>> batches =
            new SynchronousQueue<>();

    private final Tail errors = new Tail();
    private final Thread reader;
    private final Thread errorReader;

    private ProcessLines(Process process, String command, @Nullable LongConsumer malformed) {
        this.process = process;
        this.command = command;
        this.lines = Lines.ofProcess(process.getInputStream(), command, malformed);
        this.reader = start("stdout", this::readLines);
        this.errorReader = start("stderr", this::readErrors);
    }

    private Thread start(String output, Runnable body) {
        return Thread.ofPlatform()
                .daemon()
                .name(output + " of process " + process.pid())
                .start(body);
    }

    static ProcessLines start(ProcessBuilder builder, @Nullable LongConsumer malformed)
            throws IOException {
        checkOutput(builder);
        Process process = builder.start();
        process.getOutputStream().close();
        return new ProcessLines(process, String.join(" ", builder.command()), malformed);
    }

    /** Of a redirected output nothing would come here. */
    static void checkOutput(ProcessBuilder builder) {
        if (!builder.redirectOutput().equals(Redirect.PIPE)) {
            throw new IllegalArgumentException(
                    "the output of "
                            + String.join(" ", builder.command())
                            + " is redirected to "
                            + builder.redirectOutput()
                            + ", so a pipeline would get none of it; leave redirectOutput at"
                            + " Redirect.PIPE, or read the file by Pipeline.lines");
        }
    }

    // ---------------------------------------------------------------- on its threads

    private void readLines() {
        try {
            boolean isOpen = true;
            while (isOpen) {
                Callable<@Nullable List<String>> outcome;
                try {
                    List<String> batch = lines.read();
                    isOpen = batch != null;
                    outcome = () -> batch;
                } catch (Throwable broken) {
                    isOpen = false;
                    outcome = () -> rethrow(broken);
                }
                batches.put(outcome);
            }
        } catch (InterruptedException closed) {
            // The lines that it has read are not taken.
        }
    }

    private static @Nullable List<String> rethrow(Throwable broken) throws Exception {
        if (broken instanceof Error error) {
            throw error;
        }
        throw (Exception) broken;
    }

    private void readErrors() {
        byte[] buffer = new byte[Tail.MAX_BYTES];
        try (InputStream in = process.getErrorStream()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                errors.add(buffer, n);
            }
        } catch (IOException closed) {
            // The text of a failure is shorter then.
        }
    }

    // ---------------------------------------------------------------- for the source

    @Override
    public @Nullable List<?> read() throws Exception {
        List<String> batch = batches.take().call();
        if (batch == null) {
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException(command + " exited with code " + code + errorText());
            }
        }
        return batch;
    }

    private String errorText() throws InterruptedException {
        errorReader.join(READ_LIMIT); // something that it started may still hold it open
        String text = errors.text();
        return text.isEmpty() ? "" : "; its standard error ends with: " + text;
    }

    /** Ends the process, with all below it, if it has not exited. */
    @Override
    public void close() throws IOException {
        reader.interrupt();
        Processes.end(process, STOP_LIMIT);
        try {
            reader.join(READ_LIMIT);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        if (reader.isAlive()) {
            LOG.warn(
                    "process {} ({}) was ended, but something it started still holds its output"
                            + " open; a thread is left behind",
                    process.pid(),
                    command);
            return;
        }
        lines.close();
    }
}
