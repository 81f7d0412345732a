package dev.ropewalk.examples.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.testing.junit.FiberTest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The page of all options has the members of the annotation, and their real defaults. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberTestOptionsTest {
    private static final Path PAGE = Path.of("../docs/guide/options.md");

    @Test
    void membersOfFiberTestHaveTheirDefaults() throws IOException {
        Set<String> expected = new TreeSet<>();
        for (Method member : FiberTest.class.getDeclaredMethods()) {
            expected.add("`" + member.getName() + "` " + shown(member.getDefaultValue()));
        }
        String text = Files.readString(PAGE);
        String table =
                text.substring(text.indexOf("| of `@FiberTest`"), text.indexOf("| without JUnit"));
        Set<String> found = new TreeSet<>();
        for (String line : table.lines().filter(each -> each.startsWith("| `")).toList()) {
            List<String> cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
            found.add(cells.get(1) + " " + cells.get(2));
        }
        assertEquals(expected, found);
    }

    private static String shown(Object value) {
        return switch (value) {
            case Boolean on -> on ? "on" : "off";
            case long[] seeds -> Arrays.toString(seeds).replaceAll("[\\[\\]]", "");
            default -> value.toString();
        };
    }
}
