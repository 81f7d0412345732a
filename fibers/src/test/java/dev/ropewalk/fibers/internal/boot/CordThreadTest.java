package dev.ropewalk.fibers.internal.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.platform.Affinity;
import dev.ropewalk.fibers.testkit.Reports;
import dev.ropewalk.fibers.testkit.Runs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;

/** The thread of a cord: who makes it, and the CPUs that it may run on. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class CordThreadTest {
    /** In no machine of ours. */
    private static final int NO_CPU = Affinity.MAX_CPUS - 1;

    private final Reports reports = new Reports();
    private final CordOptions options = CordOptions.named("made").withUncaught(reports);

    // ---------------------------------------------------------------- the factory

    @Tag("needs-flags")
    @ParameterizedTest
    @EnumSource
    void F15_factoryMakesTheCordsThread(StackKind stacks) {
        List<Thread> made = new ArrayList<>();
        ThreadFactory factory =
                runnable -> {
                    Thread thread = new Thread(runnable, "of the factory");
                    thread.setDaemon(true);
                    made.add(thread);
                    return thread;
                };
        Cord cord = Cord.start(options.withStacks(stacks).withThreadFactory(factory));
        Fiber<String> name = cord.spin("name", () -> Thread.currentThread().getName());
        if (stacks == StackKind.LIGHT) {
            assertEquals("of the factory", name.await());
        }
        assertEquals("made", cord.name());
        Runs.checkAndClose(cord);
        assertEquals(1, made.size());
        Runs.until(() -> !made.getFirst().isAlive());
        reports.assertNone();
    }

    /** As Netty's and others do. */
    @Test
    void F15_factoryMayWrapWhatItIsGiven() {
        List<String> log = new CopyOnWriteArrayList<>();
        Cord cord =
                Cord.start(
                        options.withThreadFactory(
                                runnable ->
                                        new Thread(
                                                () -> {
                                                    log.add("before");
                                                    runnable.run();
                                                    log.add("after");
                                                })));
        assertEquals("alive", Runs.onCord(cord, () -> "alive"));
        Runs.checkAndClose(cord);
        Runs.until(() -> log.size() == 2);
        assertEquals(List.of("before", "after"), log);
    }

    @Test
    @SuppressWarnings("NullAway") // the mistake
    void misuse_factoryThatGivesNoNewPlatformThreadIsRefused() {
        assertRefused(runnable -> null, "null");
        assertRefused(Thread.ofVirtual()::unstarted, "VirtualThread");
        assertRefused(runnable -> Thread.currentThread(), "in state RUNNABLE");
        assertRefused(runnable -> Thread.ofPlatform().start(Thread::onSpinWait), "in state ");
    }

    private void assertRefused(ThreadFactory factory, String part) {
        IllegalArgumentException thrown =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Cord.start(options.withThreadFactory(factory)));
        String message = String.valueOf(thrown.getMessage());
        assertTrue(message.contains(part), message);
        assertTrue(message.contains("cord made: "), message);
    }

    @Test
    void misuse_threadThatDoesNotRunWhatTheFactoryWasGivenIsRefused() {
        assertRefused(runnable -> new Thread(Thread::onSpinWait), "did not run");
    }

    /** What it was given belongs to the thread that it gives, once that has been started. */
    @Test
    void misuse_factoryThatRunsItItselfIsRefused() {
        ThreadFactory factory =
                runnable -> {
                    runnable.run();
                    return new Thread(runnable);
                };
        IllegalStateException thrown =
                assertThrows(
                        IllegalStateException.class,
                        () -> Cord.start(options.withThreadFactory(factory)));
        assertTrue(thrown.toString().contains("cannot run cord made"), thrown::toString);
        assertNull(Cord.currentOrNull());
    }

    @Test
    void misuse_runTwiceItIsRefusedTheSecondTime() {
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        Cord cord =
                Cord.start(
                        options.withThreadFactory(
                                runnable ->
                                        new Thread(
                                                () -> {
                                                    runnable.run();
                                                    thrown.add(Runs.failureOf(runnable::run));
                                                })));
        Runs.checkAndClose(cord);
        Runs.until(() -> !thrown.isEmpty());
        assertInstanceOf(IllegalStateException.class, thrown.getFirst());
    }

    @Test
    void F15_whatTheFactoryThrowsComesOut() {
        IllegalStateException boom = new IllegalStateException("boom");
        assertSame(
                boom,
                assertThrows(
                        IllegalStateException.class,
                        () ->
                                Cord.start(
                                        options.withThreadFactory(
                                                runnable -> {
                                                    throw boom;
                                                }))));
    }

    @Test
    void misuse_runHasNoUseForAFactory() {
        IllegalArgumentException thrown =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Cord.run(options.withThreadFactory(Thread::new), () -> "never"));
        assertTrue(thrown.toString().contains("Cord.start"), thrown::toString);
    }

    @Test
    void F15_interruptedCallerStillStartsItsCord() {
        Thread.currentThread().interrupt();
        Cord cord = Cord.start(options.withThreadFactory(Thread::new));
        assertTrue(Thread.interrupted());
        Runs.checkAndClose(cord);
    }

    // ---------------------------------------------------------------- CPUs

    private static BitSet bits(int... cpus) {
        BitSet bits = new BitSet();
        for (int cpu : cpus) {
            bits.set(cpu);
        }
        return bits;
    }

    private static BitSet availableOrSkip() {
        assumeTrue(System.getProperty("os.name", "").equals("Linux"), "needs Linux");
        return Affinity.current();
    }

    @Tag("needs-flags")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PORTABLE")
    void F15_startedCordRunsOnItsCpus(StackKind stacks) {
        BitSet before = availableOrSkip();
        for (int cpu : new int[] {before.nextSetBit(0), before.length() - 1}) {
            Cord cord = Cord.start(options.withStacks(stacks).withCpus(cpu));
            assertEquals(bits(cpu), Runs.onCord(cord, Affinity::current));
            Runs.checkAndClose(cord);
        }
        int[] all = before.stream().toArray();
        Cord cord = Cord.start(options.withStacks(stacks).withCpus(all));
        assertEquals(before, Runs.onCord(cord, Affinity::current));
        Runs.checkAndClose(cord);
        assertEquals(before, Affinity.current());
    }

    @Test
    void F15_cordsWithoutCpusAreLeftAlone() {
        BitSet before = availableOrSkip();
        Cord cord = Cord.start(options.withCpus(before.nextSetBit(0)).withCpus());
        assertEquals(before, Runs.onCord(cord, Affinity::current));
        Runs.checkAndClose(cord);
    }

    @Tag("needs-flags")
    @Test
    void F15_runGivesTheThreadItsCpusBack() {
        BitSet before = availableOrSkip();
        int cpu = before.length() - 1;
        assertEquals(bits(cpu), Cord.run(options.withCpus(cpu), Affinity::current));
        assertEquals(before, Affinity.current());
        assertThrows(
                FiberFailedException.class,
                () ->
                        Cord.<String>run(
                                options.withCpus(cpu),
                                () -> {
                                    throw new Exception("boom");
                                }));
        assertEquals(before, Affinity.current());
    }

    @Tag("needs-flags")
    @Test
    void misuse_cpuThatIsNotThereIsNamedWithThoseThatAre() {
        BitSet before = availableOrSkip();
        int cpu = before.nextSetBit(0);
        for (CordOptions wrong : List.of(options.withCpus(NO_CPU), options.withCpus(cpu, NO_CPU))) {
            IllegalArgumentException thrown =
                    assertThrows(IllegalArgumentException.class, () -> Cord.start(wrong));
            String message = String.valueOf(thrown.getMessage());
            assertTrue(message.contains("cord made: cpus=" + wrong.thread().cpus()), message);
            assertTrue(message.contains("available are [" + cpu), message);
            assertThrows(IllegalArgumentException.class, () -> Cord.run(wrong, () -> "never"));
            assertEquals(before, Affinity.current());
        }
    }

    @Test
    void misuse_wrongNumbersAreRefusedAtOnce() {
        assertTrue(refusal(-1).contains("cpu=-1"));
        assertTrue(refusal(Affinity.MAX_CPUS).contains("cpu=" + Affinity.MAX_CPUS));
        assertTrue(refusal(1, 0, 1).contains("cpus=[1, 0, 1] of cord made has 1 twice"));
    }

    private String refusal(int... cpus) {
        return String.valueOf(
                assertThrows(IllegalArgumentException.class, () -> options.withCpus(cpus))
                        .getMessage());
    }

    @Test
    void F15_changesOfTheThreadLeaveTheRest() {
        ThreadFactory factory = Thread::new;
        CordOptions changed =
                options.withThreadFactory(factory).withCpus(1, 0).withStackSize(1 << 20);
        assertSame(factory, changed.thread().factory());
        assertEquals(Set.of(0, 1), changed.thread().cpus());
        assertEquals(1 << 20, changed.stackSize());
        assertSame(reports, changed.uncaught());
        assertNull(options.thread().factory());
        assertEquals(Set.of(), options.thread().cpus());
    }
}
