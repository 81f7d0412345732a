package dev.ropewalk.fibers.testing.junit;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.opentest4j.IncompleteExecutionException;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;

/** One run of a {@link FiberTest}: one seed, one order. */
final class FiberTestRun
        implements TestTemplateInvocationContext, InvocationInterceptor, ParameterResolver {
    /** In which fibers may end by themselves, and messages arrive that spin more. */
    private static final int LAST_TURNS = 1_000;

    private final FiberTest test;
    private final long seed;
    private final boolean seededOrder;
    private final CordsOfRun cords = new CordsOfRun();

    FiberTestRun(FiberTest test, long seed, boolean seededOrder) {
        this.test = test;
        this.seed = seed;
        this.seededOrder = seededOrder;
    }

    @Override
    public String getDisplayName(int number) {
        String order = seededOrder ? " seeded order" : " FIFO order";
        return "seed=" + seed + order + (StackKind.LIGHT.isAvailable() ? " LIGHT" : " PORTABLE");
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
        return List.of(this);
    }

    // ---------------------------------------------------------------- the run

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> method,
            ExtensionContext context)
            throws Throwable {
        try {
            TestCords.run(test.cords(), seed, seededOrder, all -> runOn(all, invocation));
        } catch (AssertionError failed) {
            if (failed.getCause() instanceof IncompleteExecutionException skipped) {
                throw skipped; // an assumption did not hold: nothing has failed
            }
            throw failed;
        }
    }

    private void runOn(List<Cord> all, Invocation<Void> invocation) throws Exception {
        cords.all = all;
        if (test.failOnLogs()) {
            TestCord.failOnLogs();
        }
        try {
            invocation.proceed();
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable other) {
            throw new IllegalStateException("neither an exception nor an error: " + other, other);
        }
        if (test.failOnLeaks()) {
            checkLeaks();
        }
    }

    private static void checkLeaks() {
        for (int i = 0; i < LAST_TURNS; i++) {
            Fiber.snooze();
        }
        List<Fiber<?>> living = VirtualCords.living();
        if (!living.isEmpty()) {
            throw new AssertionError(
                    "the test method has returned, and these fibers are alive: "
                            + living
                            + ". Await or terminate them, or set failOnLeaks = false");
        }
    }

    // ---------------------------------------------------------------- the cords

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getParameterizedType() instanceof ParameterizedType type
                && type.getRawType() == List.class
                && Arrays.equals(type.getActualTypeArguments(), new Type[] {Cord.class});
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return cords;
    }

    /** Given to the method before there are any. */
    private static final class CordsOfRun extends AbstractList<Cord> {
        private List<Cord> all = List.of();

        @Override
        public Cord get(int index) {
            if (all.isEmpty()) {
                throw new IllegalStateException(
                        "the cords of a @FiberTest are there while its method runs, not before");
            }
            return all.get(index);
        }

        @Override
        public int size() {
            return all.size();
        }
    }
}
