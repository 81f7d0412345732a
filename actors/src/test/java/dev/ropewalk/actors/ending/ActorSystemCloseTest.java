package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Rules F6 and A6: a system in try-with-resources ends all its actors and is left by what was
 * raised, whatever ends its fiber.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ActorSystemCloseTest {
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofHours(1);

    enum Ending {
        TERMINATE,
        STOP,
        LIMIT,
        CANCEL,
        FAILURE_OF_A_CHILD,
        RESTART
    }

    /** Takes a while to end, in a shield. */
    private static Actor<String> slow(List<String> log) {
        return Actor.loop(
                self -> {
                    try {
                        self.receive();
                    } finally {
                        CancelScope.shielded(LONG, () -> Fiber.sleep(Duration.ofMillis(100)));
                        log.add("actor ended");
                    }
                });
    }

    /** Waits in a block that has a system open. */
    private static String block(List<String> log) {
        try (ActorSystem system = ActorSystem.start("system")) {
            system.spin("slow", slow(log));
            log.add("open");
            if (Collections.frequency(log, "open") == 1) {
                Fiber.sleep(LONG);
            }
        }
        log.add("closed");
        return "done";
    }

    private static String bodyOf(Ending ending, List<String> log) {
        return switch (ending) {
            case LIMIT -> CancelScope.cancelAfter(SHORT, () -> block(log));
            case CANCEL -> {
                CancelScope scope = CancelScope.withoutLimit();
                Fiber.spin(
                        () -> {
                            Fiber.sleep(SHORT);
                            scope.cancel();
                        });
                yield scope.call(() -> block(log));
            }
            case FAILURE_OF_A_CHILD -> {
                Fiber.spin(
                        () -> {
                            Fiber.sleep(SHORT);
                            throw new IllegalStateException("child");
                        });
                yield block(log);
            }
            case TERMINATE, STOP, RESTART -> block(log);
        };
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void F6_blockIsLeftByWhatWasRaisedAfterAllActorsHaveEnded(Ending ending) {
        TestCord.run(
                () -> {
                    List<String> log = new ArrayList<>();
                    Fiber<String> fiber = Fiber.spin("user", () -> bodyOf(ending, log));
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(SHORT);
                                switch (ending) {
                                    case TERMINATE -> fiber.terminate();
                                    case STOP -> fiber.stop("stopped");
                                    case RESTART -> fiber.restart();
                                    case LIMIT, CANCEL, FAILURE_OF_A_CHILD -> {}
                                }
                            });
                    assertTold(ending, fiber);
                    List<String> first = log.subList(0, 2);
                    assertEquals(List.of("open", "actor ended"), first);
                });
    }

    private static void assertTold(Ending ending, Fiber<String> fiber) {
        switch (ending) {
            case STOP -> assertEquals("stopped", fiber.await());
            case RESTART -> assertEquals("done", fiber.await());
            case TERMINATE -> assertThrows(FiberTerminatedException.class, fiber::await);
            case LIMIT -> assertSame(FiberTimeoutException.class, causeOf(fiber).getClass());
            case CANCEL -> assertSame(CancelledException.class, causeOf(fiber).getClass());
            case FAILURE_OF_A_CHILD ->
                    assertEquals(
                            "child",
                            Objects.requireNonNull(causeOf(fiber).getCause()).getMessage());
        }
    }

    private static Throwable causeOf(Fiber<String> fiber) {
        FiberFailedException failed = assertThrows(FiberFailedException.class, fiber::await);
        Throwable cause = Objects.requireNonNull(failed.getCause());
        assertEquals(0, cause.getSuppressed().length);
        return cause;
    }

    /** As a program ends that closes its cord while a fiber there has a system open. */
    @Test
    void A6_orderlyEndOfACordReportsNothing() throws InterruptedException {
        List<Throwable> reported = Collections.synchronizedList(new ArrayList<>());
        List<String> log = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch open = new CountDownLatch(1);
        try (Cord cord =
                Cord.start(
                        CordOptions.named("server")
                                .withUncaught((_, failure) -> reported.add(failure)))) {
            cord.spin(
                    "user",
                    () -> {
                        try (ActorSystem system = ActorSystem.start("system")) {
                            system.spin("slow", slow(log));
                            Fiber.snooze();
                            open.countDown();
                            Fiber.suspend();
                        }
                    });
            assertTrue(open.await(10, TimeUnit.SECONDS));
        }
        assertEquals(List.of(), reported);
        assertEquals(List.of("actor ended"), log);
    }

    // ---------------------------------------------------------------- ask of an ended actor

    private record Question(Recipient<String> replyTo) {}

    private static ActorRef<Question> ended(ActorSystem system) {
        Actor<Question> actor = Actor.handler(_ -> _ -> Behavior.same());
        ActorRef<Question> ref = system.spin("ended", actor);
        ref.stop();
        Fiber.sleep(SHORT);
        return ref;
    }

    @Test
    void A2_askOfAnEndedActorInALoopGivesWayAndCanBeEnded() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = quiet()) {
                        ActorRef<Question> ref = ended(system);
                        boolean[] ran = {false};
                        Fiber<?> neighbour = Fiber.spin(() -> ran[0] = true);
                        for (int i = 0; i < 10_000 && !ran[0]; i++) {
                            assertThrows(AskFailedException.class, () -> ref.ask(Question::new));
                        }
                        assertTrue(ran[0], "the neighbour never ran");
                        neighbour.await();
                        Fiber<?> retries =
                                Fiber.spin(
                                        () -> {
                                            for (; ; ) {
                                                retry(ref);
                                            }
                                        });
                        Fiber.snooze();
                        retries.terminate();
                        assertThrows(FiberTerminatedException.class, retries::await);
                    }
                });
    }

    private static void retry(ActorRef<Question> ref) {
        try {
            ref.ask(Question::new);
        } catch (AskFailedException expected) {
            assertTrue(String.valueOf(expected.getMessage()).contains("ended"));
        }
    }

    /** No message is sent, so none becomes a dead letter. */
    @Test
    void A2_askInATerminatedFiberSendsNothing() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = quiet()) {
                        ActorRef<Question> ref = ended(system);
                        Fiber<?> fiber =
                                Fiber.spin(
                                        () -> {
                                            try {
                                                Fiber.suspend();
                                            } finally {
                                                ref.ask(Question::new);
                                            }
                                        });
                        Fiber.sleep(SHORT);
                        fiber.terminate();
                        assertThrows(FiberTerminatedException.class, fiber::await);
                        assertEquals(0, system.deadLetterCount());
                    }
                });
    }

    private static ActorSystem quiet() {
        return ActorSystem.start("system", Supervision.oneForOne(), _ -> {});
    }
}
