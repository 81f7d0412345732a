package dev.ropewalk.fibers.internal.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
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
 * Design, section 4: a JVM started without the flags says at its first cord what to add, and
 * nothing else.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class JvmFlagsTest {
    /** What the other JVM runs. */
    static final class FirstCord {
        private FirstCord() {}

        public static void main(String[] args) {
            if (args.length == 0) {
                Cord.run(() -> {});
            } else {
                Cord.start("first").close();
            }
        }
    }

    private static OtherJvm.Ended start(List<String> flags, String... args)
            throws IOException, InterruptedException {
        return OtherJvm.run(flags, FirstCord.class, args);
    }

    private static List<String> flags(OtherJvm.Ended ended) {
        return Arrays.stream(ended.output().split("\\s+"))
                .filter(word -> word.startsWith("--"))
                .map(word -> word.endsWith(".") ? word.substring(0, word.length() - 1) : word)
                .toList();
    }

    private static void assertOneClearMessage(OtherJvm.Ended ended) {
        assertEquals(1, ended.exit(), ended.output());
        String first = ended.output().lines().findFirst().orElse("");
        assertTrue(first.contains("Ropewalk cannot start a cord"), ended.output());
        assertTrue(first.contains("@ropewalk.args"), ended.output());
        assertFalse(ended.output().contains("Caused by"), ended.output());
        assertFalse(ended.output().contains("ExceptionInInitializerError"), ended.output());
        // The rest says where the caller made its first cord.
        assertTrue(ended.output().contains("FirstCord.main"), ended.output());
        assertTrue(ended.output().lines().count() <= 8, ended.output());
    }

    @Test
    void S4_withoutFlagsTheFirstCordSaysWhatToAdd() throws IOException, InterruptedException {
        OtherJvm.Ended run = start(List.of());
        assertOneClearMessage(run);
        OtherJvm.Ended started = start(List.of(), "start");
        assertOneClearMessage(started);
        assertEquals(4, flags(run).size(), run.output());
    }

    @Test
    void S4_doingWhatTheMessageSaysHelps() throws IOException, InterruptedException {
        List<String> flags = flags(start(List.of()));
        OtherJvm.Ended fixed = start(flags);
        assertEquals(0, fixed.exit(), fixed.output());
        assertEquals("", fixed.output());
    }

    @Test
    void S4_onlyWhatIsMissingIsNamed() throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(flags(start(List.of())));
        String missing = flags.removeFirst();
        OtherJvm.Ended ended = start(flags);
        assertOneClearMessage(ended);
        assertEquals(List.of(missing), flags(ended), ended.output());
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
    void S4_onTheModulePathTheModulesThatNeedTheFlagsAreNamed()
            throws IOException, InterruptedException {
        String path = modulePath();
        OtherJvm.Ended ended = OtherJvm.runModule(path, List.of(), MODULE, FirstCord.class);
        assertEquals(
                List.of(
                        "--add-exports=java.base/jdk.internal.vm=dev.ropewalk.fibers",
                        "--add-opens=java.base/java.lang=dev.ropewalk.fibers",
                        "--add-opens=java.base/jdk.internal.misc=dev.ropewalk.fibers,org.agrona",
                        "--enable-native-access=dev.ropewalk.fibers,io.netty.common"),
                flags(ended),
                ended.output());
        assertTrue(
                ended.output().contains("do not reach module dev.ropewalk.fibers."),
                ended.output());
        OtherJvm.Ended fixed = OtherJvm.runModule(path, flags(ended), MODULE, FirstCord.class);
        assertEquals(new OtherJvm.Ended(0, ""), fixed);
    }

    /** Its flags are for the class path. */
    @Test
    void S4_onTheModulePathTheArgumentFileIsNotEnough() throws IOException, InterruptedException {
        List<String> file = List.of("@" + System.getProperty("ropewalk.args.file"));
        OtherJvm.Ended ended = OtherJvm.runModule(modulePath(), file, MODULE, FirstCord.class);
        assertEquals(4, flags(ended).size(), ended.output());
    }
}
