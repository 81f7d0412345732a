package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Rule A6: a process whose system is stopped on TERM ends, whatever an actor does. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StopOnTermTest {
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

    private static final String BEGUN = "begun\n";

    /** A system with one actor, which does what the argument says. */
    public static void main(String[] arguments) {
        ActorSystem system = ActorSystem.start("app").stopOnTerm(Duration.ofMillis(100));
        system.spin("actor", Actor.handler(() -> StopOnTermTest::act)).tell(arguments[0]);
    }

    private static Behavior<String> act(String what) throws InterruptedException {
        OUT.print(BEGUN);
        OUT.flush();
        switch (what) {
            case "exit" -> System.exit(3);
            case "block" -> new CountDownLatch(1).await();
            default -> keepCord();
        }
        return Behavior.same();
    }

    private static void keepCord() {
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    private static Process start(String what) throws IOException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-Xmx64m",
                                "-XX:-UsePerfData",
                                "-cp",
                                System.getProperty("java.class.path"),
                                StopOnTermTest.class.getName(),
                                what)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        InputStream out = process.getInputStream();
        assertEquals(BEGUN, new String(out.readNBytes(BEGUN.length()), UTF_8));
        return process;
    }

    @ParameterizedTest
    @ValueSource(strings = {"loop", "block", "exit"})
    void A6_theProcessEnds(String what) throws IOException, InterruptedException {
        Process process = start(what);
        try {
            if (what.equals("exit")) {
                assertEquals(3, process.waitFor());
            } else {
                assertTrue(process.toHandle().destroy()); // TERM
                assertEquals(128 + 15, process.waitFor());
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
