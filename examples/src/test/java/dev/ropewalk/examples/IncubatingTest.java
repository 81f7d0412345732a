package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Incubating;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.ModuleExportInfo;
import java.lang.classfile.attribute.RuntimeInvisibleAnnotationsAttribute;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A package that programs can call is used by the main code of an example, or is marked {@link
 * Incubating}, or stands here with the reason why neither; and not two of the three, unless it
 * stands here as one that is used and not complete.
 */
@Timeout(60)
class IncubatingTest {
    private static final List<String> MODULES =
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
                    "actors/opentelemetry");

    /** Packages that examples do not judge, and why. */
    private static final Map<String, String> JUDGED_BY_OTHERS =
            Map.of(
                    "dev.ropewalk.actors.spi", "routers and probes stand on it, which programs use",
                    "dev.ropewalk.fibers.io.testing", "tests use it",
                    "dev.ropewalk.fibers.testing", "tests use it");

    /** Packages that an example uses and that may change all the same, and why. */
    private static final Map<String, String> NOT_COMPLETE =
            Map.of(
                    "dev.ropewalk.actors.cluster",
                    "groups, links and room in the mailboxes of other nodes are to come",
                    "dev.ropewalk.actors.cluster.entity",
                    "remembered entities are to come",
                    "dev.ropewalk.actors.observer",
                    "charts of more are to come",
                    "dev.ropewalk.fibers.metrics",
                    "distributions of times are to come",
                    "dev.ropewalk.actors.server",
                    "entities that outlive their process have just begun to use it",
                    "dev.ropewalk.actors.cluster.store",
                    "no program outside has an engine of its own yet",
                    "dev.ropewalk.actors.cluster.jdbc",
                    "it is as young as the store",
                    "dev.ropewalk.actors.cluster.ratis",
                    "TLS and changes of the servers are to come");

    private static final Pattern CLASS_NAME =
            Pattern.compile("dev/ropewalk/((?:\\w+/)*)[\\w$]*[A-Z][\\w$]*");

    private static final String MARK = " * <p>Incubating: may change in any version, because ";

    private static Path root() {
        return Path.of(System.getProperty("ropewalk.args.file")).toAbsolutePath().getParent();
    }

    private static ClassModel parse(Path file) throws IOException {
        return ClassFile.of().parse(file);
    }

    /** The packages that all may call, each with whether it is marked. */
    private static Map<String, Boolean> exported() throws IOException {
        Map<String, Boolean> all = new TreeMap<>();
        for (String module : MODULES) {
            Path classes = LayeringTest.classesOf(root().resolve(module));
            ClassModel info = parse(classes.resolve("module-info.class"));
            for (ModuleExportInfo each :
                    info.findAttribute(Attributes.module()).orElseThrow().exports()) {
                if (each.exportsTo().isEmpty()) {
                    String name = each.exportedPackage().name().stringValue();
                    Path file = classes.resolve(name).resolve("package-info.class");
                    all.put(name.replace('/', '.'), isMarked(file));
                }
            }
        }
        assertTrue(all.containsKey("dev.ropewalk.fibers"), all.toString());
        return all;
    }

    private static boolean isMarked(Path packageInfo) throws IOException {
        List<Annotation> annotations =
                parse(packageInfo)
                        .findAttribute(Attributes.runtimeInvisibleAnnotations())
                        .map(RuntimeInvisibleAnnotationsAttribute::annotations)
                        .orElse(List.of());
        return annotations.stream()
                .anyMatch(
                        each -> each.className().equalsString(Incubating.class.descriptorString()));
    }

    /** The packages of which the compiled examples name a class. */
    private static Set<String> used() throws IOException {
        Set<String> used = new TreeSet<>();
        Path classes = LayeringTest.classesOf(root().resolve("examples"));
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".class")).toList()) {
                for (PoolEntry entry : parse(file).constantPool()) {
                    if (entry instanceof Utf8Entry text) {
                        Matcher name = CLASS_NAME.matcher(text.stringValue());
                        while (name.find()) {
                            String path = "dev/ropewalk/" + name.group(1);
                            used.add(path.substring(0, path.length() - 1).replace('/', '.'));
                        }
                    }
                }
            }
        }
        assertTrue(used.contains("dev.ropewalk.examples.build"), used.toString());
        return used;
    }

    @Test
    void eachExportedPackageIsUsedByAnExampleOrSaysThatItMayChange() throws IOException {
        Set<String> used = used();
        List<String> wrong = new ArrayList<>();
        exported()
                .forEach(
                        (name, isMarked) -> {
                            boolean isListed = JUDGED_BY_OTHERS.containsKey(name);
                            if (!used.contains(name) && !isMarked && !isListed) {
                                wrong.add(name + ": no example uses it; mark it @Incubating");
                            }
                            boolean isOpen = NOT_COMPLETE.containsKey(name);
                            if (isOpen && !(used.contains(name) && isMarked)) {
                                wrong.add(name + ": take it off NOT_COMPLETE of this test");
                            }
                            if (used.contains(name) && isMarked && !isOpen) {
                                wrong.add(name + ": an example uses it; take @Incubating away");
                            }
                            if (isListed && (isMarked || used.contains(name))) {
                                wrong.add(name + ": take it off the list of this test");
                            }
                        });
        assertEquals(List.of(), wrong);
    }

    @Test
    void whatIsListedIsExported() throws IOException {
        assertTrue(exported().keySet().containsAll(JUDGED_BY_OTHERS.keySet()));
    }

    /** So that the reader of the Javadoc need not look up the annotation. */
    @Test
    void eachMarkedPackageSaysSoInWords() throws IOException {
        List<String> silent = new ArrayList<>();
        for (Map.Entry<String, Boolean> each : exported().entrySet()) {
            if (each.getValue() && !source(each.getKey()).contains(MARK)) {
                silent.add(each.getKey());
            }
        }
        assertEquals(List.of(), silent);
    }

    private static String source(String packageName) throws IOException {
        for (String module : MODULES) {
            Path file =
                    root().resolve(module)
                            .resolve("src/main/java")
                            .resolve(packageName.replace('.', '/'))
                            .resolve("package-info.java");
            if (Files.exists(file)) {
                return Files.readString(file);
            }
        }
        throw new AssertionError(packageName + " has no package-info.java in " + MODULES);
    }
}
