package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sizes that a reader has to hold in mind stay small: of a type, of a package, of an object,
 * and of what a class shows to others. Comments and Javadoc count nowhere.
 */
@Timeout(60)
class ArchitectureTest {

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

    /** Above this the build names a type. */
    private static final int CODE_LINES_NAMED = 400;

    /** Above this a type needs a sentence in {@link #LARGE_TYPES}. */
    private static final int CODE_LINES_MAX = 600;

    private static final int TYPES_MAX = 35;
    private static final int FIELDS_MAX = 40;

    /** Public types for builders of channels and locks: all of them, today. */
    private static final int SPI_TYPES = 15;

    private static final int MEMBERS_MAX = 25;

    /** How far a ceiling may lie above what it bounds: lines of code, or members. */
    private static final int CODE_LINES_SLACK = 30;

    private static final int MEMBERS_SLACK = 4;

    /** Types of more code lines, with all their superclasses of ours, and why each is one thing. */
    private static final Map<String, Ceiling> LARGE_TYPES =
            Map.of(
                    "FiberImpl",
                    new Ceiling(
                            940,
                            "A fiber's fields, state machine and waits, with the API that it"
                                    + " implements; what works on it has classes of its own."),
                    "ActorCell",
                    new Ceiling(
                            777,
                            "What survives a restart, and the way of a message up to the mailbox,"
                                    + " with its short way; who calls, how it ends and what is"
                                    + " told of it are parts. The members of Target that only"
                                    + " actors of other processes have are counted too."),
                    "Incarnation",
                    new Ceiling(
                            680,
                            "One life of an actor, from its start to its end: a turn, which is"
                                    + " one method on purpose, what a"
                                    + " message asks for, and its end; its receiver, its hooks and"
                                    + " what belongs to it are parts of their own."),
                    "SupervisorCell",
                    new Ceiling(
                            655,
                            "What survives a restart of a supervisor, with all that programs call;"
                                    + " 55 of these lines are the API above it."),
                    "SupervisorLife",
                    new Ceiling(
                            625,
                            "One state machine: each step of a supervisor is an event in one of"
                                    + " its states; how children end is in ChildEnds and LastTurn,"
                                    + " what comes up in order in OrderedStart."));

    /** Classes that are no API and of which others use more members, and why. */
    private static final Map<String, Ceiling> WIDE_TYPES =
            Map.ofEntries(
                    Map.entry(
                            "FiberImpl",
                            new Ceiling(
                                    113,
                                    "The record of fields that the protocols of a fiber share.")),
                    Map.entry(
                            "CordImpl",
                            new Ceiling(
                                    43, "The wiring of a cord: all reach its parts through it.")),
                    Map.entry(
                            "FiberLoop",
                            new Ceiling(
                                    50,
                                    "What runs now, and the run queue: each wait and each"
                                            + " wake-up.")),
                    Map.entry(
                            "Roster",
                            new Ceiling(
                                    28,
                                    "Fibers come, start, end and are lost on all kinds of ways.")),
                    Map.entry(
                            "EntityHome",
                            new Ceiling(
                                    40,
                                    "Messages, the moves of shards and the seeing of a kind meet"
                                            + " where its entities are.")),
                    Map.entry(
                            "Ledger",
                            new Ceiling(
                                    26, "Deliveries and reminders are one value, with one door.")),
                    Map.entry(
                            "Shards",
                            new Ceiling(34, "Each message asks it, and it shows itself to dumps.")),
                    Map.entry(
                            "KindRoute",
                            new Ceiling(28, "Addresses, ways and the node meet at the kind.")),
                    Map.entry(
                            "Session",
                            new Ceiling(
                                    29,
                                    "What is written, what is read and the end have one door.")),
                    Map.entry(
                            "Conversation",
                            new Ceiling(
                                    29,
                                    "The parts of a session with another node find each other"
                                            + " through it.")),
                    Map.entry(
                            "ActorCell",
                            new Ceiling(
                                    74,
                                    "Its incarnation, its context and other actors act on its"
                                            + " cord.")),
                    Map.entry(
                            "Incarnation",
                            new Ceiling(
                                    42,
                                    "Its context, its receiver and its cell act on one life of"
                                            + " it.")),
                    Map.entry(
                            "SteppedActor",
                            new Ceiling(
                                    31,
                                    "The one door of the test kit: each of its steps is one call"
                                            + " here.")),
                    Map.entry(
                            "Child",
                            new Ceiling(
                                    52,
                                    "The record that its supervisor writes, and reads at each"
                                            + " event.")),
                    Map.entry(
                            "SupervisorEvent",
                            new Ceiling(
                                    49, "Records without behavior: the supervisor reads them.")),
                    Map.entry(
                            "Part",
                            new Ceiling(
                                    26,
                                    "A list of records without behavior: the plan reads their"
                                            + " components.")),
                    Map.entry(
                            "Extras",
                            new Ceiling(
                                    28,
                                    "The fields that few actors need, for the parts of their"
                                            + " cell.")),
                    Map.entry(
                            "Belongings",
                            new Ceiling(
                                    27,
                                    "What an incarnation has made, which its end, its context and"
                                            + " its state ask for.")),
                    Map.entry(
                            "SupervisorCell",
                            new Ceiling(
                                    38,
                                    "Its parts take steps of it, and its children and its system"
                                            + " tell it.")),
                    Map.entry(
                            "Unwind",
                            new Ceiling(
                                    28,
                                    "A signal is made, raised, known again and told at each edge of"
                                            + " a fiber.")));

    private static final Pattern COMMENT_OR_TEXT =
            Pattern.compile(
                    "\"\"\"(?:\\\\.|.)*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])+'"
                            + "|(/\\*.*?\\*/|//[^\\n]*)",
                    Pattern.DOTALL);

    /** All classes of ours, nested ones too, by internal name. */
    private static final Map<String, ClassModel> CLASSES = new TreeMap<>();

    /** The lines of code of each source file, by the internal name of its type. */
    private static final Map<String, Integer> CODE_LINES = new TreeMap<>();

    @BeforeAll
    static void readAll() throws IOException {
        String argsFile = System.getProperty("ropewalk.args.file");
        assertFalse(
                argsFile == null,
                "ropewalk.args.file is not set: run with mvn, or pass -Dropewalk.args.file=<path>");
        Path root = Path.of(argsFile).toAbsolutePath().getParent();
        for (String module : MODULES) {
            Path home = root.resolve(module);
            for (Path file : filesBelow(LayeringTest.classesOf(home), ".class")) {
                ClassModel model = ClassFile.of().parse(file);
                CLASSES.put(model.thisClass().asInternalName(), model);
            }
            Path sources = home.resolve("src/main/java");
            for (Path file : filesBelow(sources, ".java")) {
                String name = sources.relativize(file).toString().replace('\\', '/');
                CODE_LINES.put(
                        name.substring(0, name.length() - ".java".length()),
                        codeLines(Files.readString(file)));
            }
        }
        assertTrue(CLASSES.size() > 100, () -> "only " + CLASSES.size() + " classes were found");
    }

    private static List<Path> filesBelow(Path directory, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(f -> f.toString().endsWith(ending))
                    .filter(f -> !f.endsWith("module-info" + ending))
                    .filter(f -> !f.endsWith("package-info" + ending))
                    .toList();
        }
    }

    @Test
    void countsLinesOfCodeOnly() {
        String source =
                """
                package a;

                import b.C;

                /** Javadoc. */
                class D { // and a comment
                    /* one
                       more */
                    String e = "/* no comment */ // here";
                }
                """;

        assertEquals(4, codeLines(source));
    }

    // ---------------------------------------------------------------- ceilings

    /** An exception is for a size, not for ever: one that grows, or could be smaller, is told. */
    @Test
    void anExceptionHasACeiling() {
        Map<String, Ceiling> ceilings =
                Map.of(
                        "Grown", new Ceiling(700, "why"),
                        "Full", new Ceiling(700, "why"),
                        "Close", new Ceiling(700, "why"),
                        "Shrunk", new Ceiling(700, "why"),
                        "Small", new Ceiling(700, "why"));
        Map<String, Integer> counts =
                Map.of("Grown", 701, "Full", 700, "Close", 690, "Shrunk", 689, "New", 601);

        assertEquals(
                List.of(
                        "Grown: 701 > its ceiling of 700",
                        "New: 601, and it is not listed",
                        "Shrunk: 689, lower its ceiling of 700",
                        "Small: listed without need"),
                complaints(ceilings, counts, 10));
    }

    private static List<String> complaints(
            Map<String, Ceiling> ceilings, Map<String, Integer> counts, int slack) {
        Set<String> complaints = new TreeSet<>();
        counts.forEach(
                (type, count) -> {
                    Ceiling ceiling = ceilings.get(type);
                    if (ceiling == null) {
                        complaints.add(type + ": " + count + ", and it is not listed");
                    } else if (count > ceiling.max()) {
                        complaints.add(type + ": " + count + " > its ceiling of " + ceiling.max());
                    } else if (count < ceiling.max() - slack) {
                        complaints.add(
                                type + ": " + count + ", lower its ceiling of " + ceiling.max());
                    }
                });
        for (String type : ceilings.keySet()) {
            if (!counts.containsKey(type)) {
                complaints.add(type + ": listed without need");
            }
        }
        return List.copyOf(complaints);
    }

    // ---------------------------------------------------------------- types

    @Test
    void typesAreSmallOrOneThing(TestReporter reporter) {
        Map<String, Integer> large = new TreeMap<>();
        for (String type : CODE_LINES.keySet()) {
            int lines = linesWithSuperclasses(type);
            if (lines > CODE_LINES_NAMED) {
                reporter.publishEntry(simple(type), lines + " lines of code");
            }
            if (lines > CODE_LINES_MAX) {
                large.put(simple(type), lines);
            }
        }
        assertEquals(
                List.of(),
                complaints(LARGE_TYPES, large, CODE_LINES_SLACK),
                "types of more than "
                        + CODE_LINES_MAX
                        + " lines of code with their superclasses; compose them of parts, or say"
                        + " in LARGE_TYPES why each is one thing");
    }

    private static int linesWithSuperclasses(String type) {
        int lines = 0;
        String each = type;
        while (each != null) {
            lines += CODE_LINES.getOrDefault(topLevel(each), 0);
            ClassModel model = CLASSES.get(each);
            each =
                    model == null
                            ? null
                            : model.superclass().map(ClassEntry::asInternalName).orElse(null);
        }
        return lines;
    }

    private static int codeLines(String source) {
        String code =
                COMMENT_OR_TEXT
                        .matcher(source)
                        .replaceAll(found -> found.group(1) == null ? "x" : "");
        return (int)
                code.lines()
                        .map(String::strip)
                        .filter(l -> !l.isEmpty())
                        .filter(l -> !l.startsWith("import "))
                        .count();
    }

    @Test
    void noClassIsCutIntoSuperclasses() {
        Map<String, List<String>> subclasses = new TreeMap<>();
        CLASSES.forEach(
                (name, model) ->
                        model.superclass()
                                .map(ClassEntry::asInternalName)
                                .filter(CLASSES::containsKey)
                                .ifPresent(
                                        above ->
                                                subclasses
                                                        .computeIfAbsent(
                                                                above, _ -> new ArrayList<>())
                                                        .add(name)));
        Set<String> cuts = new TreeSet<>();
        subclasses.forEach(
                (above, below) -> {
                    ClassModel model = Objects.requireNonNull(CLASSES.get(above));
                    if (model.flags().has(AccessFlag.ABSTRACT)
                            && below.size() == 1
                            && !isApi(model)) {
                        cuts.add(simple(above) + " <- " + simple(below.getFirst()));
                    }
                });
        assertEquals(
                Set.of(),
                cuts,
                "abstract classes with one subclass, which are no API: make them parts");
    }

    // ---------------------------------------------------------------- packages and objects

    @Test
    void packagesAreRooms() {
        Map<String, Long> types =
                CODE_LINES.keySet().stream()
                        .collect(
                                Collectors.groupingBy(
                                        ArchitectureTest::packageOf, Collectors.counting()));
        types.values().removeIf(count -> count <= TYPES_MAX);
        assertEquals(
                Map.of(), types, "packages of more than " + TYPES_MAX + " types: cut by topic");
    }

    /** What programs do not need, but other libraries do, is learnt as a whole. */
    @Test
    void theSpiOfFibersStaysSmall() {
        List<String> types =
                CLASSES.values().stream()
                        .filter(model -> model.flags().has(AccessFlag.PUBLIC))
                        .map(model -> model.thisClass().asInternalName())
                        .filter(name -> packageOf(name).equals("dev.ropewalk.fibers.spi"))
                        .filter(name -> name.equals(topLevel(name)))
                        .map(ArchitectureTest::simple)
                        .toList();
        assertEquals(
                SPI_TYPES,
                types.size(),
                () ->
                        "public types of fibers.spi, of which CONTRIBUTING.md tells the number: "
                                + types);
    }

    @Test
    void objectsHaveFewFields() {
        Map<String, Long> wide = new TreeMap<>();
        for (String name : CLASSES.keySet()) {
            long fields = 0;
            ClassModel each = CLASSES.get(name);
            while (each != null) {
                fields += each.fields().stream().filter(ArchitectureTest::isOfInstance).count();
                each =
                        each.superclass()
                                .map(above -> CLASSES.get(above.asInternalName()))
                                .orElse(null);
            }
            if (fields > FIELDS_MAX) {
                wide.put(simple(name), fields);
            }
        }
        assertEquals(Map.of(), wide, "objects of more than " + FIELDS_MAX + " fields: make parts");
    }

    private static boolean isOfInstance(FieldModel field) {
        return !field.flags().has(AccessFlag.STATIC);
    }

    // ---------------------------------------------------------------- what a class shows

    @Test
    void internalClassesShowLittle() {
        Map<String, Set<String>> used = new TreeMap<>();
        CLASSES.forEach(
                (from, model) -> {
                    for (PoolEntry entry : model.constantPool()) {
                        if (entry instanceof MemberRefEntry member) {
                            note(used, from, member);
                        }
                    }
                });
        Map<String, Integer> wide = new TreeMap<>();
        used.forEach(
                (type, members) -> {
                    if (members.size() > MEMBERS_MAX) {
                        wide.put(simple(type), members.size());
                    }
                });
        assertEquals(
                List.of(),
                complaints(WIDE_TYPES, wide, MEMBERS_SLACK),
                "classes that are no API, with more than "
                        + MEMBERS_MAX
                        + " members used from outside their file; make a smaller door, or say in"
                        + " WIDE_TYPES why not");
    }

    private static void note(Map<String, Set<String>> used, String from, MemberRefEntry member) {
        String owner = member.owner().asInternalName();
        ClassModel model = CLASSES.get(owner);
        if (model != null && !isApi(model) && !topLevel(owner).equals(topLevel(from))) {
            used.computeIfAbsent(topLevel(owner), _ -> new TreeSet<>())
                    .add(
                            owner.substring(topLevel(owner).length())
                                    + "."
                                    + member.name().stringValue()
                                    + member.type().stringValue());
        }
    }

    /** What a program may call: public, and in a package that is exported. */
    private static boolean isApi(ClassModel model) {
        String name = model.thisClass().asInternalName();
        ClassModel top = Objects.requireNonNull(CLASSES.get(topLevel(name)), name);
        return top.flags().has(AccessFlag.PUBLIC) && !name.contains("/internal/");
    }

    private static String topLevel(String internalName) {
        int nested = internalName.indexOf('$');
        return nested < 0 ? internalName : internalName.substring(0, nested);
    }

    private static String packageOf(String internalName) {
        return internalName.substring(0, internalName.lastIndexOf('/')).replace('/', '.');
    }

    private static String simple(String internalName) {
        return internalName.substring(internalName.lastIndexOf('/') + 1);
    }

    /** What an exception is good for at most, and why there is one. */
    private record Ceiling(int max, String why) {}
}
