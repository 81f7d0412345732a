package dev.ropewalk.examples.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is used of the JDK's inside is listed on the page about tools, and is there. On a new JDK
 * this is the first test to run.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class JdkTiesTest {
    private static final Path PAGE = Path.of("../docs/guide/tools.md");
    private static final Path SOURCES = Path.of("../fibers/src/main/java");
    private static final Pattern TABLE =
            Pattern.compile("<!-- inside of the JDK -->(.+?)<!-- end -->", Pattern.DOTALL);
    private static final Pattern TIE =
            Pattern.compile("`([\\w.$]+)(?:#(\\w+)(?:\\(([\\w, ]*)\\))?)?`");

    /** How sources name what is inside: by an import, or in quotes. */
    private static final Pattern IMPORT =
            Pattern.compile("import ((?:jdk\\.internal|sun)\\.[\\w.]+);");

    private static final Pattern QUOTED =
            Pattern.compile("\"((?:sun\\.misc|java\\.lang|jdk\\.internal\\.vm)\\.[\\w.$]+)\"");
    private static final Pattern MEMBER =
            Pattern.compile("\"(asyncGetStackTrace|defaultScheduler|\\w*hreadLocals)\"");

    private static String table() throws IOException {
        Matcher table = TABLE.matcher(Files.readString(PAGE));
        assertTrue(table.find(), () -> "no table of what is inside of the JDK in " + PAGE);
        return table.group(1);
    }

    @Test
    void F11_whatIsUsedOfTheJdksInsideIsThere() throws IOException {
        Set<String> missing = new TreeSet<>();
        int ties = 0;
        for (String line : table().lines().filter(each -> each.startsWith("| `")).toList()) {
            String first = line.substring(1, line.indexOf('|', 1));
            for (Matcher tie = TIE.matcher(first); tie.find(); ties++) {
                if (!isThere(tie)) {
                    missing.add(tie.group());
                }
            }
        }
        assertEquals(Set.of(), missing, "not there in JDK " + Runtime.version());
        assertTrue(ties >= 10, "ties=" + ties);
    }

    /** A class, a field of it, or a method or constructor with the types of its parameters. */
    private static boolean isThere(Matcher tie) {
        Class<?> type;
        try {
            type = Class.forName(tie.group(1), false, JdkTiesTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return false;
        }
        String member = tie.group(2);
        if (member == null) {
            return true;
        }
        if (tie.group(3) == null) {
            return Arrays.stream(type.getDeclaredFields())
                    .anyMatch(each -> each.getName().equals(member));
        }
        Stream<Executable> all =
                Stream.concat(
                        Arrays.stream(type.getDeclaredConstructors()),
                        Arrays.stream(type.getDeclaredMethods()));
        return all.anyMatch(each -> text(each).equals(member + "(" + tie.group(3) + ")"));
    }

    private static String text(Executable method) {
        String name =
                method instanceof Constructor<?>
                        ? method.getDeclaringClass().getSimpleName()
                        : method.getName();
        return Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", name + "(", ")"));
    }

    @Test
    void F11_nothingElseIsUsedOfTheJdksInside() throws IOException {
        String table = table();
        Set<String> missing = new TreeSet<>();
        int found = 0;
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String source = Files.readString(file);
                for (Pattern pattern : new Pattern[] {IMPORT, QUOTED, MEMBER}) {
                    for (Matcher use = pattern.matcher(source); use.find(); found++) {
                        if (!table.contains(use.group(1))) {
                            missing.add(file.getFileName() + ": " + use.group(1));
                        }
                    }
                }
            }
        }
        assertEquals(Set.of(), missing, "used, but not in " + PAGE);
        assertTrue(found >= 10, "found=" + found);
    }
}
