package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The lines of {@link ApiFixture}, and their order. */
@Timeout(60)
class ApiLinesTest {
    private static final String HERE = "dev.ropewalk.examples.";

    @Test
    void aClassHasConstantsFieldsConstructorsAndMethods() throws Exception {
        assertEquals(
                """
                ApiFixture public abstract class ApiFixture
                ApiFixture#FLAG public static final boolean = true
                ApiFixture#LETTER public static final char = '\\u000a'
                ApiFixture#NO_CONSTANT public static final java.util.List<String>
                ApiFixture#NUMBER public static final int = 7
                ApiFixture#TEXT public static final String = "a \\"b\\""
                ApiFixture#field protected @Nullable String
                ApiFixture#isAbstract() public abstract int
                ApiFixture#isDeprecated() @Deprecated(forRemoval = true) public void
                ApiFixture#isFinal() public final void
                ApiFixture#isStatic(int, long[]...) protected static void
                ApiFixture#new() protected
                ApiFixture#throwsThem() public void throws InterruptedException, java.io.IOException
                """,
                linesOf("ApiFixture"));
    }

    @Test
    void genericsHaveBoundsWildcardsAndWhatMayBeNull() throws Exception {
        assertEquals(
                """
                ApiFixture.Generic public interface Generic\
                <K extends Comparable<? super K> & java.util.function.Supplier<String>,\
                 V extends @Nullable Object>
                ApiFixture.Generic#call\
                (java.util.Map<K, ? extends @Nullable V>, @Nullable String @Nullable [])\
                 public abstract <X extends Exception> @Nullable V throws X
                ApiFixture.Generic#entry() public default java.util.Map.Entry<?, V>
                ApiFixture.Generic#helps() public static void
                """,
                linesOf("ApiFixture.Generic"));
    }

    @Test
    void aSealedTypePermitsThoseThatCanBeNamed() throws Exception {
        assertEquals(
                """
                ApiFixture.Shape public sealed interface Shape permits\
                 dev.ropewalk.examples.ApiFixture.Shape.Flat,\
                 dev.ropewalk.examples.ApiFixture.Shape.Round
                """,
                linesOf("ApiFixture.Shape"));
        assertEquals("", linesOf("ApiFixture.HiddenShape"));
    }

    @Test
    void aRecordHasComponentsInTheirOrder() throws Exception {
        assertEquals(
                """
                ApiFixture.Shape.Round public record Round(double radius, @Nullable String name)\
                 implements dev.ropewalk.examples.ApiFixture.Shape
                ApiFixture.Shape.Round#NONE public static final\
                 dev.ropewalk.examples.ApiFixture.Shape.Round
                ApiFixture.Shape.Round#name() public @Nullable String
                ApiFixture.Shape.Round#new(double, @Nullable String) public
                ApiFixture.Shape.Round#radius() public double
                """,
                linesOf("ApiFixture.Shape.Round"));
    }

    @Test
    void anEnumHasItsConstants() throws Exception {
        assertEquals(
                """
                ApiFixture.Shape.Flat public enum Flat implements\
                 dev.ropewalk.examples.ApiFixture.Shape
                ApiFixture.Shape.Flat#LINE enum constant
                ApiFixture.Shape.Flat#POINT enum constant
                """,
                linesOf("ApiFixture.Shape.Flat"));
    }

    @Test
    void anAnnotationHasElementsAndTheirDefaults() throws Exception {
        assertEquals(
                """
                ApiFixture.Marked\
                 @java.lang.annotation.Retention(value =\
                 java.lang.annotation.RetentionPolicy.RUNTIME)\
                 @java.lang.annotation.Target(value = {java.lang.annotation.ElementType.TYPE,\
                 java.lang.annotation.ElementType.METHOD})\
                 public @interface Marked
                ApiFixture.Marked#nested() public abstract Deprecated\
                 default @Deprecated(since = "1")
                ApiFixture.Marked#numbers() public abstract int[] default {1, 2}
                ApiFixture.Marked#policy() public abstract java.lang.annotation.RetentionPolicy\
                 default java.lang.annotation.RetentionPolicy.CLASS
                ApiFixture.Marked#type() public abstract Class<?> default Object.class
                ApiFixture.Marked#value() public abstract String
                """,
                linesOf("ApiFixture.Marked"));
    }

    /**
     * And no bridge, such as {@code compare(Object, Object)}; nothing of a final class is
     * protected.
     */
    @Test
    void whatIsInheritedFromAHiddenClassIsOfTheOneThatIsSeen() throws Exception {
        assertEquals(
                """
                ApiFixture.Seen public static final class Seen implements java.util.Comparator<String>
                ApiFixture.Seen#compare(String, String) public int
                ApiFixture.Seen#inherited() public void
                ApiFixture.Seen#new() public
                """,
                linesOf("ApiFixture.Seen"));
        assertEquals("", linesOf("ApiFixture.Hidden"));
    }

    @Test
    void anInnerClassIsNotStatic() throws Exception {
        assertEquals(
                """
                ApiFixture.Inner protected class Inner
                ApiFixture.Inner#new(dev.ropewalk.examples.ApiFixture) protected
                ApiFixture.Inner#next() public @Nullable dev.ropewalk.examples.ApiFixture.Inner
                """,
                linesOf("ApiFixture.Inner"));
    }

    @Test
    void aPackageThatIsNotExportedHasNone() throws Exception {
        assertEquals(List.of(), linesOf(_ -> false));
    }

    @Test
    void theLinesOfATypeStandTogether() throws Exception {
        List<String> types =
                linesOf(_ -> true).stream().map(line -> line.split("[ #]", 2)[0]).toList();

        long changes =
                IntStream.range(1, types.size())
                        .filter(i -> !types.get(i).equals(types.get(i - 1)))
                        .count();

        assertEquals(types.stream().distinct().count(), changes + 1, types::toString);
    }

    /** Without the package in front. */
    private static String linesOf(String type) throws IOException, URISyntaxException {
        String name = HERE + type;
        return linesOf("dev/ropewalk/examples"::equals).stream()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "#"))
                .map(line -> line.substring(HERE.length()) + "\n")
                .collect(Collectors.joining());
    }

    private static List<String> linesOf(Predicate<String> isExported)
            throws IOException, URISyntaxException {
        Path classes =
                Path.of(
                        ApiFixture.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        Map<String, ClassModel> models = new TreeMap<>();
        try (Stream<Path> files = Files.list(classes.resolve("dev/ropewalk/examples"))) {
            for (Path file :
                    files.filter(f -> f.getFileName().toString().startsWith("ApiFixture"))
                            .toList()) {
                ClassModel model = ClassFile.of().parse(file);
                models.put(model.thisClass().asInternalName(), model);
            }
        }
        return new ApiLines(models, isExported).of(models.keySet());
    }
}
