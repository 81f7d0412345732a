package dev.ropewalk.benchmarks.system.remote;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process with the other end, of the same flags; it ends with this one. */
final class OtherProcess implements AutoCloseable {
    private static final int LIMIT_SECONDS = 30;

    private final Process process;
    private final String address;

    /** The other end, in the process that is started. */
    @FunctionalInterface
    interface End {
        /** Opens it, and says where it is. */
        String open() throws Exception;
    }

    /**
     * Starts it, and waits until its end is open.
     *
     * @param main the class that {@link #serve}s
     */
    OtherProcess(Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String said = process.inputReader(StandardCharsets.UTF_8).readLine();
            if (said == null) {
                throw new IllegalStateException(main + " has ended: " + process.waitFor());
            }
            address = said;
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** In the other process: opens the end, and goes on until the first process has ended. */
    @SuppressWarnings("SystemOut") // the first process reads it
    static void serve(End end) throws Exception {
        System.out.println(end.open());
        if (System.in.read() >= 0) {
            throw new IllegalStateException("nothing is sent that way");
        }
        System.exit(0);
    }

    /** Where its end is. */
    String address() {
        return address;
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the other process does not end: " + process);
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        } finally {
            process.destroyForcibly();
        }
    }
}
