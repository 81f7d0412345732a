package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What programs can call changes only together with its record in {@code docs/api}, so that a
 * change of it is seen as one.
 */
@Timeout(60)
class ApiRecordTest {
    private static final String MODE = "api.record";

    private static final String REWRITE = ".ci/test examples ApiRecordTest -D" + MODE + "=write";

    /** One that lists no exports is a module by its name alone, and exports all. */
    private static final List<Artifact> ARTIFACTS =
            List.of(
                    new Artifact("ropewalk-fibers", "fibers", true),
                    new Artifact("ropewalk-fibers-testing", "fibers/testing", false),
                    new Artifact("ropewalk-fibers-io", "fibers/io", true),
                    new Artifact("ropewalk-channels", "channels", true),
                    new Artifact("ropewalk-channels-http", "channels/http", true),
                    new Artifact("ropewalk-actors", "actors", true),
                    new Artifact("ropewalk-actors-testing", "actors/testing", false),
                    new Artifact("ropewalk-observer", "actors/observer", true),
                    new Artifact("ropewalk-micrometer", "actors/micrometer", true),
                    new Artifact("ropewalk-top", "actors/top", false),
                    new Artifact("ropewalk-actors-cluster", "actors/cluster", true),
                    new Artifact("ropewalk-actors-cluster-jdbc", "actors/cluster/jdbc", true),
                    new Artifact("ropewalk-actors-cluster-ratis", "actors/cluster/ratis", false),
                    new Artifact("ropewalk-opentelemetry", "actors/opentelemetry", true));

    /** All classes of ours, by internal name. */
    private static final Map<String, ClassModel> CLASSES = new TreeMap<>();

    /** The packages of all that programs can name, with slashes. */
    private static final Set<String> EXPORTED = new HashSet<>();

    /** The internal names of the classes of each. */
    private static final Map<Artifact, List<String>> NAMES = new HashMap<>();

    record Artifact(String name, String directory, boolean listsExports) {
        Path classes() {
            return LayeringTest.classesOf(root().resolve(directory));
        }

        Path record() {
            return records().resolve(name + ".txt");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Path root() {
        String argsFile = System.getProperty("ropewalk.args.file");
        assertNotNull(
                argsFile,
                "ropewalk.args.file is not set: run with mvn, or pass -Dropewalk.args.file=<path>");
        return Path.of(argsFile).toAbsolutePath().getParent();
    }

    private static Path records() {
        return root().resolve("docs/api");
    }

    @BeforeAll
    static void readAll() throws IOException {
        for (Artifact artifact : ARTIFACTS) {
            Path classes = artifact.classes();
            assertTrue(Files.isDirectory(classes), () -> classes + " is missing: run mvn compile");
            List<String> names = new ArrayList<>();
            try (Stream<Path> files = Files.walk(classes)) {
                for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                    ClassModel model = ClassFile.of().parse(file);
                    if (!model.isModuleInfo()) {
                        names.add(model.thisClass().asInternalName());
                        CLASSES.put(model.thisClass().asInternalName(), model);
                    }
                }
            }
            NAMES.put(artifact, names);
            Set<String> exported =
                    artifact.listsExports() ? listedExports(classes) : packagesOf(names);
            assertFalse(exported.isEmpty(), () -> artifact + " exports nothing in " + classes);
            EXPORTED.addAll(exported);
        }
        String mode = System.getProperty(MODE, "check");
        switch (mode) {
            case "check" -> {}
            case "write" -> writeAll();
            default -> fail(MODE + "=" + mode + ": neither check nor write");
        }
    }

    private static void writeAll() throws IOException {
        Files.createDirectories(records());
        for (Artifact artifact : ARTIFACTS) {
            Files.write(artifact.record(), linesOf(artifact));
        }
    }

    /** To all, not to our own modules alone. */
    private static Set<String> listedExports(Path classes) throws IOException {
        return ClassFile.of()
                .parse(classes.resolve("module-info.class"))
                .findAttribute(Attributes.module())
                .orElseThrow()
                .exports()
                .stream()
                .filter(each -> each.exportsTo().isEmpty())
                .map(each -> each.exportedPackage().name().stringValue())
                .collect(Collectors.toSet());
    }

    private static Set<String> packagesOf(List<String> names) {
        return names.stream()
                .map(name -> name.substring(0, name.lastIndexOf('/')))
                .collect(Collectors.toSet());
    }

    // ---------------------------------------------------------------- the records

    @ParameterizedTest
    @FieldSource("ARTIFACTS")
    void theApiIsAsItsRecordSays(Artifact artifact) throws IOException {
        List<String> actual = linesOf(artifact);
        Path file = artifact.record();
        List<String> complaints = complaints(recorded(file), actual);
        if (!complaints.isEmpty()) {
            fail(
                    artifact
                            + " is not what "
                            + file
                            + " says; if the change is meant, run "
                            + REWRITE
                            + "\n"
                            + String.join("\n", complaints));
        }
    }

    private static List<String> linesOf(Artifact artifact) {
        List<String> lines = new ApiLines(CLASSES, EXPORTED::contains).of(NAMES.get(artifact));
        assertFalse(lines.isEmpty(), () -> artifact + " has nothing that programs can call");
        return lines;
    }

    private static List<String> recorded(Path file) throws IOException {
        assertTrue(Files.isRegularFile(file), () -> file + " is missing: run " + REWRITE);
        return Files.readAllLines(file);
    }

    /** The lines that went and those that came, in one order: both of a change stand together. */
    private static List<String> complaints(List<String> recorded, List<String> actual) {
        Map<String, String> changes = new TreeMap<>();
        recorded.forEach(line -> changes.put(line, "- " + line));
        actual.forEach(line -> changes.put(line, "+ " + line));
        changes.keySet().removeIf(line -> recorded.contains(line) && actual.contains(line));
        return changes.isEmpty() && !recorded.equals(actual)
                ? List.of("the same lines, in another order or twice")
                : List.copyOf(changes.values());
    }

    @Test
    void eachModuleOfTheBuildButTheExamplesHasARecord() throws IOException {
        Matcher module =
                Pattern.compile("<module>([^<]+)</module>")
                        .matcher(Files.readString(root().resolve("pom.xml")));
        Set<String> modules = new TreeSet<>();
        while (module.find()) {
            modules.add(module.group(1));
        }
        modules.removeIf(name -> name.startsWith("examples"));
        modules.remove("channels/races"); // tests, in the profile of stress tests

        assertEquals(
                modules,
                ARTIFACTS.stream()
                        .map(Artifact::directory)
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void eachRecordIsOfAnArtifact() throws IOException {
        try (Stream<Path> files = Files.list(records())) {
            assertEquals(
                    ARTIFACTS.stream().map(Artifact::record).collect(Collectors.toSet()),
                    files.collect(Collectors.toSet()));
        }
    }

    @Test
    void whereExportsAreNotListedThereIsNoListOfThem() {
        for (Artifact artifact : ARTIFACTS) {
            Path list = artifact.classes().resolve("module-info.class");
            assertEquals(artifact.listsExports(), Files.exists(list), () -> "exists: " + list);
        }
    }

    // ---------------------------------------------------------------- what a failure says

    @Test
    void aChangeIsALineThatWentAndOneThatCame() {
        assertEquals(
                List.of("- a.B#c() int", "+ a.B#c() long", "+ a.D"),
                complaints(List.of("a.B", "a.B#c() int"), List.of("a.B", "a.B#c() long", "a.D")));
    }

    @Test
    void aRecordIsInOrderAndSaysAllOnce() {
        List<String> complaint = List.of("the same lines, in another order or twice");

        assertEquals(complaint, complaints(List.of("b", "a"), List.of("a", "b")));
        assertEquals(complaint, complaints(List.of("a", "a"), List.of("a")));
        assertEquals(List.of(), complaints(List.of("a", "b"), List.of("a", "b")));
    }
}
