package dev.ropewalk.examples.wordcount;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Something to count.
 *
 * @param path its name in messages, and where it lies unless it is the standard input
 * @param size bytes it had when it was found; 0 of a stream
 */
record Source(Path path, Kind kind, long size) {
    enum Kind {
        FILE,
        /** A pipe or device. */
        STREAM,
        STDIN
    }

    /** How the command line names the standard input. */
    static final String STDIN_NAME = "-";

    static Source file(Path path, long size) {
        return new Source(path, Kind.FILE, size);
    }

    static Source stream(Path path) {
        return new Source(path, Kind.STREAM, 0);
    }

    static Source stdin() {
        return new Source(Path.of(STDIN_NAME), Kind.STDIN, 0);
    }

    boolean isFile() {
        return kind == Kind.FILE;
    }

    /** Opens a file at once; opening a stream is left to its first read, because it may wait. */
    ReadableByteChannel open() throws IOException {
        return switch (kind) {
            case FILE -> FileChannel.open(path, StandardOpenOption.READ);
            case STREAM -> new StreamChannel(path.toString(), () -> Files.newInputStream(path));
            case STDIN -> new StreamChannel(STDIN_NAME, Source::openStdin);
        };
    }

    /**
     * The standard input is not ours to close: if the program was started without one, that
     * descriptor belongs to a file of the JVM itself.
     */
    private static InputStream openStdin() {
        return new FilterInputStream(new FileInputStream(FileDescriptor.in)) {
            @Override
            public void close() {}
        };
    }
}
