package dev.ropewalk.fibers.internal.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.function.Supplier;

/** Names under which instances are counted: each must be one of few, and the same in each run. */
@Timeout(60)
class ClassNamesTest {
    private record Question() {}

    @Test
    void F14_aLambdaHasTheNameOfTheClassInWhichItStands() {
        Supplier<String> lambda = () -> "";
        assertEquals(ClassNamesTest.class.getName(), ClassNames.of(lambda.getClass()));
    }

    @Test
    void F14_anArrayHasTheNameThatTheSourceHas() {
        assertEquals("java.lang.String[]", ClassNames.of(String[].class));
    }

    @Test
    void F14_aNestedClassHasADotBehindItsOuterOne() {
        String name = ClassNames.of(Question.class);
        assertEquals(Question.class.getName(), name);
        assertEquals("ClassNamesTest.Question", ClassNames.withoutPackage(name));
        assertEquals("Alone", ClassNames.withoutPackage("Alone"));
    }
}
