package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Senders on all cords of a world tell and ask actors that crash before, inside and after their
 * messages, under supervisors that give up and are started again, while others terminate, stop and
 * replace them and the system may close in the middle. In the end each message has had exactly one
 * fate: processed, or a dead letter.
 */
public final class Chaos {
    /** How often each kind of thing happened, over one run or several. */
    public static final class Counts {
        final AtomicInteger processed = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        final AtomicInteger failed = new AtomicInteger();
        final AtomicInteger parked = new AtomicInteger();
        final AtomicInteger restarts = new AtomicInteger();
        final AtomicInteger givenUp = new AtomicInteger();
        final AtomicInteger askFailures = new AtomicInteger();

        public String missing() {
            return name(processed, "processed ")
                    + name(ended, "ended ")
                    + name(failed, "failed ")
                    + name(parked, "parked ")
                    + name(restarts, "restarts ")
                    + name(givenUp, "given up ")
                    + name(askFailures, "failed asks");
        }

        private static String name(AtomicInteger count, String name) {
            return count.get() == 0 ? name : "";
        }
    }

    private static final int SENDERS = 4;
    private static final int SUPERVISORS = 3;
    private static final int ACTORS = 9;

    private static final class Message {
        final int sender;
        final int number;
        final @Nullable Recipient<String> replyTo;
        final AtomicInteger fates = new AtomicInteger();

        Message(int sender, int number, @Nullable Recipient<String> replyTo) {
            this.sender = sender;
            this.number = number;
            this.replyTo = replyTo;
        }

        @Override
        public String toString() {
            return "message " + sender + "." + number + " with " + fates + " fates";
        }
    }

    private static final BackOff SHORT =
            BackOff.doubling(Duration.ofNanos(100), Duration.ofNanos(50_000)).withJitter(0.5);

    private final World world;

    /** Names are used once. */
    private final AtomicInteger spun = new AtomicInteger();

    private final long seed;
    private final int perSender;
    private final Counts counts;
    private final ActorSystem system;
    private final List<Supervisor> supervisors = new ArrayList<>();
    private final AtomicReferenceArray<ActorRef<Message>> actors =
            new AtomicReferenceArray<>(ACTORS);
    private final List<Message> told = World.log();

    public Chaos(World world, long seed, int perSender) {
        this(world, seed, perSender, new Counts());
    }

    public Chaos(World world, long seed, int perSender, Counts counts) {
        this.world = world;
        this.seed = seed;
        this.perSender = perSender;
        this.counts = counts;
        this.system =
                ActorSystem.start(
                        "chaos",
                        World.MANY_RESTARTS.onFailure(_ -> counts.givenUp.incrementAndGet()),
                        this::takeLetter);
    }

    private void takeLetter(DeadLetter letter) {
        if (letter.message() instanceof Message message) {
            message.fates.incrementAndGet();
            switch (letter.reason()) {
                case ENDED -> counts.ended.incrementAndGet();
                case FAILED -> counts.failed.incrementAndGet();
                case PARKED -> counts.parked.incrementAndGet();
                case UNHANDLED,
                        REFUSED,
                        DISPLACED,
                        REPLACED,
                        MOVING,
                        NO_MEMBERS,
                        LATE_REPLY,
                        UNREACHABLE,
                        UNREADABLE,
                        FAILURE ->
                        throw new AssertionError(letter);
            }
        }
    }

    public void run() {
        Supervision rules =
                Supervision.oneForOne()
                        .intensity(3, Duration.ofMillis(1))
                        .onFailure(_ -> counts.restarts.incrementAndGet());
        for (int i = 0; i < SUPERVISORS; i++) {
            supervisors.add(
                    system.supervise("supervisor " + i, i % 2 == 0 ? rules : rules.backOff(SHORT)));
        }
        for (int i = 0; i < ACTORS; i++) {
            actors.set(i, spin(i, new SplittableRandom(seed + i)));
        }
        List<Fiber<?>> running = new ArrayList<>();
        for (int i = 0; i < SENDERS; i++) {
            running.add(spinSender(i));
        }
        running.add(Fiber.spin("chaos", this::terminateAndStop));
        running.forEach(Fiber::await);
        world.settle();
        system.close();
        world.settle();
        List<Message> wrong = told.stream().filter(m -> m.fates.get() != 1).toList();
        assertEquals(List.of(), wrong, "seed=" + seed + " told=" + told.size());
        assertEquals(SENDERS * perSender, told.size());
    }

    // ---------------------------------------------------------------- the senders

    private Fiber<?> spinSender(int sender) {
        SplittableRandom random = new SplittableRandom(31 * seed + sender);
        Cord cord = world.cords.get(sender % world.cords.size());
        return cord.spin(
                "sender " + sender,
                () -> {
                    for (int number = 0; number < perSender; number++) {
                        send(sender, number, actors.get(random.nextInt(ACTORS)), random);
                    }
                });
    }

    private void send(int sender, int number, ActorRef<Message> to, SplittableRandom random) {
        switch (random.nextInt(12)) {
            case 0 -> ask(sender, number, to, Duration.ofNanos(random.nextInt(1_000_000)));
            case 1 -> {
                Fiber.snooze();
                to.tell(keep(new Message(sender, number, null)));
            }
            default -> to.tell(keep(new Message(sender, number, null)));
        }
    }

    private void ask(int sender, int number, ActorRef<Message> to, Duration limit) {
        try {
            to.<String>ask(replyTo -> keep(new Message(sender, number, replyTo)), limit);
        } catch (AskTimeoutException | AskFailedException e) {
            counts.askFailures.incrementAndGet();
        }
    }

    private Message keep(Message message) {
        told.add(message);
        return message;
    }

    // ---------------------------------------------------------------- the disturbance

    private void terminateAndStop() {
        SplittableRandom random = new SplittableRandom(17 * seed);
        int closeAt = random.nextBoolean() ? random.nextInt(perSender) : -1;
        for (int i = 0; i < perSender; i++) {
            int index = random.nextInt(ACTORS);
            switch (random.nextInt(6)) {
                case 0 -> actors.get(index).terminate();
                case 1 -> actors.get(index).stop();
                case 2 -> spinAnother(index, random.split());
                case 3 -> Fiber.sleep(Duration.ofNanos(random.nextInt(200_000)));
                default -> Fiber.snooze();
            }
            if (i == closeAt) {
                system.close();
            }
        }
    }

    private void spinAnother(int index, SplittableRandom random) {
        try {
            actors.set(index, spin(index, random));
        } catch (IllegalStateException isClosed) {
            Errors.assertMentions(isClosed, "its system has been closed");
        }
    }

    // ---------------------------------------------------------------- the actors

    private ActorRef<Message> spin(int index, SplittableRandom random) {
        FailedMessage failed =
                switch (random.nextInt(3)) {
                    case 0 -> FailedMessage.drop();
                    case 1 -> FailedMessage.park();
                    default -> FailedMessage.retry(1 + random.nextInt(3));
                };
        Actor<Message> actor = random.nextBoolean() ? handler(random) : loop(random);
        if (actor.toString().startsWith("handler") && random.nextBoolean()) {
            actor = actor.keepState();
        }
        RestartRule[] rules = RestartRule.values();
        actor = actor.onFailure(failed).restart(rules[random.nextInt(rules.length)]);
        Cord cord = world.cords.get(random.nextInt(world.cords.size()));
        return supervisors
                .get(index % SUPERVISORS)
                .spin(cord, "actor " + index + "." + spun.incrementAndGet(), actor);
    }

    private Actor<Message> handler(SplittableRandom random) {
        return Actor.handler(
                _ -> {
                    disturb(random, 20);
                    return handling(random);
                });
    }

    private Behavior<Message> handling(SplittableRandom random) {
        return message -> {
            disturb(random, 30);
            boolean last = random.nextInt(100) == 0;
            done(message);
            return last ? Behavior.stopped() : handling(random);
        };
    }

    private Actor<Message> loop(SplittableRandom random) {
        return Actor.loop(
                self -> {
                    disturb(random, 20);
                    for (int i = 0; i < 200; i++) {
                        Message message = receive(self, random);
                        if (message != null) {
                            disturb(random, 30);
                            done(message);
                        }
                    }
                });
    }

    private static @Nullable Message receive(ActorContext<Message> self, SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> self.receive(Duration.ofNanos(random.nextInt(1_000)));
            case 1 -> self.receive(Message.class);
            case 2 -> self.receive((Message m) -> m.number % 2 == 0);
            default -> self.receive();
        };
    }

    /** From here to the end of the turn, or the next receive, is no switchpoint. */
    private void done(Message message) {
        message.fates.incrementAndGet();
        counts.processed.incrementAndGet();
        if (message.replyTo != null) {
            message.replyTo.tell("done");
        }
    }

    private static void disturb(SplittableRandom random, int bound) {
        switch (random.nextInt(bound)) {
            case 0 -> throw new Crash("at once");
            case 1 -> {
                Fiber.snooze();
                throw new Crash("after a turn");
            }
            case 2 -> {
                Fiber.sleep(Duration.ofNanos(random.nextInt(10_000)));
                throw new Crash("after a sleep");
            }
            case 3 -> Fiber.sleep(Duration.ofNanos(random.nextInt(10_000)));
            case 4, 5 -> Fiber.snooze();
            default -> {}
        }
    }
}
