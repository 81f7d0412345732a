package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rule A3: a mailbox by priority. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PriorityTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private record Job(String name, int priority, AtomicBoolean until) {
        Job(String name, int priority) {
            this(name, priority, new AtomicBoolean(true));
        }

        /** Is handled until it is let go. */
        static Job hold(AtomicBoolean until) {
            return new Job("hold", 0, until);
        }

        void work() {
            while (!until.get()) {
                Fiber.sleep(Duration.ofMillis(1));
            }
        }
    }

    private static Behavior<Job> worker(List<String> log) {
        return job -> {
            job.work();
            log.add(job.name());
            return Behavior.same();
        };
    }

    private static Actor<Job> byPriority(List<String> log) {
        return Actor.handler(() -> worker(log)).byPriority(Job::priority);
    }

    @Test
    void A3_urgentMessagesComeFirstAndEqualsInOrder() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Job> worker = world.spin("worker", byPriority(log));
                    worker.tell(Job.hold(go));
                    world.settle();
                    for (int i = 0; i < 3; i++) {
                        worker.tell(new Job("low" + i, -1));
                        worker.tell(new Job("mid" + i, 0));
                        worker.tell(new Job("high" + i, 10));
                    }
                    world.settle();
                    assertEquals(9, worker.mailbox().queued());
                    go.set(true);
                    worker.stop();
                    assertTrue(worker.awaitEnd(SECOND));
                    assertEquals(
                            List.of(
                                    "hold", "high0", "high1", "high2", "mid0", "mid1", "mid2",
                                    "low0", "low1", "low2"),
                            log);
                });
    }

    @Test
    void A3_whatIsToldBehindAStopIsADeadLetterHoweverUrgent() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Job> worker = world.spin("worker", byPriority(log));
                    worker.tell(Job.hold(go));
                    worker.tell(new Job("before", 0));
                    worker.stop();
                    Job late = new Job("late", 99);
                    worker.tell(late);
                    world.settle();
                    go.set(true);
                    assertTrue(worker.awaitEnd(SECOND));
                    world.settle(); // it is over before its dead letters are told
                    assertEquals(List.of("hold", "before"), log);
                    assertEquals(List.of("worker ENDED " + late), world.deadLetters());
                });
    }

    @Test
    void A3_aResultToldBeforeTheEndIsSeenBeforeItAndNothingUrgentInBetween() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Job> mortal = world.spin("mortal", Actor.handler(() -> worker(log)));
                    ActorRef<Job> watcher =
                            world.spin(
                                    "watcher",
                                    Actor.handler(
                                                    (ActorContext<Job> self) -> {
                                                        self.monitor(
                                                                mortal, down -> new Job("down", 0));
                                                        return worker(log);
                                                    })
                                            .byPriority(Job::priority));
                    watcher.tell(Job.hold(go));
                    watcher.tell(new Job("result", -5));
                    world.settle();
                    mortal.stop();
                    assertTrue(mortal.awaitEnd(SECOND));
                    world.settle();
                    watcher.tell(new Job("urgent", 99));
                    world.settle();
                    go.set(true);
                    watcher.stop();
                    assertTrue(watcher.awaitEnd(SECOND));
                    assertEquals(List.of("hold", "result", "down", "urgent"), log);
                });
    }

    @Test
    void A3_aBoundCountsAllAndDropsTheLeastUrgent() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Job> worker =
                            world.spin(
                                    "worker",
                                    byPriority(log)
                                            .mailbox(
                                                    MailboxOptions.bounded(2)
                                                            .withOverflow(Overflow.DROP_OLD)));
                    worker.tell(Job.hold(go));
                    world.settle();
                    Job low = new Job("low", 0);
                    worker.tell(low);
                    worker.tell(new Job("high", 2));
                    worker.tell(new Job("higher", 3));
                    world.settle();
                    assertEquals(List.of("worker DISPLACED " + low), world.deadLetters());
                    go.set(true);
                    worker.stop();
                    assertTrue(worker.awaitEnd(SECOND));
                    assertEquals(List.of("hold", "higher", "high"), log);
                });
    }

    @Test
    void A3_aPermitIsTakenAndGivenBack() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Job> worker =
                            world.spin(
                                    "worker",
                                    byPriority(log)
                                            .mailbox(
                                                    MailboxOptions.bounded(2)
                                                            .withOverflow(Overflow.FAIL)));
                    worker.tell(Job.hold(go));
                    world.settle();
                    worker.tell(new Job("a", 0));
                    worker.tell(new Job("b", 1));
                    assertThrows(MailboxFullException.class, () -> worker.tell(new Job("c", 99)));
                    assertEquals(TellResult.FULL, worker.tryTell(new Job("d", 99)));
                    go.set(true);
                    world.until(() -> log.size() == 3);
                    worker.tell(new Job("e", 0));
                    worker.stop();
                    assertTrue(worker.awaitEnd(SECOND));
                    assertEquals(List.of("hold", "b", "a", "e"), log);
                });
    }

    @Test
    void A1_aSelectiveReceiveTakesTheMostUrgentThatFits() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    ActorRef<Job> worker =
                            world.spin(
                                    "worker",
                                    Actor.<Job>loop(
                                                    self -> {
                                                        self.receive().work();
                                                        for (int i = 0; i < 3; i++) {
                                                            log.add(
                                                                    self.receive(
                                                                                    job ->
                                                                                            job.name()
                                                                                                    .startsWith(
                                                                                                            "x"))
                                                                            .name());
                                                        }
                                                        for (; ; ) {
                                                            log.add(self.receive().name());
                                                        }
                                                    })
                                            .byPriority(Job::priority));
                    worker.tell(Job.hold(go));
                    world.settle();
                    worker.tell(new Job("a", 9));
                    worker.tell(new Job("x1", 0));
                    worker.tell(new Job("x2", 5));
                    world.settle();
                    go.set(true);
                    world.until(() -> log.size() == 2);
                    worker.tell(new Job("b", 1)); // is looked at, and left
                    worker.tell(new Job("x3", -9));
                    worker.stop();
                    assertTrue(worker.awaitEnd(SECOND));
                    assertEquals(List.of("x2", "x1", "x3", "a", "b"), log);
                });
    }

    /** It begins to wait before it has a mailbox of its own. */
    @Test
    void A1_aReceiveByPredicateThatWaitsBeforeTheFirstMessageTakesIt() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> loop =
                            world.spin(
                                    "loop",
                                    Actor.<Job>loop(
                                                    self ->
                                                            log.add(
                                                                    self.receive(
                                                                                    (Job job) ->
                                                                                            job
                                                                                                            .priority()
                                                                                                    > 0)
                                                                            .name()))
                                            .byPriority(Job::priority));
                    world.settle();
                    loop.tell(new Job("low", 0));
                    loop.tell(new Job("high", 1));
                    assertTrue(loop.awaitEnd(SECOND));
                    assertEquals(List.of("high"), log);
                    world.settle();
                    world.letters.clear();
                });
    }

    @Test
    void A5_aMessageThatIsTriedAgainComesBeforeMoreUrgentOnes() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    AtomicBoolean go = new AtomicBoolean();
                    AtomicBoolean isBroken = new AtomicBoolean(true);
                    ActorRef<Job> worker =
                            world.spin(
                                    "worker",
                                    Actor.<Job>handler(
                                                    () ->
                                                            job -> {
                                                                job.work();
                                                                if (isBroken.getAndSet(false)) {
                                                                    throw new Crash("first");
                                                                }
                                                                log.add(job.name());
                                                                return Behavior.same();
                                                            })
                                            .onFailure(FailedMessage.retry(2))
                                            .byPriority(Job::priority));
                    worker.tell(Job.hold(go));
                    world.settle();
                    worker.tell(new Job("high", 9));
                    go.set(true);
                    worker.stop();
                    assertTrue(worker.awaitEnd(SECOND));
                    assertEquals(List.of("hold", "high"), log);
                });
    }

    @Test
    void A8_aPriorityThatThrowsIsNotTheSendersAffair() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> worker =
                            world.spin(
                                    "worker",
                                    Actor.handler(() -> worker(log))
                                            .byPriority(
                                                    job -> {
                                                        if (job.name().equals("bad")) {
                                                            throw new Crash("no priority");
                                                        }
                                                        return 0;
                                                    }));
                    worker.tell(new Job("bad", 0));
                    assertEquals(TellResult.ACCEPTED, worker.tryTell(new Job("bad", 0)));
                    worker.tell(new Job("good", 0));
                    worker.stop();
                    assertTrue(worker.awaitEnd(SECOND));
                    assertEquals(List.of("bad", "bad", "good"), log);
                    assertEquals(List.of(), world.deadLetters());
                    assertEquals(List.of(), world.failures);
                });
    }
}
