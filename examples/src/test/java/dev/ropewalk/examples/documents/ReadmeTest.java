package dev.ropewalk.examples.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;

/**
 * The README and the page of examples keep their word: their programs are whole, compile without a
 * warning, and print what the pages say. The pom.xml to copy has what this build has.
 */
@Timeout(120)
class ReadmeTest {
    private static final Path README = Path.of("../README.md");
    private static final Path EXAMPLES = Path.of("../docs/examples.md");
    private static final int SCREEN = 150;
    private static final int COLUMNS = 110;
    private static final int BEFORE_CODE = 30;
    private static final long LIMIT_S = 60;

    /** A program, and the next block of text, which is what it prints. */
    private static final Pattern PROGRAM =
            Pattern.compile(
                    "<!-- program: (\\w+) -->\\n```java\\n(.*?)```.*?```text\\n(.*?)```",
                    Pattern.DOTALL);

    record Example(String name, String source, String output) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final Pattern POM = Pattern.compile("```xml\\n(<project.*?)```", Pattern.DOTALL);
    private static final Pattern PROPERTY = Pattern.compile("\\$\\{(.+)}");

    static Stream<Example> examples() throws IOException {
        Matcher found = PROGRAM.matcher(Files.readString(README) + Files.readString(EXAMPLES));
        List<Example> all = new ArrayList<>();
        while (found.find()) {
            all.add(new Example(found.group(1), found.group(2), found.group(3)));
        }
        return all.stream();
    }

    @Test
    void allProgramsAreThere() throws IOException {
        assertEquals(
                List.of("Account", "Bank", "Branch", "Squares", "Clerk", "Echo"),
                examples().map(Example::name).toList());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void programPrintsWhatItsPageSays(Example example, @TempDir Path directory)
            throws IOException, InterruptedException {
        runs(example, directory, "@" + System.getProperty("ropewalk.args.file"));
    }

    /** The first program, by {@code java -cp}: what it prints, and one warning beside that. */
    @Test
    void firstProgramRunsWithoutAFlag(@TempDir Path directory)
            throws IOException, InterruptedException {
        Example first = examples().findFirst().orElseThrow();
        String err = runs(first, directory, "-Dropewalk.none");
        assertEquals(
                1, err.lines().filter(each -> each.contains("WARN dev.ropewalk")).count(), err);
        assertTrue(err.contains("add --add-exports=java.base/jdk.internal.vm=ALL-UNNAMED"), err);
    }

    /** What it wrote to stderr. */
    private static String runs(Example example, Path directory, String flag)
            throws IOException, InterruptedException {
        Path source = directory.resolve(example.name() + ".java");
        Files.writeString(source, example.source());
        assertEquals("", compiled(source, directory));

        Path out = directory.resolve("out.txt");
        Path err = directory.resolve("err.txt");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                flag,
                                "-cp",
                                directory + ":" + System.getProperty("java.class.path"),
                                example.name())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
        try {
            assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), "it did not end");
            assertEquals(example.output(), Files.readString(out), () -> read(err));
            assertEquals(0, process.exitValue(), () -> read(err));
            return read(err);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What the compiler says, with all its warnings. */
    private static String compiled(Path source, Path directory) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean isDone =
                    compiler.getTask(
                                    said,
                                    files,
                                    null,
                                    List.of(
                                            "-Xlint:all,-processing,-path",
                                            "-proc:none",
                                            "-d",
                                            directory.toString()),
                                    null,
                                    files.getJavaFileObjects(source))
                            .call();
            return isDone ? said.toString() : "it does not compile: " + said;
        }
    }

    /** A reader sees code at once, and the rest is on other pages. */
    @Test
    void theReadmeFillsOneScreen() throws IOException {
        List<String> lines = Files.readAllLines(README);
        assertTrue(lines.size() <= SCREEN, () -> "README has " + lines.size() + " lines");
        assertEquals(List.of(), lines.stream().filter(each -> each.length() > COLUMNS).toList());
        assertTrue(lines.indexOf("```java") < BEFORE_CODE, "the first code comes too late");
    }

    /** So that a copy of it is built as Ropewalk is. */
    @Test
    void pomToCopyHasTheVersionsOfTheBuild() throws Exception {
        Element ours = pom(Files.readString(Path.of("../pom.xml")));
        Map<String, String> known = versions(ours);
        Element pom = pomToCopy();
        Map<String, String> copied = versions(pom);
        copied.remove("account"); // the program's own
        assertEquals(
                List.of(
                        "exec-maven-plugin",
                        "maven-compiler-plugin",
                        "maven-surefire-plugin",
                        "maven-toolchains-plugin",
                        "ropewalk-actors",
                        "slf4j-simple"),
                List.copyOf(copied.keySet()));
        known.keySet().retainAll(copied.keySet());
        assertEquals(known, copied);
        assertEquals(text(ours, "maven.compiler.target"), text(pom, "maven.compiler.release"));
    }

    @Test
    void pomToCopyRunsTheProgramWithoutAFlag() throws Exception {
        Element pom = pomToCopy();
        assertEquals(
                "-classpath %classpath " + examples().findFirst().orElseThrow().name(),
                text(pom, "commandlineArgs"));
        List<String> screen = Files.readAllLines(README);
        assertEquals(
                List.of(),
                screen.stream().filter(each -> each.matches(".*(--add|@ropewalk).*")).toList());
    }

    private static Element pomToCopy() throws Exception {
        Matcher found = POM.matcher(Files.readString(README));
        assertTrue(found.find(), "no pom.xml in the README");
        return pom(found.group(1));
    }

    private static Element pom(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(xml)))
                .getDocumentElement();
    }

    /** By artifact, of plug-ins and dependencies that say one; a property by its value. */
    private static Map<String, String> versions(Element project) {
        Map<String, String> found = new TreeMap<>();
        NodeList artifacts = project.getElementsByTagName("artifactId");
        for (int i = 0; i < artifacts.getLength(); i++) {
            Element parent = (Element) artifacts.item(i).getParentNode();
            for (Node each = parent.getFirstChild(); each != null; each = each.getNextSibling()) {
                if (each.getNodeName().equals("version")) {
                    String version = each.getTextContent();
                    Matcher property = PROPERTY.matcher(version);
                    found.put(
                            artifacts.item(i).getTextContent(),
                            property.matches()
                                    ? text(project, property.group(1).replace("project.", ""))
                                    : version);
                }
            }
        }
        return found;
    }

    /** Of the first element of that name. */
    private static String text(Element from, String name) {
        Node found = from.getElementsByTagName(name).item(0);
        assertTrue(found != null, () -> "no element " + name);
        return found.getTextContent();
    }
}
