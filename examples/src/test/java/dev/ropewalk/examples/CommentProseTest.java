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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Sentences of comments have a noun as their subject: "Exceptions of the hook are logged", not
 * "What it throws is logged"; and a terminated fiber does not get "that": the call throws.
 */
@Timeout(60)
class CommentProseTest {
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

    /** A line of a comment, or the comment behind code, without its marks. */
    private static final Pattern COMMENT =
            Pattern.compile("^\\s*(?:/\\*\\*?|\\*/?|//)(.*?)(?:\\*/)?$|^[^\"]*?// (.*)$");

    private static final Pattern CLAUSE_AS_SUBJECT =
            Pattern.compile(
                    "(?:^|[.:;!?] |<p>|<li>)((?:What|Whatever|Whoever)\\b[^.;:?]*+)(?!\\?)");

    private static final Pattern GETS_THAT = Pattern.compile("\\bgets that[,.;]");

    @Test
    void noSentenceBeginsWithAClauseAsItsSubject() throws IOException {
        assertEquals(List.of(), found(CLAUSE_AS_SUBJECT), "put a noun in the place of the clause");
    }

    @Test
    void noFiberGetsThat() throws IOException {
        assertEquals(List.of(), found(GETS_THAT), "say what the call throws");
    }

    private static List<String> found(Pattern bad) throws IOException {
        List<String> all = new ArrayList<>();
        int files = 0;
        for (String module : MODULES) {
            try (Stream<Path> sources = Files.walk(Path.of("..", module, "src", "main"))) {
                for (Path source :
                        sources.filter(each -> each.toString().endsWith(".java")).toList()) {
                    files++;
                    for (String paragraph : paragraphs(source)) {
                        Matcher sentence = bad.matcher(paragraph);
                        while (sentence.find()) {
                            all.add(source + ": " + sentence.group());
                        }
                    }
                }
            }
        }
        assertTrue(files > 560, "files=" + files + " are too few to be all");
        return all;
    }

    /** The text of the comments; a line of code or an empty one ends a paragraph. */
    private static List<String> paragraphs(Path source) throws IOException {
        List<String> all = new ArrayList<>();
        StringBuilder paragraph = new StringBuilder();
        for (String line : Files.readAllLines(source)) {
            Matcher comment = COMMENT.matcher(line);
            String text = "";
            if (comment.matches()) {
                text = (comment.group(1) != null ? comment.group(1) : comment.group(2)).strip();
            }
            if (text.isEmpty()) {
                all.add(paragraph.toString().strip());
                paragraph.setLength(0);
            } else {
                paragraph.append(text).append(' ');
            }
        }
        all.add(paragraph.toString().strip());
        return all;
    }
}
