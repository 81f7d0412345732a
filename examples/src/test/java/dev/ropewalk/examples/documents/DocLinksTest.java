package dev.ropewalk.examples.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Every link from a document to another one, or to a heading, leads somewhere. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class DocLinksTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```|`[^`\n]*`");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+)$");

    private static List<Path> documents() throws IOException {
        List<Path> all = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(all::add);
        }
        return all;
    }

    @Test
    void everyRelativeLinkLeadsToAFileAndAHeading() throws IOException {
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Path document : documents()) {
            String text = BLOCK.matcher(Files.readString(document)).replaceAll("");
            for (Matcher link = LINK.matcher(text); link.find(); links++) {
                if (!link.group(1).contains("://") && !isThere(document, link.group(1))) {
                    dead.add(document + " -> " + link.group(1));
                }
            }
        }
        assertEquals(List.of(), dead, "dead links");
        assertTrue(links > 50, "links=" + links + " are too few to be all");
    }

    /** A page that no other one leads to is not found. */
    @Test
    void everyPageOfTheGuideIsLinkedFromItsIndexAndThatFromTheReadme() throws IOException {
        Path guide = ROOT.resolve("docs/guide");
        String index = Files.readString(guide.resolve("README.md"));
        try (Stream<Path> files = Files.list(guide)) {
            List<String> missing =
                    files.map(file -> String.valueOf(file.getFileName()))
                            .filter(file -> !file.equals("README.md"))
                            .filter(file -> !index.contains("(" + file + ")"))
                            .sorted()
                            .toList();
            assertEquals(List.of(), missing);
        }
        String readme = Files.readString(ROOT.resolve("README.md"));
        assertTrue(readme.contains("(docs/guide/README.md)"), "no link to the index of the guide");
    }

    private static boolean isThere(Path document, String link) throws IOException {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? document : document.resolveSibling(file);
        if (!Files.exists(target)) {
            return false;
        }
        return hash < 0 || headings(target).contains(link.substring(hash + 1));
    }

    /** As GitHub makes anchors of headings. */
    private static Set<String> headings(Path document) throws IOException {
        Set<String> all = new TreeSet<>();
        Matcher heading = HEADING.matcher(Files.readString(document));
        while (heading.find()) {
            String text = heading.group(1).strip().toLowerCase(Locale.ROOT);
            all.add(text.replaceAll("[^\\w\\- ]", "").replace(' ', '-'));
        }
        return all;
    }
}
