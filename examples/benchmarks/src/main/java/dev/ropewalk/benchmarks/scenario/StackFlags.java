package dev.ropewalk.benchmarks.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Flags of the JVM that say what stacks are, and how many threads carry them. */
public final class StackFlags {
    /** Stacks of Ropewalk are threads of the JDK's scheduler. */
    public static final String PORTABLE = "-Dropewalk.stacks=portable";

    /** That scheduler has one thread, with {@link #MAX_ONE_CARRIER}. */
    public static final String ONE_CARRIER = "-Djdk.virtualThreadScheduler.parallelism=1";

    public static final String MAX_ONE_CARRIER = "-Djdk.virtualThreadScheduler.maxPoolSize=1";

    private StackFlags() {}

    /** The manifest's flags do not reach other JVMs; the argument file lies in the jar. */
    public static List<String> ofArgumentFile() throws IOException {
        try (InputStream in = StackFlags.class.getResourceAsStream("/ropewalk.args")) {
            if (in == null) {
                throw new IOException("ropewalk.args is not in the jar; build it with mvn package");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
