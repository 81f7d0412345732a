package dev.ropewalk.fibers.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.fibers.StackKind;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

import java.lang.reflect.Method;

/**
 * In a JVM without flags, leaves out the tests of what needs one; for all tests here. Those with a
 * kind of stacks as an argument are not begun; the others are aborted by the error that says which
 * flag is missing. With the flags it does nothing.
 */
public final class AvailableStacks implements InvocationInterceptor {
    private static final int MAX_CAUSES = 20;

    private static final boolean HAS_ALL =
            StackKind.LIGHT.isAvailable() && StackKind.VIRTUAL_THREAD.isAvailable();

    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> test,
            ExtensionContext context)
            throws Throwable {
        run(invocation);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> invocation,
            ReflectiveInvocationContext<Method> test,
            ExtensionContext context)
            throws Throwable {
        for (Object each : test.getArguments()) {
            assumeTrue(
                    !(each instanceof StackKind kind) || kind.isAvailable(),
                    () -> each + " needs a flag of the JVM");
        }
        run(invocation);
    }

    private static void run(Invocation<Void> invocation) throws Throwable {
        try {
            invocation.proceed();
        } catch (Throwable failed) {
            if (!HAS_ALL && isForLackOfAFlag(failed)) {
                throw new TestAbortedException("needs a flag of the JVM", failed);
            }
            throw failed;
        }
    }

    private static boolean isForLackOfAFlag(Throwable failed) {
        Throwable each = failed;
        for (int i = 0; each != null && i < MAX_CAUSES; i++) {
            if (each instanceof IllegalStateException
                    && String.valueOf(each.getMessage()).contains("was started without --")) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }
}
