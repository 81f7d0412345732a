package dev.ropewalk.fibers.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testkit.OtherJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.ILoggerFactory;
import org.slf4j.helpers.NOP_FallbackServiceProvider;
import org.slf4j.spi.SLF4JServiceProvider;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Rule A6: what fails is told on stderr when nobody listens, and where SLF4J says otherwise. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LogPlacesTest {
    private static final String HINT = "Ropewalk: SLF4J has no provider";

    /** Where SLF4J looks for its providers. */
    private static final String REGISTERED = "META-INF/services/";

    /** What the other JVM runs: two fibers whose failures nobody takes. */
    static final class Dying {
        private Dying() {}

        /** Begins with stderr as it is; with a file, the second failure is told to that. */
        public static void main(String[] args) throws IOException {
            fail("first");
            if (args.length > 0) {
                OutputStream file = Files.newOutputStream(Path.of(args[0]));
                System.setErr(new PrintStream(file, true, StandardCharsets.UTF_8));
            }
            fail("second");
        }

        /** All is told when the cord has ended. */
        private static void fail(String name) {
            try (Cord cord = Cord.start("service")) {
                Fiber<?> fiber =
                        cord.spin(
                                name,
                                () -> {
                                    throw new IllegalStateException("planted-" + name);
                                });
                fiber.awaitEnd(Waits.FOREVER);
            }
        }
    }

    /** As slf4j-nop does: a provider whose loggers say nothing. */
    public static final class Silent extends NOP_FallbackServiceProvider {}

    /** Its loggers cannot be used. */
    public static final class Broken extends NOP_FallbackServiceProvider {
        @Override
        public ILoggerFactory getLoggerFactory() {
            return BrokenLogger::new;
        }
    }

    /** A full disk, or an appender with a defect. */
    private static final class BrokenLogger extends org.slf4j.helpers.LegacyAbstractLogger {
        private static final long serialVersionUID = 1;

        BrokenLogger(String name) {
            this.name = name;
        }

        @Override
        protected String getFullyQualifiedCallerName() {
            return BrokenLogger.class.getName();
        }

        @Override
        protected void handleNormalizedLoggingCall(
                org.slf4j.event.Level level,
                org.slf4j.Marker marker,
                String pattern,
                Object[] arguments,
                Throwable failure) {
            throw new IllegalStateException("no space left");
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return true;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }
    }

    @TempDir private Path directory;

    private static List<String> withoutProvider() {
        String[] all =
                System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator));
        return new ArrayList<>(
                Arrays.stream(all).filter(each -> !each.contains("slf4j-simple")).toList());
    }

    private static String run(List<String> classPath, List<String> flags, String... args)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(flags);
        all.add("@" + System.getProperty("ropewalk.args.file"));
        OtherJvm.Ended ended =
                OtherJvm.run(String.join(File.pathSeparator, classPath), all, Dying.class, args);
        assertEquals(0, ended.exit(), ended.output());
        return ended.output();
    }

    private List<String> registered(String provider) throws IOException {
        Path entry = directory.resolve(REGISTERED + SLF4JServiceProvider.class.getName());
        Files.createDirectories(entry.getParent());
        Files.writeString(entry, provider);
        List<String> classPath = withoutProvider();
        classPath.add(directory.toString());
        return classPath;
    }

    private static long count(String output, String part) {
        return output.lines().filter(line -> line.contains(part)).count();
    }

    @Test
    void A6_withoutAProviderFailuresAreToldOnStderrAfterOneHint()
            throws IOException, InterruptedException {
        String output = run(withoutProvider(), List.of());
        List<String> told = output.lines().filter(line -> !line.startsWith("SLF4J(")).toList();
        assertTrue(told.getFirst().startsWith(HINT), output);
        assertTrue(told.getFirst().contains("org.slf4j:slf4j-simple"), output);
        assertTrue(told.getFirst().contains("org.slf4j:slf4j-nop"), output);
        assertEquals(1, count(output, HINT), output);
        assertTrue(
                told.get(1)
                        .matches(
                                "\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z ERROR \\[service\\]"
                                        + " dev\\.ropewalk\\.fibers: uncaught in fiber first on"
                                        + " cord service < root"),
                output);
        assertTrue(told.get(2).contains("FiberFailedException"), output);
        assertEquals(1, count(output, "Caused by: java.lang.IllegalStateException: planted-first"));
        assertEquals(1, count(output, "uncaught in fiber second"), output);
        assertTrue(output.contains("\tat "), output);
    }

    @Test
    void A6_stderrIsWhatItIsWhenTheLineIsTold() throws IOException, InterruptedException {
        Path file = directory.resolve("stderr");
        String output = run(withoutProvider(), List.of(), file.toString());
        assertTrue(output.contains("planted-first"), output);
        assertFalse(output.contains("planted-second"), output);
        String later = Files.readString(file);
        assertTrue(later.contains("planted-second"), later);
        assertFalse(later.contains(HINT), later);
    }

    @Test
    void A6_aProviderIsToldAndStderrIsNot() throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(withoutProvider());
        all.add(simple());
        String output = run(all, List.of());
        assertFalse(output.contains(HINT), output);
        assertTrue(output.contains("[service] ERROR dev.ropewalk.fibers - uncaught in"), output);
        assertEquals(1, count(output, "uncaught in fiber first"), output);
    }

    private static String simple() {
        String[] all =
                System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator));
        return Arrays.stream(all)
                .filter(each -> each.contains("slf4j-simple"))
                .findAny()
                .orElseThrow();
    }

    @Test
    void A6_aProviderThatIsSilentStaysSilent() throws IOException, InterruptedException {
        assertEquals("", run(registered(Silent.class.getName()), List.of()));
        String named = "-Dslf4j.provider=" + Silent.class.getName();
        String output = run(withoutProvider(), List.of(named));
        assertFalse(output.contains("planted"), output);
        assertFalse(output.contains(HINT), output);
    }

    @Test
    void A6_aProviderThatIsNotThereIsNone() throws IOException, InterruptedException {
        String named = run(withoutProvider(), List.of("-Dslf4j.provider=com.example.Nowhere"));
        assertTrue(named.contains(HINT), named);
        assertTrue(named.contains("planted-first"), named);
        String registered = run(registered("com.example.Nowhere"), List.of());
        assertTrue(registered.contains(HINT), registered);
        assertTrue(registered.contains("planted-first"), registered);
    }

    @Test
    void A6_aProviderThatFailsLosesNoLine() throws IOException, InterruptedException {
        String output = run(registered(Broken.class.getName()), List.of());
        assertFalse(output.contains(HINT), output);
        assertEquals(
                2,
                count(
                        output,
                        "the logger of SLF4J's provider failed with"
                                + " java.lang.IllegalStateException: no space left for:"),
                output);
        assertTrue(output.contains("uncaught in fiber first on cord service < root"), output);
        assertTrue(output.contains("planted-second"), output);
    }
}
