package dev.ropewalk.examples;

import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** One of each that {@link ApiLines} writes down; {@link ApiLinesTest} knows the lines. */
@NullMarked
public abstract class ApiFixture {
    public static final int NUMBER = 7;
    public static final char LETTER = '\n';
    public static final boolean FLAG = true;
    public static final String TEXT = "a \"b\"";
    public static final List<String> NO_CONSTANT = List.of();

    protected @Nullable String field;
    int ofThePackage;

    protected ApiFixture() {}

    ApiFixture(int ofThePackage) {
        this.ofThePackage = ofThePackage;
    }

    public abstract int isAbstract();

    public final void isFinal() {}

    protected static void isStatic(int number, long[]... more) {}

    public void throwsThem() throws IOException, InterruptedException {}

    @Deprecated(forRemoval = true)
    public void isDeprecated() {}

    void isOfThePackage() {}

    /** Bounds, wildcards, and values that may be null. */
    public interface Generic<
            K extends Comparable<? super K> & Supplier<String>, V extends @Nullable Object> {
        <X extends Exception> @Nullable V call(
                Map<K, ? extends @Nullable V> map, @Nullable String @Nullable [] names) throws X;

        default Map.Entry<?, V> entry() {
            throw new UnsupportedOperationException();
        }

        static void helps() {}
    }

    /** Two of the three that it permits can be named. */
    public sealed interface Shape {
        /** An interface nested in one is static by itself. */
        record Round(double radius, @Nullable String name) implements Shape {
            public static final Round NONE = new Round(0, null);
        }

        /** It has no more than its constants. */
        enum Flat implements Shape {
            LINE,
            POINT {
                @Override
                public String toString() {
                    return "point";
                }
            }
        }
    }

    record HiddenShape() implements Shape {}

    /** With a default of each kind. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Marked {
        String value();

        int[] numbers() default {1, 2};

        Class<?> type() default Object.class;

        RetentionPolicy policy() default RetentionPolicy.CLASS;

        Deprecated nested() default @Deprecated(since = "1");
    }

    static class Hidden implements Comparator<String> {
        public void inherited() {}

        @Override
        public int compare(String left, String right) {
            return left.compareTo(right);
        }
    }

    /** What it inherits from a class that cannot be named is its own. */
    public static final class Seen extends Hidden {
        @SuppressWarnings("ProtectedMembersInFinalClass") // the subject of a test
        protected void isOfNobody() {}
    }

    /** Needs an object around it. */
    protected class Inner {
        public @Nullable Inner next() {
            return ofThePackage > 0 ? this : null;
        }
    }
}
