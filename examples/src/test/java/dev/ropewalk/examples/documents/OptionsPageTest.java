package dev.ropewalk.examples.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.observe.DumpOptions;
import dev.ropewalk.fibers.observe.SliceLimits;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.FiberSupervision;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.sync.Mutex;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The page of all options has all of them, none that is not there, and their real defaults. The
 * options are read off the compiled classes and the sources.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("needs-flags") // loads each class of Ropewalk
class OptionsPageTest {
    private static final Path PAGE = Path.of("../docs/guide/options.md");
    private static final Path ARGS = Path.of("../ropewalk.args");
    private static final Path CLASSES =
            Path.of("../fibers", System.getProperty("ropewalk.target", "target"), "classes");

    /** Its jars are not here; what cannot be loaded without them has no options. */
    private static final String NEEDS_IO_URING =
            "dev/ropewalk/fibers/internal/reactor/UringHandler";

    private static final Pattern SECTION =
            Pattern.compile("<!-- options: (.+?) -->(.+?)<!-- end -->", Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern CALL = Pattern.compile("(\\w+)\\(([^()]*)\\)");
    private static final Pattern PROPERTY =
            Pattern.compile("(?:-D|(?<=[(= ])\")(ropewalk\\.[a-zA-Z]+)");

    /** A default that somebody has to give. */
    private static final String NAME = "of the test";

    private static final List<Object> DEFAULTS =
            List.of(
                    CordOptions.named(NAME),
                    CordOptions.named(NAME).thread(),
                    CordOptions.named(NAME).watch(),
                    CordOptions.named(NAME).watch().sliceLimits(),
                    SchedulerOptions.named(NAME),
                    BlockingOptions.named(NAME),
                    DumpOptions.into(Path.of(NAME)),
                    FiberSupervision.restarting(RestartRule.TRANSIENT),
                    BackOff.NONE);

    private static final String TEXT = text();

    private static String text() {
        try {
            return Files.readString(PAGE);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---------------------------------------------------------------- the page

    /** The cells of the lines of all tables, without the outer bars. */
    private static List<List<String>> rows(String text) {
        return text.lines()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.substring(1, line.lastIndexOf('|')))
                .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
                .toList();
    }

    private static List<String> code(String text) {
        List<String> all = new ArrayList<>();
        for (Matcher code = CODE.matcher(text); code.find(); ) {
            all.add(code.group(1));
        }
        return all;
    }

    /** What stands in a cell as code, without arguments. */
    private static List<String> names(String cell) {
        return code(cell).stream().map(name -> name.replaceAll("\\(.*", "")).toList();
    }

    /** The first cells of all rows that have such names there. */
    private static Set<String> firstNames(Pattern pattern) {
        Set<String> found = new TreeSet<>();
        for (List<String> row : rows(TEXT)) {
            names(row.getFirst()).stream()
                    .filter(name -> pattern.matcher(name).matches())
                    .forEach(found::add);
        }
        return found;
    }

    // ---------------------------------------------------------------- the code

    private static List<Class<?>> publicClasses() throws IOException {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> each : allClasses()) {
            if (Modifier.isPublic(each.getModifiers()) && !each.isMemberClass()) {
                found.add(each);
            }
        }
        assertTrue(found.contains(CordOptions.class) && found.contains(Mutex.class));
        return found;
    }

    private static List<Class<?>> allClasses() throws IOException {
        try (Stream<Path> files = Files.walk(CLASSES)) {
            List<Class<?>> found = new ArrayList<>();
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                String name = CLASSES.relativize(file).toString().replace(".class", "");
                if (!name.endsWith("-info") && !name.startsWith(NEEDS_IO_URING)) {
                    found.add(Class.forName(name.replace('/', '.'), false, loader()));
                }
            }
            return found;
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static ClassLoader loader() {
        return OptionsPageTest.class.getClassLoader();
    }

    private static List<Method> publicMethods(Class<?> type, boolean isStatic) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(each -> Modifier.isPublic(each.getModifiers()) && !each.isSynthetic())
                .filter(each -> Modifier.isStatic(each.getModifiers()) == isStatic)
                .toList();
    }

    /** Those that change something, and the options that they consist of. */
    private static Set<Class<?>> optionClasses() throws IOException {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> each : publicClasses()) {
            boolean hasWith =
                    publicMethods(each, false).stream()
                            .anyMatch(
                                    method ->
                                            method.getName().matches("with[A-Z]\\w*")
                                                    && method.getReturnType() == each);
            if (hasWith) {
                found.add(each);
            }
        }
        for (int i = 0; i < found.size(); i++) {
            for (Method part : components(found.get(i))) {
                Class<?> type = part.getReturnType();
                if (!components(type).isEmpty() && !found.contains(type)) {
                    found.add(type);
                }
            }
        }
        return Set.copyOf(found);
    }

    /** Readers of all values, those of a record or of options; none for other classes. */
    private static List<Method> components(Class<?> type) {
        List<Method> found = new ArrayList<>();
        if (type.isRecord()) {
            for (RecordComponent part : type.getRecordComponents()) {
                found.add(part.getAccessor());
            }
        }
        for (Class<?> values : type.getDeclaredClasses()) {
            if (values.getSimpleName().equals("Values")) {
                for (Field value : values.getDeclaredFields()) {
                    found.add(reader(type, value));
                }
            }
        }
        return found;
    }

    private static Method reader(Class<?> type, Field value) {
        try {
            Method reader = type.getMethod(value.getName());
            assertEquals(value.getGenericType(), reader.getGenericReturnType(), reader::toString);
            return reader;
        } catch (NoSuchMethodException e) {
            throw new AssertionError(value + " cannot be read", e);
        }
    }

    /** Components, what makes one, and what changes one. */
    private static Set<String> settings(Class<?> type) {
        Set<String> all = new TreeSet<>();
        for (Method part : components(type)) {
            all.add(part.getName());
        }
        for (boolean isStatic : new boolean[] {false, true}) {
            for (Method method : publicMethods(type, isStatic)) {
                if (method.getReturnType() == type) {
                    all.add(method.getName());
                }
            }
        }
        return all;
    }

    private static Class<?> classCalled(String name) throws IOException {
        return publicClasses().stream()
                .filter(each -> each.getSimpleName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the page names a class " + name));
    }

    // ---------------------------------------------------------------- options

    @Test
    void eachOptionHasARowAndEachRowAnOption() throws IOException {
        Set<String> listed = new TreeSet<>();
        for (Matcher section = SECTION.matcher(TEXT); section.find(); ) {
            Set<String> expected = new TreeSet<>();
            for (String name : section.group(1).split(" ", -1)) {
                assertTrue(listed.add(name), () -> name + " is there twice");
                expected.addAll(settings(classCalled(name)));
            }
            Set<String> found = new TreeSet<>();
            for (List<String> row : rows(section.group(2))) {
                assertEquals(4, row.size(), () -> "cells of " + row);
                found.addAll(names(row.get(0)));
                found.addAll(names(row.get(1)));
            }
            assertEquals(expected, found, "the options of " + section.group(1));
        }
        Set<String> all = new TreeSet<>();
        optionClasses().forEach(each -> all.add(each.getSimpleName()));
        assertEquals(all, listed, "the classes that have a table");
        for (Class<?> clock : CordOptions.Clock.class.getPermittedSubclasses()) {
            assertTrue(TEXT.contains("`" + clock.getSimpleName()), () -> clock + " is not there");
        }
    }

    /** One more option must not take a constructor away from those who call it. */
    @Test
    void optionsThatCanBeChangedHaveNoPublicConstructor() throws IOException {
        for (Class<?> each : optionClasses()) {
            boolean isPair = each == SliceLimits.class;
            assertEquals(isPair ? 1 : 0, each.getConstructors().length, each.getName());
            assertEquals(isPair, each.isRecord(), each.getName());
        }
    }

    @Test
    void defaultsAreTheRealOnes() throws ReflectiveOperationException, IOException {
        Set<Class<?>> unknown = new HashSet<>(optionClasses());
        unknown.removeIf(each -> components(each).isEmpty());
        assertTrue(unknown.size() >= DEFAULTS.size(), unknown::toString);
        DEFAULTS.forEach(each -> unknown.remove(each.getClass()));
        assertEquals(Set.of(), unknown, "options whose defaults this test does not know");
        for (Matcher section = SECTION.matcher(TEXT); section.find(); ) {
            List<String> types = List.of(section.group(1).split(" ", -1));
            for (List<String> row : rows(section.group(2))) {
                for (String component : names(row.get(1))) {
                    assertDefault(types, component, row.get(2).replace("`", ""));
                }
            }
        }
    }

    /** What is there once has its value there; of two with one name either. */
    private static void assertDefault(List<String> types, String component, String cell)
            throws ReflectiveOperationException {
        List<@Nullable String> real = new ArrayList<>();
        for (Object each : DEFAULTS) {
            for (Method part : components(each.getClass())) {
                if (types.contains(each.getClass().getSimpleName())
                        && part.getName().equals(component)) {
                    real.add(shown(component, part.invoke(each)));
                }
            }
        }
        assertTrue(!cell.isEmpty(), () -> "no default for " + component);
        assertTrue(
                real.contains(cell) || real.contains(null),
                () -> component + " is " + real + " by default, not " + cell);
    }

    /** As on the page; null for what has no short name, as code and other options. */
    private static @Nullable String shown(String component, @Nullable Object value) {
        return switch (value) {
            case null -> "none";
            case Integer cords when component.equals("cords") ->
                    cords == Runtime.getRuntime().availableProcessors()
                            ? "one for each processor"
                            : String.valueOf(cords);
            case Boolean late when component.equals("lateUnmount") ->
                    late == Boolean.getBoolean("ropewalk.lateUnmount") ? "off" : "on";
            case Long size when component.equals("stackSize") -> (size >> 20) + " MiB";
            case Boolean on -> on ? "on" : "off";
            case Integer number ->
                    number == Integer.MAX_VALUE
                            ? "no bound"
                            : String.format(Locale.ROOT, "%,d", number);
            case Double number -> String.format(Locale.ROOT, "%.0f", number);
            case Duration time -> shown(time);
            case String name -> name.equals(NAME) ? "given" : name;
            case RestartRule _ -> "given";
            case Enum<?> one -> one.name();
            case CordOptions.RealClock _ -> "real time";
            case Collection<?> many -> many.isEmpty() ? "none" : many.toString();
            default -> null;
        };
    }

    private static String shown(Duration time) {
        if (time.equals(Waits.FOREVER)) {
            return "no limit";
        }
        return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }

    // ---------------------------------------------------------------- calls

    /** The page calls only methods that are there, and all that make a part of sync or a test. */
    @Test
    void callsExistAndFactoriesAreNamed() throws IOException {
        Set<String> onPage = new TreeSet<>();
        for (String code : code(TEXT)) {
            Matcher call = Pattern.compile("([A-Z]\\w+)\\." + CALL).matcher(code);
            if (call.matches()) {
                onPage.add(call.group(1) + "." + call.group(2) + "/" + count(call.group(3)));
            }
        }
        Set<String> real = new TreeSet<>();
        Set<String> needed = new TreeSet<>();
        for (Class<?> each : publicClasses()) {
            for (Method method : publicMethods(each, true)) {
                real.add(signature(each, method));
                boolean makesSync =
                        each.getPackage() == Mutex.class.getPackage()
                                && method.getReturnType() == each
                                && method.getName().matches("(local|shared).*");
                if (makesSync || each == TestCord.class || each == TestCords.class) {
                    needed.add(signature(each, method));
                }
            }
            publicMethods(each, false).forEach(method -> real.add(signature(each, method)));
        }
        assertTrue(needed.size() > 20, needed::toString);
        needed.removeAll(onPage);
        assertEquals(Set.of(), needed, "missing on the page");
        onPage.removeAll(real);
        assertEquals(Set.of(), onPage, "named on the page, but not there");
    }

    private static String signature(Class<?> type, Method method) {
        return type.getSimpleName() + "." + method.getName() + "/" + method.getParameterCount();
    }

    private static int count(String arguments) {
        return arguments.isBlank() ? 0 : arguments.split(",", -1).length;
    }

    // ---------------------------------------------------------------- properties and flags

    /** Metrics have names of the same form. */
    private static boolean mayReadProperties(Path file) {
        return file.toString().endsWith(".java") && !file.toString().endsWith("Metrics.java");
    }

    @Test
    void systemPropertiesAreThoseOfTheSources() throws IOException {
        Set<String> read = new TreeSet<>();
        for (String module :
                List.of("fibers", "fibers/testing", "fibers/io", "channels", "actors")) {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                for (Path file : files.filter(OptionsPageTest::mayReadProperties).toList()) {
                    Matcher property = PROPERTY.matcher(Files.readString(file));
                    while (property.find()) {
                        read.add(property.group(1));
                    }
                }
            }
        }
        assertTrue(read.contains("ropewalk.seed"), read::toString);
        assertEquals(read, firstNames(Pattern.compile("ropewalk\\..*")));
    }

    @Test
    void flagsAreThoseOfTheArgumentFile() throws IOException {
        Set<String> flags = new TreeSet<>(Files.readAllLines(ARGS));
        assertEquals(flags, firstNames(Pattern.compile("--.*")));
    }

    /** Also private ones, wherever they stand. */
    @Test
    void numbersThatCannotBeChangedAreThoseOfTheCode()
            throws IOException, ReflectiveOperationException {
        String table = TEXT.substring(TEXT.indexOf("## What cannot be changed"));
        List<List<String>> rows = rows(table);
        assertTrue(rows.size() > 5, rows::toString);
        for (List<String> row : rows.subList(1, rows.size())) {
            String name = names(row.getFirst()).getFirst();
            assertEquals(List.of(row.get(1)), constants(name), name);
        }
    }

    private static List<String> constants(String name)
            throws IOException, ReflectiveOperationException {
        List<String> values = new ArrayList<>();
        for (Class<?> each : allClasses()) {
            for (Field field : each.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    values.add(
                            String.format(
                                    Locale.ROOT, "%,d", ((Number) field.get(null)).longValue()));
                }
            }
        }
        return values;
    }
}
