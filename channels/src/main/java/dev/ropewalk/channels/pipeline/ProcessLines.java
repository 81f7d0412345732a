package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;

/** The lines that a process writes; a process that fails fails the source. */
final class ProcessLines implements Feeds.Batches {
    private final Process process;
    private final Lines lines;
    private final String command;

    private ProcessLines(Process process, String command) {
        this.process = process;
        this.command = command;
        this.lines = new Lines(process.getInputStream(), "the output of " + command, null);
    }

    static ProcessLines start(ProcessBuilder builder) throws IOException {
        return new ProcessLines(builder.start(), String.join(" ", builder.command()));
    }

    @Override
    public @Nullable List<?> read() throws IOException, InterruptedException {
        List<?> batch = lines.read();
        if (batch == null) {
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException(command + " exited with code " + code);
            }
        }
        return batch;
    }

    @Override
    public void close() throws IOException {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        lines.close();
    }
}
