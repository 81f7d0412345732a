package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A simple name is that of one public type: a program that imports packages by {@code *}, ours and
 * those of the JDK that it uses beside them, compiles.
 */
@Timeout(60)
class PublicNamesTest {
    private static final List<String> MODULES =
            List.of(
                    "fibers",
                    "fibers/testing",
                    "fibers/io",
                    "channels",
                    "channels/http",
                    "actors",
                    "actors/testing",
                    "actors/observer",
                    "actors/micrometer",
                    "actors/top",
                    "actors/cluster",
                    "actors/cluster/jdbc",
                    "actors/cluster/ratis",
                    "actors/opentelemetry");

    private static final List<String> JDK_PACKAGES =
            List.of(
                    "java.lang",
                    "java.util",
                    "java.util.concurrent",
                    "java.util.concurrent.atomic",
                    "java.util.concurrent.locks",
                    "java.util.function",
                    "java.util.stream",
                    "java.time",
                    "java.io",
                    "java.net",
                    "java.nio.file");

    /** Which a program has to import by name, and why they are called so all the same. */
    private static final Map<String, String> EXCEPTIONS =
            Map.of(
                    "java.util.Observer",
                    "The word of Erlang for such a page; the JDK's is deprecated, and no method"
                            + " takes one for the other.",
                    "java.util.concurrent.Semaphore",
                    "The word of the whole field (Trio, Tokio, Kotlin, Go); who takes the JDK's by"
                            + " mistake blocks a cord, and the watchdog says so.",
                    "java.util.concurrent.locks.Condition",
                    "The same; and that package is rarely imported beside ours.");

    /** By simple name, the packages that have one of it. */
    private static Map<String, List<String>> publicTypes() throws IOException {
        String argsFile = System.getProperty("ropewalk.args.file");
        assertNotNull(
                argsFile,
                "ropewalk.args.file is not set: run with mvn, or pass -Dropewalk.args.file=<path>");
        Path root = Path.of(argsFile).toAbsolutePath().getParent();
        Map<String, List<String>> found = new TreeMap<>();
        for (String module : MODULES) {
            Path sources = root.resolve(module).resolve("src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    String path = sources.relativize(file).toString().replace('\\', '/');
                    String name = path.substring(path.lastIndexOf('/') + 1, path.length() - 5);
                    boolean isExported = !path.contains("/internal/");
                    if (isExported && isPublic(name, Files.readString(file))) {
                        String place = path.substring(0, path.lastIndexOf('/')).replace('/', '.');
                        found.computeIfAbsent(name, _ -> new ArrayList<>()).add(place);
                    }
                }
            }
        }
        assertTrue(found.size() > 200, () -> "only " + found.size() + " types were found");
        return found;
    }

    private static boolean isPublic(String name, String source) {
        return Pattern.compile(
                        "^public .*\\b(class|interface|record|enum) " + name + "\\b",
                        Pattern.MULTILINE)
                .matcher(source)
                .find();
    }

    @Test
    void noTwoTypesHaveOneName() throws IOException {
        Map<String, List<String>> found = publicTypes();
        found.values().removeIf(places -> places.size() == 1);

        assertEquals(Map.of(), found);
    }

    @Test
    void noTypeIsCalledLikeOneOfTheJdk() throws IOException {
        TreeSet<String> clashes = new TreeSet<>();
        for (String name : publicTypes().keySet()) {
            for (String place : JDK_PACKAGES) {
                if (isPublicInTheJdk(place + "." + name)) {
                    clashes.add(place + "." + name);
                }
            }
        }

        assertEquals(new TreeSet<>(EXCEPTIONS.keySet()), clashes, "give another name");
    }

    private static boolean isPublicInTheJdk(String name) {
        try {
            Class<?> type = Class.forName(name, false, null);
            return Modifier.isPublic(type.getModifiers());
        } catch (ClassNotFoundException none) {
            return false;
        }
    }
}
