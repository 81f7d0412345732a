package dev.ropewalk.actors.cluster.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Rule A8: a reminder is stored with the state; it comes late rather than never, and once. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ReminderTest {
    private static final Instant BEGIN = Instant.parse("2026-11-27T12:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private int failures;

    sealed interface Word {}

    record Remind(String name, Instant when, Recipient<Integer> replyTo)
            implements Word, Request<Integer> {}

    record Forget(String name, Recipient<Integer> replyTo) implements Word, Request<Integer> {}

    record Close(Recipient<Integer> replyTo) implements Word, Request<Integer> {}

    record Get(Recipient<List<String>> replyTo) implements Word, Request<List<String>> {}

    record Due(String name) implements Word {}

    record Seen(List<String> names) {}

    /** The time of the day, as the cord's clock goes on, and as it is set. */
    private static final class Clock implements InstantSource {
        private final long beganNs = Cord.current().nanoTime();
        private Duration isSet = Duration.ZERO;

        @Override
        public Instant instant() {
            return BEGIN.plus(isSet).plusNanos(Cord.current().nanoTime() - beganNs);
        }
    }

    private EntityKind<Word, Seen> kind() {
        return EntityKind.durable("clock", Word.class, Seen.class, self -> functions(self))
                .idle(Duration.ofMinutes(1));
    }

    private Server<Word, Seen> functions(EntityContext<Word> self) {
        return Server.<Word, Seen>of(new Seen(List.of()))
                .call(
                        Remind.class,
                        (seen, remind) -> {
                            self.remindAt(remind.name(), remind.when(), new Due(remind.name()));
                            return Reply.of(seen.names().size(), seen);
                        })
                .call(
                        Forget.class,
                        (seen, forget) -> {
                            self.forgetReminder(forget.name());
                            return Reply.of(seen.names().size(), seen);
                        })
                .call(Get.class, (seen, _) -> Reply.of(seen.names(), seen))
                .call(Close.class, (_, _) -> Reply.last(0))
                .cast(
                        Due.class,
                        (seen, due) -> {
                            if (failures > 0 || due.name().equals("bad")) {
                                failures--;
                                throw new IllegalStateException("planted");
                            }
                            List<String> names = new ArrayList<>(seen.names());
                            names.add(due.name());
                            return new Seen(List.copyOf(names));
                        });
    }

    /** A host on a store. */
    private record Running(Entities<Word> all, FaultyStore store, Clock clock) {
        ActorRef<Word> a() {
            return all.ref("a");
        }

        void remind(String name, Duration after) {
            a().<Integer>ask(to -> new Remind(name, clock.instant().plus(after), to));
        }

        List<String> seen() {
            return a().<List<String>>ask(Get::new);
        }
    }

    private void run(FaultyStore store, Clock clock, Consumer<Running> test) {
        try (ActorSystem system = ActorSystem.start("system");
                EntityHost host = EntityHost.start(system, "host", store, clock)) {
            Entities<Word> all = host.entities(kind());
            test.accept(new Running(all, store, clock));
            all.home().checkInvariants();
        }
    }

    private void run(Consumer<Running> test) {
        TestCord.run(
                () -> {
                    failures = 0;
                    run(new FaultyStore(), new Clock(), test);
                });
    }

    @Test
    void A8_aReminderComesOnceAndStartsTheEntity() {
        run(
                now -> {
                    now.remind("late", HOUR.multipliedBy(3));
                    now.remind("early", HOUR);
                    Fiber.sleep(HOUR.minusMinutes(1));
                    assertEquals(0, now.all().running());
                    assertEquals(List.of(), now.seen());
                    Fiber.sleep(Duration.ofMinutes(2));
                    assertEquals(List.of("early"), now.seen());
                    Fiber.sleep(HOUR.multipliedBy(5));
                    assertEquals(List.of("early", "late"), now.seen());
                });
    }

    @Test
    void A8_aReminderOutlastsTheProcess() {
        TestCord.run(
                () -> {
                    failures = 0;
                    FaultyStore store = new FaultyStore();
                    Clock clock = new Clock();
                    run(store, clock, now -> now.remind("x", HOUR));
                    Fiber.sleep(HOUR.multipliedBy(2)); // nothing runs
                    run(
                            store,
                            clock,
                            now -> {
                                Fiber.sleep(Duration.ofSeconds(1));
                                assertEquals(1, now.all().running()); // nobody told it anything
                                assertEquals(List.of("x"), now.seen());
                            });
                    run(
                            store,
                            clock,
                            now -> {
                                Fiber.sleep(Duration.ofSeconds(1));
                                assertEquals(0, now.all().running());
                                assertEquals(List.of("x"), now.seen());
                            });
                });
    }

    @Test
    void A8_aNameHasOneReminderAndMayBeForgotten() {
        run(
                now -> {
                    now.remind("x", HOUR);
                    now.remind("x", HOUR.multipliedBy(2));
                    now.remind("y", HOUR);
                    now.a().<Integer>ask(to -> new Forget("y", to));
                    now.a().<Integer>ask(to -> new Forget("none", to));
                    Fiber.sleep(HOUR.plusMinutes(1));
                    assertEquals(List.of(), now.seen());
                    Fiber.sleep(HOUR);
                    assertEquals(List.of("x"), now.seen());
                });
    }

    @Test
    void A8_aReminderThatFailsComesAgain() {
        run(
                now -> {
                    failures = 3;
                    now.remind("x", HOUR);
                    now.remind("y", HOUR);
                    Fiber.sleep(HOUR.plusMinutes(10));
                    assertEquals(0, failures);
                    List<String> seen = new ArrayList<>(now.seen());
                    seen.sort(null);
                    assertEquals(List.of("x", "y"), seen);
                });
    }

    @Test
    void A8_aReminderThatMeetsAStoreWithoutAnswerComesAgain() {
        run(
                now -> {
                    now.remind("x", HOUR);
                    Fiber.sleep(Duration.ofMinutes(5)); // it is idle, and has ended
                    now.store().memory.crash();
                    Fiber.sleep(HOUR);
                    now.store().memory.recover();
                    Fiber.sleep(Duration.ofMinutes(1));
                    assertEquals(List.of("x"), now.seen());
                });
    }

    @Test
    void A8_aClockThatIsSetBackDelaysAndOneSetForwardIsSeenWithinAnHour() {
        run(
                now -> {
                    now.remind("x", HOUR.multipliedBy(10));
                    now.clock().isSet = Duration.ofDays(-1);
                    Fiber.sleep(HOUR.multipliedBy(11));
                    assertEquals(List.of(), now.seen());
                    now.clock().isSet = Duration.ofDays(1);
                    Fiber.sleep(HOUR.plusMinutes(1));
                    assertEquals(List.of("x"), now.seen());
                });
    }

    @Test
    void A8_aReminderOfThePastComesAtOnceAndOneOfTheFarFutureDoesNot() {
        run(
                now -> {
                    now.a().<Integer>ask(to -> new Remind("max", Instant.MAX, to));
                    now.a().<Integer>ask(to -> new Remind("min", Instant.MIN, to));
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(List.of("min"), now.seen());
                });
    }

    @Test
    void A8_aReminderThatAlwaysFailsKeepsNoOtherBack() {
        run(
                now -> {
                    now.remind("bad", HOUR);
                    now.remind("x", HOUR.plusMinutes(1));
                    now.remind("y", HOUR.plusMinutes(2));
                    Fiber.sleep(HOUR.plusMinutes(30));
                    List<String> seen = new ArrayList<>(now.seen());
                    seen.sort(null);
                    assertEquals(List.of("x", "y"), seen);
                });
    }

    @Test
    void A8_theRemindersOfAStateEndWithIt() {
        run(
                now -> {
                    now.remind("x", HOUR);
                    now.a().<Integer>ask(Close::new);
                    assertEquals(List.of(), now.seen());
                    Fiber.sleep(HOUR.multipliedBy(2));
                    assertEquals(List.of(), now.seen());
                });
    }

    @Test
    void A8_aWriteOfUnknownOutcomeThatTookEffectReminds() {
        run(
                now -> {
                    assertEquals(List.of(), now.seen());
                    now.store().losesReplies = true;
                    assertThrows(AskFailedException.class, () -> now.remind("x", HOUR));
                    now.store().losesReplies = false;
                    Fiber.sleep(HOUR.plusMinutes(1));
                    assertEquals(List.of("x"), now.seen());
                });
    }

    @Test
    void A8_tooManyRemindersAreRefused() {
        run(
                now -> {
                    for (int i = 0; i < 1_000; i++) {
                        now.remind("r" + i, HOUR);
                    }
                    AskFailedException refused =
                            assertThrows(AskFailedException.class, () -> now.remind("more", HOUR));
                    assertTrue(
                            String.valueOf(refused.getMessage()).contains("1000 reminders"),
                            refused::getMessage);
                    now.remind("r7", HOUR.multipliedBy(2)); // takes a place that is there
                });
    }
}
