package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.lang.constant.ConstantDescs.CD_List;
import static java.lang.constant.ConstantDescs.MTD_void;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.Signature;
import java.lang.classfile.attribute.ModuleAttribute;
import java.lang.classfile.attribute.ModuleExportInfo;
import java.lang.classfile.attribute.SignatureAttribute;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Layers refer downwards only, no packages refer to each other in a circle, and one to JUnit. */
@Timeout(60)
class LayeringTest {

    private static final String ROOT_PACKAGE = "dev.ropewalk.";

    /** From the bottom up; channels and actors side by side. */
    private static final List<Layer> LAYERS =
            List.of(
                    new Layer("fibers", "fibers", Set.of()),
                    new Layer("fibers/testing", "fibers.testing.junit", Set.of("fibers")),
                    new Layer("fibers/io", "fibers.io", Set.of("fibers")),
                    new Layer("channels", "channels", Set.of("fibers")),
                    new Layer(
                            "channels/http",
                            "channels.http",
                            Set.of("fibers", "fibers.io", "channels")),
                    new Layer("actors", "actors", Set.of("fibers")),
                    new Layer("actors/testing", "actors.testing", Set.of("fibers", "actors")),
                    new Layer(
                            "actors/observer",
                            "actors.observer",
                            Set.of("fibers", "fibers.io", "channels", "channels.http", "actors")),
                    new Layer("actors/micrometer", "actors.micrometer", Set.of("fibers", "actors")),
                    new Layer(
                            "actors/top",
                            "actors.top",
                            Set.of("fibers", "fibers.io", "channels", "channels.http")),
                    new Layer(
                            "actors/cluster",
                            "actors.cluster",
                            Set.of("fibers", "fibers.io", "actors")),
                    new Layer(
                            "actors/cluster/jdbc",
                            "actors.cluster.jdbc",
                            Set.of("fibers", "actors.cluster")),
                    new Layer(
                            "actors/cluster/ratis",
                            "actors.cluster.ratis",
                            Set.of("fibers", "actors.cluster")),
                    new Layer(
                            "actors/opentelemetry",
                            "actors.opentelemetry",
                            Set.of("fibers", "channels.http", "actors", "actors.cluster")),
                    new Layer(
                            "examples",
                            "examples",
                            Set.of(
                                    "fibers",
                                    "fibers.io",
                                    "channels",
                                    "channels.http",
                                    "actors",
                                    "actors.observer",
                                    "actors.cluster",
                                    "actors.cluster.jdbc",
                                    "actors.cluster.ratis")));

    /**
     * Packages whose members may name each other, by what they make up. A fiber parks in the loop
     * of its cord, the loop runs fibers, what a user holds is a fiber and a cord, and the kernel
     * reports and watches itself: its packages are rooms of one house. So are the two of tasks, and
     * a channel, which its interface makes, with that interface. A system of actors is a tree of
     * supervisors, and a supervisor hands out the refs of actors.
     */
    private static final Map<String, Set<String>> GROUPS =
            Map.of(
                    "kernel",
                    Set.of(
                            "dev.ropewalk.fibers",
                            "dev.ropewalk.fibers.observe",
                            "dev.ropewalk.fibers.spi",
                            "dev.ropewalk.fibers.internal.boot",
                            "dev.ropewalk.fibers.internal.context",
                            "dev.ropewalk.fibers.internal.cord",
                            "dev.ropewalk.fibers.internal.dump",
                            "dev.ropewalk.fibers.internal.fiber",
                            "dev.ropewalk.fibers.internal.report",
                            "dev.ropewalk.fibers.internal.watch"),
                    "scheduler",
                    Set.of("dev.ropewalk.fibers.scheduler", "dev.ropewalk.fibers.internal.task"),
                    "channels",
                    Set.of("dev.ropewalk.channels", "dev.ropewalk.channels.internal"),
                    "actors",
                    Set.of(
                            "dev.ropewalk.actors",
                            "dev.ropewalk.actors.spi",
                            "dev.ropewalk.actors.supervision",
                            "dev.ropewalk.actors.routing",
                            "dev.ropewalk.actors.observe",
                            "dev.ropewalk.actors.internal",
                            "dev.ropewalk.actors.internal.behavior",
                            "dev.ropewalk.actors.internal.context",
                            "dev.ropewalk.actors.internal.observe",
                            "dev.ropewalk.actors.internal.routing",
                            "dev.ropewalk.actors.internal.sending",
                            "dev.ropewalk.actors.internal.supervision"),
                    "cluster",
                    Set.of(
                            "dev.ropewalk.actors.cluster",
                            "dev.ropewalk.actors.cluster.entity",
                            "dev.ropewalk.actors.cluster.internal.entity",
                            "dev.ropewalk.actors.cluster.internal.lease",
                            "dev.ropewalk.actors.cluster.internal.node",
                            "dev.ropewalk.actors.cluster.internal.ref",
                            "dev.ropewalk.actors.cluster.internal.session",
                            "dev.ropewalk.actors.cluster.internal.shard",
                            "dev.ropewalk.actors.cluster.internal.wire"));

    private static final String ACTORS_CELLS = "dev.ropewalk.actors.internal";

    private static final String SUPERVISORS = ACTORS_CELLS + ".supervision";

    private static final String STACKS = "dev.ropewalk.fibers.internal.stack";

    /** The room of one fiber. */
    private static final String ONE_FIBER = "dev.ropewalk.fibers.internal.fiber";

    /**
     * The topics that reach into the room of one fiber: by which classes, and why {@code spi} and
     * the public parts of the kernel do not suffice.
     */
    private static final Map<String, Reach> REACHES =
            Map.of(
                    "dev.ropewalk.fibers.coroutine",
                    new Reach(
                            "A coroutine makes its fiber at its first resume, below the one that"
                                    + " made the coroutine, and its end is an answer before it is"
                                    + " anybody's failure.",
                            "ControlChecks",
                            "ControlNode",
                            "CoroutineNode"),
                    "dev.ropewalk.fibers.scheduler",
                    new Reach(
                            "A graph takes the failure of a node from its parent, and spins the"
                                    + " next nodes before that one is over; a loop has a cord claim"
                                    + " its tasks before their turn.",
                            "DagRun",
                            "Parallel"),
                    "dev.ropewalk.fibers.supervision",
                    new Reach(
                            "A supervisor takes the failure of a fiber from its parent, also of one"
                                    + " on another cord that fails before it can be listened to.",
                            "FiberSupervisor"),
                    "dev.ropewalk.fibers.testing",
                    new Reach(
                            "A run lists the fibers that are left behind, also those on their way"
                                    + " to another cord, which no public list has.",
                            "VirtualCords"));

    /**
     * What a topic needs of the room of one fiber.
     *
     * @param why spi does not suffice, in a sentence
     * @param classes that reach into it
     */
    private record Reach(String why, Set<String> classes) {
        Reach(String why, String... classes) {
            this(why, Set.of(classes));
        }
    }

    /** The JDK's continuations. */
    private static final Pattern CONTINUATION_NAME = Pattern.compile("jdk/internal/vm/[\\w$]+");

    private static final Pattern NETTY_NAME = Pattern.compile("io/netty/(?:\\w+/)*[\\w$]+");

    /** The reactor, sockets, and those that bring codecs of their own. */
    private static final List<String> NETTY_ROOMS =
            List.of(
                    "dev.ropewalk.fibers.internal.reactor.",
                    "dev.ropewalk.fibers.io.",
                    "dev.ropewalk.channels.http.",
                    "dev.ropewalk.examples.chat.",
                    "dev.ropewalk.examples.kv.");

    /** The kinds of stack, which all others know as stacks only. */
    private static final Pattern KIND_OF_STACK_NAME =
            Pattern.compile("dev/ropewalk/fibers/internal/stack/(?:Light|Virtual)Stack\\b");

    /** The one that may refer to JUnit. */
    private static final String JUNIT_PACKAGE = "dev.ropewalk.fibers.testing.junit";

    /** A class of ours, as written in class entries, descriptors, signatures and annotations. */
    private static final Pattern CLASS_NAME = Pattern.compile("dev/ropewalk/(?:\\w+/)+[\\w$]+");

    /** The same of JUnit and of what it is made of. */
    private static final Pattern JUNIT_CLASS_NAME =
            Pattern.compile("org/(?:junit|opentest4j)/(?:\\w+/)*[\\w$]+");

    /**
     * A module.
     *
     * @param directory below the root
     * @param packages the first of its packages, without the root; the others are below it
     * @param below the packages of the layers that it may refer to, besides itself
     */
    private record Layer(String directory, String packages, Set<String> below) {
        boolean has(String className) {
            return className.startsWith(ROOT_PACKAGE + packages + ".");
        }
    }

    private record Reference(String from, String to) {

        String fromPackage() {
            return packageOf(from);
        }

        String toPackage() {
            return packageOf(to);
        }

        @Override
        public String toString() {
            return from + " refers to " + to;
        }
    }

    @Test
    void layersReferDownwardsOnly() throws IOException {
        assertNone(
                "These classes refer to a layer that is not below their own",
                upward(compiledClasses(CLASS_NAME)));
    }

    @Test
    void junitIsReferredToByItsExtensionOnly() throws IOException {
        List<Reference> references = compiledClasses(JUNIT_CLASS_NAME);
        assertNone("These classes refer to JUnit", outside(JUNIT_PACKAGE, references));
        assertFalse(references.isEmpty(), "the extension of JUnit does not refer to JUnit");
    }

    @Test
    void packagesFormNoCircle() throws IOException {
        assertNone(
                "These references close a circle of packages",
                circular(withoutWhatMayBeNamedFromBelow(compiledClasses(CLASS_NAME))));
    }

    /** It knows actors, and the system, by interfaces of its own. */
    @Test
    void theRoomOfSupervisorsNamesNoCellOfAnActor() throws IOException {
        List<Reference> references = compiledClasses(CLASS_NAME);
        assertNone(
                "These classes of supervisors name the inside of actors",
                references.stream()
                        .filter(r -> r.fromPackage().equals(SUPERVISORS))
                        .filter(r -> r.toPackage().equals(ACTORS_CELLS))
                        .toList());
        assertTrue(
                references.stream()
                        .filter(r -> r.fromPackage().equals(ACTORS_CELLS))
                        .anyMatch(r -> r.toPackage().equals(SUPERVISORS)),
                "no actor names the room of supervisors");
    }

    /** It knows actors as routees; how a caller waits is the actors' all the same. */
    @Test
    void theRoomOfRoutersNamesNoCellOfAnActor() throws IOException {
        List<Reference> references = compiledClasses(CLASS_NAME);
        String routers = ACTORS_CELLS + ".routing";
        assertNone(
                "These classes of routers name the cell of an actor",
                references.stream()
                        .filter(r -> r.fromPackage().equals(routers))
                        .filter(r -> r.to().equals(ACTORS_CELLS + ".ActorCell"))
                        .toList());
        assertTrue(
                references.stream()
                        .filter(r -> r.from().equals(ACTORS_CELLS + ".ActorCell"))
                        .anyMatch(r -> r.toPackage().equals(routers)),
                "no actor is a routee");
    }

    @Test
    void topicsReachIntoTheRoomOfOneFiberOnlyAsListed() throws IOException {
        assertEquals(
                List.of(),
                unlisted(compiledClasses(CLASS_NAME), REACHES),
                "build it on spi and the public parts of the kernel, or say in REACHES why they do"
                        + " not suffice; take off the list what does without");
    }

    @Test
    void seesWhatReachesIntoTheRoomOfOneFiberAndWhatNoLongerDoes() {
        Reference kernel =
                new Reference("dev.ropewalk.fibers.observe.Slice", ONE_FIBER + ".FiberImpl");
        Reference listed =
                new Reference("dev.ropewalk.fibers.sync.Lock$Node", ONE_FIBER + ".FiberImpl");
        Reference beside = new Reference("dev.ropewalk.fibers.sync.Once", ONE_FIBER + ".Outcome");
        Reference above = new Reference("dev.ropewalk.actors.Cell", ONE_FIBER + ".Ending");
        Map<String, Reach> reaches =
                Map.of("dev.ropewalk.fibers.sync", new Reach("It counts holds.", "Lock"));

        assertEquals(List.of(), unlisted(List.of(kernel, listed), reaches));
        assertEquals(
                List.of(
                        "dev.ropewalk.actors.Cell reaches into " + ONE_FIBER,
                        "dev.ropewalk.fibers.sync.Once reaches into " + ONE_FIBER),
                unlisted(List.of(kernel, listed, beside, above), reaches));
        assertEquals(
                List.of("dev.ropewalk.fibers.sync.Lock is listed without need"),
                unlisted(List.of(kernel), reaches));
    }

    /** Rooms below {@code internal} are no topics; those of other modules may not see this one. */
    private static List<String> unlisted(List<Reference> references, Map<String, Reach> reaches) {
        Set<String> reaching = new TreeSet<>();
        references.stream()
                .filter(r -> r.toPackage().equals(ONE_FIBER))
                .filter(r -> !groupOf(r.fromPackage()).equals("kernel"))
                .filter(r -> !r.from().startsWith("dev.ropewalk.fibers.internal."))
                .forEach(r -> reaching.add(topLevel(r.from())));
        Set<String> listed = new TreeSet<>();
        reaches.forEach(
                (topic, reach) -> reach.classes().forEach(name -> listed.add(topic + "." + name)));
        List<String> complaints = new ArrayList<>();
        for (String each : reaching) {
            if (!listed.contains(each)) {
                complaints.add(each + " reaches into " + ONE_FIBER);
            }
        }
        for (String each : listed) {
            if (!reaching.contains(each)) {
                complaints.add(each + " is listed without need");
            }
        }
        return complaints;
    }

    private static String topLevel(String className) {
        int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }

    @Test
    void onlyTheRoomOfStacksNamesContinuationsAndKindsOfStack() throws IOException {
        List<Reference> continuations = compiledClasses(CONTINUATION_NAME);
        assertNone("These classes refer to continuations", outside(STACKS, continuations));
        assertFalse(continuations.isEmpty(), "nothing refers to continuations");
        List<Reference> kinds = compiledClasses(KIND_OF_STACK_NAME);
        assertNone("These classes name a kind of stack", outside(STACKS, kinds));
        assertFalse(kinds.isEmpty(), "nothing names a kind of stack");
    }

    @Test
    void onlyTheRoomsOfSocketsAndOfCodecsNameNetty() throws IOException {
        List<Reference> references = compiledClasses(NETTY_NAME);
        assertNone(
                "These classes refer to Netty",
                references.stream()
                        .filter(r -> NETTY_ROOMS.stream().noneMatch(r.from()::startsWith))
                        .toList());
        assertFalse(references.isEmpty(), "nothing refers to Netty");
    }

    @Test
    void whatIsInternalIsExportedToOurOwnModulesOnly() throws IOException {
        for (String module :
                List.of(
                        "fibers",
                        "fibers/io",
                        "channels",
                        "channels/http",
                        "actors",
                        "actors/observer",
                        "actors/micrometer",
                        "actors/cluster",
                        "actors/cluster/jdbc",
                        "actors/opentelemetry")) {
            Path home = argsFile().getParent().resolve(module);
            Path file = classesOf(home).resolve("module-info.class");
            ModuleAttribute info =
                    ClassFile.of().parse(file).findAttribute(Attributes.module()).orElseThrow();
            assertFalse(info.exports().isEmpty(), () -> file + " exports nothing");
            for (ModuleExportInfo each : info.exports()) {
                String name = each.exportedPackage().name().stringValue();
                assertTrue(
                        !name.contains("/internal") || !each.exportsTo().isEmpty(),
                        () -> module + " exports " + name + " to all");
            }
        }
    }

    /**
     * Inner rooms throw the exceptions of {@code fibers}, and use its enums and functional
     * interfaces; these know no room themselves.
     */
    private static List<Reference> withoutWhatMayBeNamedFromBelow(List<Reference> references)
            throws IOException {
        Set<String> simple = new HashSet<>();
        Path root = argsFile().getParent();
        Path api = classesOf(root.resolve("fibers")).resolve("dev/ropewalk/fibers");
        try (Stream<Path> files = Files.list(api)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                ClassModel model = ClassFile.of().parse(file);
                boolean isFunction =
                        model.flags().has(AccessFlag.INTERFACE)
                                && model.methods().stream()
                                                .filter(m -> m.flags().has(AccessFlag.ABSTRACT))
                                                .count()
                                        == 1;
                String name = model.thisClass().asInternalName().replace('/', '.');
                if (isFunction
                        || model.flags().has(AccessFlag.ENUM)
                        || name.endsWith("Exception")) {
                    simple.add(name);
                }
            }
        }
        assertTrue(simple.contains("dev.ropewalk.fibers.StackPinnedException"), simple::toString);
        return references.stream().filter(r -> !simple.contains(r.to())).toList();
    }

    @Test
    void seesAReferenceWhereverItStands() {
        ClassDesc high = ClassDesc.of("dev.ropewalk.actors.High");
        Signature listOfHigh = Signature.parseFrom("Ljava/util/List<Ldev/ropewalk/actors/High;>;");

        assertSeen(low -> low.withSuperclass(high));
        assertSeen(low -> low.withField("field", high.arrayType(), 0));
        assertSeen(
                low ->
                        low.withField(
                                "list", CD_List, f -> f.with(SignatureAttribute.of(listOfHigh))));
        assertSeen(
                low -> low.withMethodBody("call", MTD_void, 0, b -> b.new_(high).pop().return_()));
    }

    private static void assertSeen(Consumer<ClassBuilder> content) {
        byte[] low = ClassFile.of().build(ClassDesc.of("dev.ropewalk.fibers.Low"), content);
        assertEquals(
                Set.of(new Reference("dev.ropewalk.fibers.Low", "dev.ropewalk.actors.High")),
                Set.copyOf(upward(references(low, CLASS_NAME))));
    }

    @Test
    void seesAReferenceToJUnit() {
        byte[] low =
                ClassFile.of()
                        .build(
                                ClassDesc.of("dev.ropewalk.fibers.testing.Low"),
                                content ->
                                        content.withField(
                                                "field",
                                                ClassDesc.of("org.junit.jupiter.api.Test"),
                                                0));
        List<Reference> references = references(low, JUNIT_CLASS_NAME);

        assertEquals(
                List.of(
                        new Reference(
                                "dev.ropewalk.fibers.testing.Low", "org.junit.jupiter.api.Test")),
                outside(JUNIT_PACKAGE, references));
        assertEquals(List.of(), outside("dev.ropewalk.fibers.testing", references));
    }

    @Test
    void allowsDownwardReferences() {
        Reference down = new Reference("dev.ropewalk.actors.High", "dev.ropewalk.fibers.Low");

        assertEquals(List.of(), upward(List.of(down)));
    }

    /** They stand side by side; a program joins them. */
    @Test
    void refusesThatActorsAndChannelsNameEachOther() {
        Reference toChannels =
                new Reference("dev.ropewalk.actors.Actor", "dev.ropewalk.channels.Channel");
        Reference toActors =
                new Reference("dev.ropewalk.channels.Channel", "dev.ropewalk.actors.Actor");
        Reference join = new Reference("dev.ropewalk.examples.Join", "dev.ropewalk.actors.Actor");

        assertEquals(List.of(toChannels, toActors), upward(List.of(toChannels, toActors, join)));
    }

    @Test
    void allowsTheExtensionOfJUnitToReferToFibersAndNothingToReferToIt() {
        String extension = JUNIT_PACKAGE + ".High";
        Reference down = new Reference(extension, "dev.ropewalk.fibers.testing.Low");
        Reference up = new Reference("dev.ropewalk.fibers.testing.Low", extension);
        Reference aside = new Reference("dev.ropewalk.channels.High", extension);

        assertEquals(List.of(up, aside), upward(List.of(down, up, aside)));
    }

    @Test
    void seesCircles() {
        Reference down = new Reference("dev.ropewalk.fibers.io.Tcp", "dev.ropewalk.fibers.Fiber");
        Reference aside =
                new Reference("dev.ropewalk.fibers.io.Tcp", "dev.ropewalk.fibers.sync.Lock");
        Reference back = new Reference("dev.ropewalk.fibers.Fiber", "dev.ropewalk.fibers.io.Tcp");

        assertEquals(List.of(), circular(List.of(down, aside)));
        assertEquals(List.of(down, back), circular(List.of(down, aside, back)));
    }

    @Test
    void seesCirclesOfGroupsAndNoneWithinThem() {
        Reference in =
                new Reference(
                        "dev.ropewalk.fibers.Fiber", "dev.ropewalk.fibers.internal.cord.Loop");
        Reference within =
                new Reference(
                        "dev.ropewalk.fibers.internal.cord.Loop", "dev.ropewalk.fibers.Fiber");
        Reference out =
                new Reference(
                        "dev.ropewalk.fibers.internal.task.Tasks",
                        "dev.ropewalk.fibers.internal.cord.Loop");
        Reference up =
                new Reference("dev.ropewalk.fibers.Fiber", "dev.ropewalk.fibers.scheduler.Dag");

        assertEquals(List.of(), circular(List.of(in, within, out)));
        assertEquals(List.of(out, up), circular(List.of(in, within, out, up)));
    }

    private static void assertNone(String what, List<Reference> references) {
        Set<Reference> distinct = new LinkedHashSet<>(references);
        assertTrue(distinct.isEmpty(), () -> what + ": " + distinct);
    }

    private static List<Reference> upward(List<Reference> references) {
        return references.stream()
                .filter(r -> !isDownward(layerOf(r.from()), layerOf(r.to())))
                .toList();
    }

    private static boolean isDownward(Layer from, Layer to) {
        return from.equals(to) || from.below().contains(to.packages());
    }

    /** Of two the one whose packages are within those of the other. */
    private static Layer layerOf(String className) {
        return LAYERS.stream()
                .filter(layer -> layer.has(className))
                .max(Comparator.comparingInt(layer -> layer.packages().length()))
                .orElseThrow(
                        () ->
                                new AssertionError(
                                        className + " is in none of the layers " + LAYERS));
    }

    private static List<Reference> outside(String allowed, List<Reference> references) {
        return references.stream().filter(r -> !r.fromPackage().equals(allowed)).toList();
    }

    /** The references between two packages or groups that can each be reached from the other. */
    private static List<Reference> circular(List<Reference> references) {
        Map<String, Set<String>> graph = new TreeMap<>();
        for (Reference reference : references) {
            graph.computeIfAbsent(groupOf(reference.fromPackage()), _ -> new TreeSet<>())
                    .add(groupOf(reference.toPackage()));
        }
        return references.stream()
                .filter(r -> !groupOf(r.fromPackage()).equals(groupOf(r.toPackage())))
                .filter(
                        r ->
                                reachable(graph, groupOf(r.toPackage()))
                                        .contains(groupOf(r.fromPackage())))
                .toList();
    }

    /** The package itself if it is in no group. */
    private static String groupOf(String packageName) {
        return GROUPS.entrySet().stream()
                .filter(group -> group.getValue().contains(packageName))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(packageName);
    }

    private static Set<String> reachable(Map<String, Set<String>> graph, String start) {
        Set<String> seen = new HashSet<>();
        Deque<String> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            String next = open.remove();
            if (seen.add(next)) {
                open.addAll(graph.getOrDefault(next, Set.of()));
            }
        }
        return seen;
    }

    private static String packageOf(String className) {
        return className.substring(0, className.lastIndexOf('.'));
    }

    /** Where the build that runs this test puts the classes of a module. */
    static Path classesOf(Path module) {
        return module.resolve(System.getProperty("ropewalk.target", "target")).resolve("classes");
    }

    private static List<Reference> compiledClasses(Pattern names) throws IOException {
        Path root = argsFile().getParent();
        List<Reference> references = new ArrayList<>();
        for (Layer layer : LAYERS) {
            Path classes = classesOf(root.resolve(layer.directory()));
            references.addAll(referencesBelow(classes, names));
        }
        return references;
    }

    private static Path argsFile() {
        String argsFile = System.getProperty("ropewalk.args.file");
        assertFalse(
                argsFile == null,
                "ropewalk.args.file is not set: run with mvn, or pass -Dropewalk.args.file=<path>");
        return Path.of(argsFile).toAbsolutePath();
    }

    private static List<Reference> referencesBelow(Path classes, Pattern names) throws IOException {
        assertTrue(Files.isDirectory(classes), () -> classes + " is missing: run mvn compile");
        List<Reference> references = new ArrayList<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(".class"))
                            .filter(f -> !f.endsWith("module-info.class"))
                            .toList()) {
                references.addAll(references(Files.readAllBytes(file), names));
            }
        }
        return references;
    }

    private static List<Reference> references(byte[] classBytes, Pattern names) {
        ClassModel model = ClassFile.of().parse(classBytes);
        String from = model.thisClass().asInternalName().replace('/', '.');
        List<Reference> references = new ArrayList<>();
        for (PoolEntry entry : model.constantPool()) {
            if (entry instanceof Utf8Entry text) {
                Matcher name = names.matcher(text.stringValue());
                while (name.find()) {
                    references.add(new Reference(from, name.group().replace('/', '.')));
                }
            }
        }
        return references;
    }
}
