package dev.ropewalk.examples.kv;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The file system, as far as a log needs it; tests have one that fails. Its calls block. */
interface Disk {
    /** An open file, which nobody else can open. */
    interface Content extends AutoCloseable {
        long size() throws IOException;

        /** Reads some; -1 at the end. */
        int read(ByteBuffer to, long at) throws IOException;

        /** Writes all of it. If that fails, a part may be written. */
        void write(ByteBuffer from, long at) throws IOException;

        void truncate(long size) throws IOException;

        /** Makes what was written safe from a loss of power. */
        void force() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Opens a file, and makes it if there is none. */
    Content open(Path path) throws IOException;

    /** Makes an empty file, whatever was there. */
    Content create(Path path) throws IOException;

    /** Puts a file in the place of another one, at once or not at all. */
    void move(Path from, Path to) throws IOException;

    /** False if there was none. */
    boolean delete(Path path) throws IOException;

    /** Makes the name of a file safe from a loss of power. */
    void forceName(Path path) throws IOException;
}
