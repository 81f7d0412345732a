package dev.ropewalk.examples.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The examples of the guide are regions of tests: after {@code <!-- example: Test#region -->}
 * stands what the test has between {@code @start region="region"} and {@code @end}.
 */
@Timeout(60)
class GuideTest {
    private static final Path GUIDE = Path.of("../docs/guide");
    private static final Pattern EXAMPLE =
            Pattern.compile("<!-- example: (\\S+)#(\\S+) -->\n```java\n(.*?)```", Pattern.DOTALL);

    private static final Pattern TEST = Pattern.compile("\\b([A-Z]\\w*Test)\\.(\\w+)\\b");

    static List<Path> chapters() throws IOException {
        try (Stream<Path> files = Files.list(GUIDE)) {
            return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("chapters")
    void examplesStandInTheTests(Path chapter) throws IOException {
        String text = Files.readString(chapter);
        Matcher example = EXAMPLE.matcher(text);
        while (example.find()) {
            String here = region(example.group(1), example.group(2));
            assertEquals(here, example.group(3), chapter + ", " + example.group(2));
        }
        assertFalse(
                example.replaceAll("").contains("<!-- example:"),
                () -> "an example of " + chapter + " is not followed by a block of Java");
    }

    /** A test that is named as a proof is there. */
    @ParameterizedTest
    @MethodSource("chapters")
    void testsThatAreNamedExist(Path chapter) throws IOException {
        Matcher name = TEST.matcher(Files.readString(chapter));
        while (name.find()) {
            String source = sourceOf(name.group(1));
            assertTrue(
                    source.contains("void " + name.group(2) + "("),
                    () -> chapter + " names " + name.group() + ", which is not there");
        }
    }

    private static String sourceOf(String test) throws IOException {
        for (String module :
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
                        "actors/opentelemetry",
                        "examples",
                        "examples/benchmarks")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "test"))) {
                Optional<Path> file =
                        files.filter(each -> each.endsWith(test + ".java")).findFirst();
                if (file.isPresent()) {
                    return Files.readString(file.get());
                }
            }
        }
        throw new AssertionError("no test is called " + test);
    }

    private static String region(String test, String name) throws IOException {
        String source = sourceOf(test);
        int start = source.indexOf("// @start region=\"" + name + "\"");
        assertTrue(start >= 0, () -> "no region " + name + " in " + test);
        int from = source.indexOf('\n', start) + 1;
        int to = source.lastIndexOf('\n', source.indexOf("// @end", from)) + 1;
        return source.substring(from, to).stripTrailing().stripIndent() + "\n";
    }
}
