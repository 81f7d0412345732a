package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The prose of the documents can be read in a diff: no line of it is longer than 110 columns. Rows
 * of tables, code and printed output stay as they are, and so does a link that cannot be broken.
 */
@Timeout(60)
class DocWidthTest {
    private static final int COLUMNS = 110;
    private static final Path DOCS = Path.of("..", "docs");

    /** The first is written by the benchmarks' report, the second is mostly pictures. */
    private static final Set<String> LEFT_OUT = Set.of("benchmarks.md", "design.md");

    private static final Pattern MARK = Pattern.compile("\\s*([-*+>]|\\d+\\.)?\\s*");

    @Test
    void noLineOfProseIsLongerThan110Columns() throws IOException {
        List<Path> pages = pages();
        List<String> tooLong = new ArrayList<>();
        for (Path page : pages) {
            tooLong.addAll(longLines(page));
        }
        assertEquals(List.of(), tooLong, "break these lines between two words");
        assertTrue(pages.size() > 80, "pages=" + pages.size() + " are too few to be all");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(DOCS)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !LEFT_OUT.contains(file.getFileName().toString()))
                    .filter(file -> !file.startsWith(DOCS.resolve("results")))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> longLines(Path page) throws IOException {
        List<String> all = new ArrayList<>();
        boolean isFenced = false;
        int number = 0;
        for (String line : Files.readAllLines(page)) {
            number++;
            if (line.strip().startsWith("```")) {
                isFenced = !isFenced;
            }
            boolean isProse =
                    !isFenced
                            && !line.startsWith("    ")
                            && !line.startsWith("|")
                            && !line.startsWith("<!--"); // a mark that other tests read
            int columns = line.codePointCount(0, line.length());
            if (isProse && columns > COLUMNS && canBeBroken(line)) {
                all.add(page + ":" + number + " has " + columns + " columns: " + line);
            }
        }
        return all;
    }

    private static boolean canBeBroken(String line) {
        return MARK.matcher(line).replaceFirst("").contains(" ");
    }
}
