package dev.ropewalk.examples.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;

/**
 * Where the result goes. Not a PrintStream, which keeps it to itself when it cannot write.
 *
 * @param charset in which people read it there
 */
public record Output(OutputStream stream, Charset charset) {
    /** The standard output. */
    public static Output standard() {
        return new Output(new FileOutputStream(FileDescriptor.out), System.out.charset());
    }

    /**
     * Prints.
     *
     * @throws IOException if not everything could be written
     */
    public void print(String text) throws IOException {
        write(text, charset);
    }

    /**
     * Prints in a charset that does not depend on the terminal.
     *
     * @throws IOException if not everything could be written
     */
    public void write(String text, Charset with) throws IOException {
        stream.write(text.getBytes(with));
        stream.flush();
    }
}
