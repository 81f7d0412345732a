package dev.ropewalk.fibers.internal.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testkit.OtherJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Design, section 4: a JVM without flags runs what needs none, says once what it is missing, and
 * names the one flag where a program asks for more.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class JvmFlagsTest {
    private static final String LIGHT = "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED";
    private static final String VIRTUAL = "--add-opens=java.base/java.lang=ALL-UNNAMED";
    private static final String PROPERTY = "-Dropewalk.stacks=";

    /** What the other JVM runs. */
    static final class FirstCord {
        private FirstCord() {}

        public static void main(String[] args) {
            if (Cord.currentOrNull() != null || Fiber.currentOrNull() != null) {
                throw new AssertionError("a plain thread is no cord");
            }
            CordOptions options = CordOptions.named("first");
            switch (args.length == 0 ? "" : args[0]) {
                case "virtual" -> options = options.withStacks(StackKind.VIRTUAL_THREAD);
                case "late" -> options = options.withLateUnmount(true);
                case "cpus" -> options = options.withCpus(Affinity.current().nextSetBit(0));
                default -> {}
            }
            StackKind kind = run(options);
            try (Cord started = Cord.start(options.withName("started"))) {
                Fiber<Integer> other = started.spin("other", () -> 2);
                if (run(options) != kind || started.stacks() != kind || other.await() != 2) {
                    throw new AssertionError(kind + " and then " + started.stacks());
                }
            }
            Logs.logger("test").warn("ran on {}", kind);
        }

        private static StackKind run(CordOptions options) {
            return Cord.run(
                    options,
                    () -> {
                        Fiber<Integer> waits =
                                Fiber.spin(
                                        () -> {
                                            Fiber.snooze();
                                            return 1;
                                        });
                        return waits.await() == 1 ? Cord.current().stacks() : null;
                    });
        }
    }

    private static OtherJvm.Ended start(List<String> flags, String... args)
            throws IOException, InterruptedException {
        return OtherJvm.run(flags, FirstCord.class, args);
    }

    private static List<String> flags(OtherJvm.Ended ended) {
        return Arrays.stream(ended.output().split("[\\s,;]+"))
                .filter(word -> word.startsWith("--"))
                .map(word -> word.endsWith(".") ? word.substring(0, word.length() - 1) : word)
                .toList();
    }

    private static void assertOneClearMessage(OtherJvm.Ended ended, String flag) {
        assertEquals(1, ended.exit(), ended.output());
        assertEquals(List.of(flag), flags(ended), ended.output());
        assertTrue(ended.output().contains("cord first "), ended.output());
        assertFalse(ended.output().contains("Caused by"), ended.output());
        assertFalse(ended.output().contains("ExceptionInInitializerError"), ended.output());
        // The rest says where the caller made its first cord.
        assertTrue(ended.output().contains("FirstCord.main"), ended.output());
        assertTrue(ended.output().lines().count() <= 10, ended.output());
    }

    /** Its one line, and no warning beside it. */
    private static void assertRan(String kind, OtherJvm.Ended ended) {
        assertEquals(0, ended.exit(), ended.output());
        assertEquals(1, ended.output().lines().count(), ended.output());
        assertTrue(ended.output().endsWith("ran on " + kind + "\n"), ended.output());
    }

    @Test
    void S4_withoutFlagsItRunsAndWarnsOnce() throws IOException, InterruptedException {
        OtherJvm.Ended ended = start(List.of());
        assertEquals(0, ended.exit(), ended.output());
        assertEquals(List.of(LIGHT), flags(ended), ended.output());
        List<String> lines = ended.output().lines().toList();
        assertEquals(2, lines.size(), ended.output());
        assertTrue(lines.getFirst().contains("WARN"), ended.output());
        assertTrue(lines.getLast().endsWith("ran on PORTABLE"), ended.output());
    }

    @Test
    void S4_theFlagOfTheWarningGivesLightStacks() throws IOException, InterruptedException {
        assertRan("LIGHT", start(flags(start(List.of()))));
    }

    @Test
    void S4_theArgumentFileGivesAll() throws IOException, InterruptedException {
        List<String> file = List.of("@" + System.getProperty("ropewalk.args.file"));
        assertRan("LIGHT", start(file, "late"));
        assertRan("VIRTUAL_THREAD", start(file, "virtual"));
    }

    @Test
    void S4_lightThatIsAskedForIsHadOrAnError() throws IOException, InterruptedException {
        assertOneClearMessage(start(List.of(PROPERTY + "light")), LIGHT);
        assertRan("LIGHT", start(List.of(PROPERTY + "light", LIGHT)));
    }

    @Test
    void S4_portableThatIsAskedForIsHadWithoutAWarning() throws IOException, InterruptedException {
        assertRan("PORTABLE", start(List.of(PROPERTY + "portable")));
        assertRan("PORTABLE", start(List.of(PROPERTY + "portable", LIGHT, VIRTUAL)));
    }

    @Test
    void misuse_anotherValueNamesTheTwo() throws IOException, InterruptedException {
        OtherJvm.Ended ended = start(List.of(PROPERTY + "Light"));
        assertEquals(1, ended.exit(), ended.output());
        assertTrue(
                ended.output().contains("ropewalk.stacks=Light is neither light nor portable"),
                ended.output());
    }

    @Test
    void S4_whatNeedsAFlagNamesThatOne() throws IOException, InterruptedException {
        assertOneClearMessage(start(List.of(), "virtual"), VIRTUAL);
        assertOneClearMessage(start(List.of(), "late"), LIGHT);
        assertRan("VIRTUAL_THREAD", start(List.of(VIRTUAL), "virtual"));
        assertRan("LIGHT", start(List.of(LIGHT), "late"));
    }

    @Test
    void misuse_portableAndWhatNeedsAnotherKindAreRefused()
            throws IOException, InterruptedException {
        for (String asked : List.of("virtual", "late")) {
            OtherJvm.Ended ended = start(List.of(PROPERTY + "portable", LIGHT, VIRTUAL), asked);
            assertEquals(1, ended.exit(), ended.output());
            assertTrue(ended.output().contains("cord first has "), ended.output());
            assertTrue(ended.output().contains("leave one of the two out"), ended.output());
        }
    }

    /** The JVM runs without the machinery of continuations, as on some processors. */
    @Test
    void S4_itRunsWhereVirtualThreadsAreThreadsOfTheSystem()
            throws IOException, InterruptedException {
        OtherJvm.Ended ended =
                start(
                        List.of(
                                "-XX:+UnlockExperimentalVMOptions",
                                "-XX:-VMContinuations",
                                PROPERTY + "portable"));
        assertRan("PORTABLE", ended);
    }

    /** Its flag is there, and of no use. */
    @Test
    void S4_withoutContinuationsTheFlagForThemIsNotAskedFor()
            throws IOException, InterruptedException {
        List<String> none = List.of("-XX:+UnlockExperimentalVMOptions", "-XX:-VMContinuations");
        List<String> flags = new ArrayList<>(none);
        flags.add(LIGHT);
        OtherJvm.Ended ended = start(flags);
        assertEquals(0, ended.exit(), ended.output());
        assertTrue(ended.output().contains("without -XX:-VMContinuations"), ended.output());
        assertTrue(ended.output().endsWith("ran on PORTABLE\n"), ended.output());
        flags.add(PROPERTY + "light");
        OtherJvm.Ended refused = start(flags);
        assertEquals(1, refused.exit(), refused.output());
        assertTrue(refused.output().contains("this JVM has no continuations"), refused.output());
    }

    // ---------------------------------------------------------------- on the module path

    private static final String MODULE = "dev.ropewalk.fibers";

    @TempDir private Path directory;

    /** Ropewalk's classes and the one to run in an automatic module, and the libraries. */
    private String modulePath() throws IOException {
        Path jar = directory.resolve("fibers.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Automatic-Module-Name", MODULE);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            Path classes = rootOf(Cord.class);
            try (Stream<Path> all = Files.walk(classes)) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                    Files.copy(file, out);
                }
            }
            String main = FirstCord.class.getName().replace('.', '/') + ".class";
            out.putNextEntry(new JarEntry(main));
            Files.copy(rootOf(FirstCord.class).resolve(main), out);
        }
        String[] all =
                System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator));
        return jar
                + File.pathSeparator
                + Arrays.stream(all)
                        .filter(each -> each.matches(".*(agrona|netty|slf4j|jspecify)[^/]*\\.jar"))
                        .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path rootOf(Class<?> type) {
        return Path.of(
                URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    @Test
    void S4_onTheModulePathTheModuleIsNamed() throws IOException, InterruptedException {
        String path = modulePath();
        OtherJvm.Ended ended = OtherJvm.runModule(path, List.of(), MODULE, FirstCord.class);
        String light = "--add-exports=java.base/jdk.internal.vm=dev.ropewalk.fibers";
        assertEquals(List.of(light), flags(ended), ended.output());
        assertTrue(ended.output().endsWith("ran on PORTABLE\n"), ended.output());
        assertRan("LIGHT", OtherJvm.runModule(path, List.of(light), MODULE, FirstCord.class));
    }

    /** Its flags are for the class path. */
    @Test
    void S4_onTheModulePathTheArgumentFileIsNotEnough() throws IOException, InterruptedException {
        List<String> flags =
                List.of("@" + System.getProperty("ropewalk.args.file"), PROPERTY + "light");
        OtherJvm.Ended ended = OtherJvm.runModule(modulePath(), flags, MODULE, FirstCord.class);
        assertEquals(1, ended.exit(), ended.output());
        assertTrue(
                ended.output().contains("does not reach module dev.ropewalk.fibers"),
                ended.output());
    }
}
