package dev.ropewalk.fibers.testing.junit;

import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Gives each seed and order of a {@link FiberTest} a test of its own. */
final class FiberTestExtension implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getRequiredTestMethod(), FiberTest.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
            ExtensionContext context) {
        FiberTest test =
                AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), FiberTest.class)
                        .orElseThrow();
        List<TestTemplateInvocationContext> runs = new ArrayList<>();
        for (long seed : TestCords.seedsOr(test.seeds())) {
            runs.add(new FiberTestRun(test, seed, false));
            runs.add(new FiberTestRun(test, seed, true));
        }
        return runs.stream();
    }
}
