package dev.ropewalk.fibers.testing.junit;

import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test method that runs as the root fiber of a cord with a virtual clock, once for each seed and
 * order (rule F14); in place of {@code @Test}.
 *
 * {@snippet file="dev/ropewalk/fibers/testing/junit/FiberTestSnippetsTest.java" region="junit"}
 *
 * <p>The method may have a parameter of type {@code List<Cord>}, the cords of the run; the method
 * runs on the first. Each run is a test of its own, whose display name has the seed and the order.
 * It fails like a run of {@link dev.ropewalk.fibers.testing.TestCords}, with the seed in the
 * message: if the method fails, for reports to the uncaught handler that {@link
 * dev.ropewalk.fibers.testing.TestCord#expectUncaught} did not announce, for warnings and errors
 * that Ropewalk logged and {@link dev.ropewalk.fibers.testing.TestCord#expectLog} did not announce,
 * and for fibers that the method left behind. Started with {@code -Dropewalk.seed=42}, only that
 * seed runs.
 *
 * <p>{@code @BeforeEach} and {@code @AfterEach} methods, and those of other extensions, run as no
 * fiber, before the cords are there and after they have ended. A time limit of JUnit ends nothing
 * that keeps the thread busy unless it has {@code ThreadMode.SEPARATE_THREAD}. Tests may run in
 * parallel: a run has its thread for itself.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@TestTemplate
@ExtendWith(FiberTestExtension.class)
public @interface FiberTest {
    /** {@return how many cords there are, at least 1; they share the test's thread} */
    int cords() default 1;

    /** {@return the seeds; each runs once in FIFO order, and once in an order drawn from it} */
    long[] seeds() default {1, 2, 3, 5, 8, 13};

    /**
     * {@return whether a fiber that the method leaves behind fails the test, as it does by default}
     *
     * <p>If false, such a fiber is terminated and awaited, as everywhere. When the method has
     * returned, the others get some turns to end by themselves; a fiber that is alive then, on any
     * of the cords, was left behind.
     */
    boolean failOnLeaks() default true;

    /**
     * {@return whether lines of WARN or ERROR that Ropewalk logs fail the test unless {@link
     * dev.ropewalk.fibers.testing.TestCord#expectLog} announces them, as they do by default}
     *
     * <p>Only lines that Ropewalk's own classes log on the test's thread, which all cords of the
     * run share, are seen; not lines of the tested code, nor of real cords and threads that it
     * starts.
     */
    boolean failOnLogs() default true;
}
