package dev.ropewalk.fibers.blocking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.platform.Callables;
import dev.ropewalk.fibers.testkit.OtherJvm;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Rule F12: a program that awaits TERM ends in order when it comes. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SignalEndTest {
    private static final int LIMIT_S = 20;

    @TempDir private Path directory;

    /** A service that runs until the signal comes, and writes down what happens. */
    static final class Service {
        private Service() {}

        public static void main(String[] args) {
            Path log = Path.of(args[0]);
            StackKind stacks = StackKind.valueOf(args[1]);
            Cord.run(
                    CordOptions.named("main").withStacks(stacks),
                    Callables.of(() -> untilTerm(log)));
            write(log, "ended");
        }

        private static void untilTerm(Path log) {
            try (Signals signals = Signals.open("TERM", "INT")) {
                Fiber<?> service = Fiber.spin("service", () -> serve(log));
                Fiber.snooze();
                write(log, "ready");
                write(log, signals.await());
                service.terminate();
                service.awaitEnd(Duration.ofSeconds(LIMIT_S));
            }
        }

        private static void serve(Path log) {
            try {
                Fiber.suspend();
            } finally {
                write(log, "cleaned up");
            }
        }

        private static void write(Path log, String line) {
            try {
                Files.writeString(
                        log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new IllegalStateException("cannot write " + log, e);
            }
        }
    }

    private static List<String> lines(Path log) throws IOException {
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    @Test
    void F12_termEndsAProgramInOrderAndInTime() throws IOException, InterruptedException {
        String file = "@" + System.getProperty("ropewalk.args.file");
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            Path log = directory.resolve(stacks + ".log");
            Process service =
                    OtherJvm.start(List.of(file), Service.class, log.toString(), stacks.name());
            try {
                Runs.until(() -> lines(log).contains("ready") || !service.isAlive());
                service.toHandle().destroy(); // TERM; the process's own would close its output
                assertTrue(service.waitFor(LIMIT_S, TimeUnit.SECONDS), "it hangs: " + lines(log));
                String output =
                        new String(service.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertEquals(0, service.exitValue(), output);
                assertEquals(List.of("ready", "TERM", "cleaned up", "ended"), lines(log), output);
            } finally {
                service.destroyForcibly();
            }
        }
    }
}
