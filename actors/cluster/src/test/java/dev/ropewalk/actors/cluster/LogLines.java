package dev.ropewalk.actors.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** The lines that are logged meanwhile, of INFO too, which the tap of a thread does not show. */
public final class LogLines implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    public LogLines() {
        System.setErr(new PrintStream(bytes, true, UTF_8)); // slf4j-simple asks for it each time
    }

    public List<String> with(String text) {
        return bytes.toString(UTF_8).lines().filter(each -> each.contains(text)).toList();
    }

    @Override
    public String toString() {
        return bytes.toString(UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
        before.print(bytes.toString(UTF_8));
    }
}
