package dev.ropewalk.fibers.blocking;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** The output of a process and how it ended; see {@link Processes#output}. */
public final class ProcessOutput {
    private final int exitCode;
    private final KeptBytes out;
    private final KeptBytes err;

    ProcessOutput(int exitCode, KeptBytes out, KeptBytes err) {
        this.exitCode = exitCode;
        this.out = out;
        this.err = err;
    }

    /** {@return the exit code; by convention 0 is success, and 128 + n a death by signal n} */
    public int exitCode() {
        return exitCode;
    }

    /** {@return what the process wrote to its standard output, up to the bound, read as UTF-8} */
    public String out() {
        return out(StandardCharsets.UTF_8);
    }

    /**
     * {@return what the process wrote to its standard output, up to the bound}
     *
     * @param charset how to read it
     */
    public String out(Charset charset) {
        return new String(out.bytes(), charset);
    }

    /** {@return what the process wrote to its standard error, up to the bound, read as UTF-8} */
    public String err() {
        return err(StandardCharsets.UTF_8);
    }

    /**
     * {@return what the process wrote to its standard error, up to the bound}
     *
     * @param charset how to read it
     */
    public String err(Charset charset) {
        return new String(err.bytes(), charset);
    }

    /** {@return a copy of the bytes kept of the standard output} */
    public byte[] outBytes() {
        return out.bytes();
    }

    /** {@return a copy of the bytes kept of the standard error} */
    public byte[] errBytes() {
        return err.bytes();
    }

    /** {@return whether the process wrote more to its standard output than was kept} */
    public boolean isOutTruncated() {
        return out.isTruncated();
    }

    /** {@return whether the process wrote more to its standard error than was kept} */
    public boolean isErrTruncated() {
        return err.isTruncated();
    }

    @Override
    public String toString() {
        return "exit code " + exitCode + ", stdout: " + out + ", stderr: " + err;
    }
}
