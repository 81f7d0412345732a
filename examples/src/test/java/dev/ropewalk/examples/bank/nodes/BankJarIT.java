package dev.ropewalk.examples.bank.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.util.regex.Pattern.DOTALL;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rule A8, by the runnable jar and the command of README.md. It runs behind the packaging, and a
 * jar that leaves out a part which only a process of its own needs is found here alone.
 */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class BankJarIT {
    private static final Pattern IN_POM =
            Pattern.compile("<id>bank</id>.*?<commandlineArgs>(.*?)</commandlineArgs>", DOTALL);

    private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");
    private static final Path FLAGS = Path.of(System.getProperty("ropewalk.args.file"));

    @TempDir private Path folder;

    @BeforeEach
    void needsProcesses() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/fd")), "no /proc");
    }

    @Test
    void A8_theJarExchangesItsNodesAndKeepsEachTransfer() throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        Process bank =
                new ProcessBuilder(command("--node --seconds=1 --scenario=exchange"))
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile())
                        .start();
        try {
            assertTrue(bank.waitFor(4, TimeUnit.MINUTES), () -> "it goes on: " + text(out));
            assertEquals(NodesMain.EXACT, bank.exitValue(), () -> text(out));
            assertTrue(text(out).contains("n3 leaves for version 2"), () -> text(out));
            assertTrue(
                    text(out).contains("as at first; no acknowledged transfer is gone\n"),
                    () -> text(out));
        } finally {
            bank.destroy();
        }
    }

    /** As {@code exec:exec@bank} makes it, by the pom. */
    private static List<String> command(String arguments) throws IOException {
        Path examples = Objects.requireNonNull(FLAGS.getParent()).resolve("examples");
        Matcher inPom = IN_POM.matcher(Files.readString(examples.resolve("pom.xml")));
        assertTrue(inPom.find(), IN_POM::pattern);
        String line =
                inPom.group(1)
                        .replace("${ropewalk.args.file}", FLAGS.toString())
                        .replace("${project.basedir}", examples.toString())
                        .replace("${bank.args}", arguments);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        WORD.matcher(line).results().forEach(each -> command.add(each.group().replace("\"", "")));
        return command;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
