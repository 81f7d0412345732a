package dev.ropewalk.channels.flow;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testng.IConfigurationListener;
import org.testng.IMethodInterceptor;
import org.testng.ITestListener;
import org.testng.ITestResult;
import org.testng.SkipException;
import org.testng.TestNG;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A run of one class of the TCK of Reactive Streams, which is one of TestNG, unmodified. Surefire
 * runs JUnit alone, so each of its tests is made a dynamic test of JUnit: what fails there is red
 * here, and counted in the log. A run of no test is an error.
 */
final class TckRun {
    private static final Logger LOG = LoggerFactory.getLogger(TckRun.class);

    /** One test of the TCK; skipped ones say why. */
    private record Case(String name, boolean isSkipped, @Nullable Throwable thrown) {
        boolean isFailed() {
            return thrown != null && !isSkipped;
        }

        void report() throws Throwable {
            if (isSkipped) {
                Assumptions.abort(String.valueOf(thrown));
            }
            if (thrown != null) {
                throw thrown;
            }
        }
    }

    private final Class<?> verification;
    private final List<Case> cases;

    private TckRun(Class<?> verification, List<Case> cases) {
        this.verification = verification;
        this.cases = cases;
    }

    /** All tests of the class, or those that are named. */
    static TckRun of(Class<?> verification, String... names) {
        Collector collector = new Collector(Set.of(names));
        TestNG runner = new TestNG(false);
        runner.setVerbose(0);
        runner.setTestClasses(new Class<?>[] {verification});
        runner.addListener(collector);
        runner.run();
        TckRun run = new TckRun(verification, List.copyOf(collector.cases));
        LOG.info("{}", run);
        if (run.count() == 0) {
            throw new AssertionError(
                    "the TCK ran no test of " + verification + " named " + List.of(names));
        }
        return run;
    }

    /** How many tests there were, with those that were skipped. */
    int count() {
        return cases.size();
    }

    int skipped() {
        return (int) cases.stream().filter(Case::isSkipped).count();
    }

    List<String> failed() {
        return cases.stream().filter(Case::isFailed).map(Case::name).sorted().toList();
    }

    List<DynamicTest> tests() {
        return cases.stream()
                .map(each -> DynamicTest.dynamicTest(each.name, each::report))
                .toList();
    }

    @Override
    public String toString() {
        int passed = count() - skipped() - failed().size();
        return "Reactive Streams TCK, "
                + verification.getSimpleName()
                + ": "
                + count()
                + " tests ran, "
                + passed
                + " passed, "
                + skipped()
                + " skipped, "
                + failed().size()
                + " failed";
    }

    private static final class Collector
            implements ITestListener, IConfigurationListener, IMethodInterceptor {
        private final Set<String> names;
        private final List<Case> cases = new ArrayList<>();

        Collector(Set<String> names) {
            this.names = names;
        }

        @Override
        public List<org.testng.IMethodInstance> intercept(
                List<org.testng.IMethodInstance> methods, org.testng.ITestContext context) {
            return methods.stream()
                    .filter(
                            each ->
                                    names.isEmpty()
                                            || names.contains(each.getMethod().getMethodName()))
                    .toList();
        }

        @Override
        public void onTestSuccess(ITestResult result) {
            cases.add(new Case(result.getName(), false, null));
        }

        @Override
        public void onTestFailure(ITestResult result) {
            cases.add(new Case(result.getName(), false, thrownBy(result)));
        }

        /** A test is skipped also if what prepares it has failed; that is no skip. */
        @Override
        public void onTestSkipped(ITestResult result) {
            Throwable thrown = thrownBy(result);
            cases.add(new Case(result.getName(), thrown instanceof SkipException, thrown));
        }

        @Override
        public void onConfigurationFailure(ITestResult result) {
            cases.add(new Case(result.getName(), false, thrownBy(result)));
        }

        private static Throwable thrownBy(ITestResult result) {
            Throwable thrown = result.getThrowable();
            return thrown == null ? new AssertionError(result + " tells no reason") : thrown;
        }
    }
}
