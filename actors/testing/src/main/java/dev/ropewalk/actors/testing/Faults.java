package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Makes actors crash, wait and lose messages, the same way in each run; immutable. To be put around
 * an actor's definition, which keeps its style, its restart rule, its mailbox and its other
 * options:
 *
 * {@snippet file="dev/ropewalk/actors/testing/ActorTestingSnippetsTest.java" region="faults"}
 *
 * <p>Each actor made from the definition counts its messages for itself, from 1 on and across its
 * restarts; a message that is tried again counts again. Random choices are drawn for each actor
 * from the seed and its path, so they depend neither on other actors nor on the order of cords.
 *
 * <p>The rules act in the order in which they were given: after a crash or a drop the later ones do
 * not see the message. All methods work from any thread; the rules run on the fiber of the actor,
 * after it has taken the message and before it handles it.
 */
public final class Faults {
    private final long seed;
    private final List<Rule> rules;
    private final List<Rule> startRules;
    private final @Nullable Consumer<? super Fault> listener;

    /** A kind of fault, the test whether it hits a message or a start, and its delay. */
    private record Rule(Fault.Kind kind, Test test, Delay delay) {}

    @FunctionalInterface
    private interface Test {
        boolean hits(int number, @Nullable Object message, SplittableRandom random);
    }

    @FunctionalInterface
    private interface Delay {
        long nanos(SplittableRandom random);
    }

    private Faults(
            long seed,
            List<Rule> rules,
            List<Rule> startRules,
            @Nullable Consumer<? super Fault> listener) {
        this.seed = seed;
        this.rules = List.copyOf(rules);
        this.startRules = List.copyOf(startRules);
        this.listener = listener;
    }

    // ---------------------------------------------------------------- making them

    /** {@return no faults yet, with seed 0 for what is drawn} */
    public static Faults none() {
        return seeded(0);
    }

    /**
     * {@return no faults yet}
     *
     * @param seed of what is drawn
     */
    public static Faults seeded(long seed) {
        return new Faults(seed, List.of(), List.of(), null);
    }

    /**
     * {@return these, and a crash on the n-th message} The actor fails with an {@link
     * InjectedCrashException} before it handles the message.
     *
     * @param numbers of the messages, from 1 on
     * @throws IllegalArgumentException if there is none, or one is less than 1
     */
    public Faults crashOn(int... numbers) {
        return with(Fault.Kind.CRASH, isOneOf(numbers));
    }

    /**
     * {@return these, and a crash on the messages that pass the test}
     *
     * @param wanted must not wait
     */
    public Faults crash(Predicate<Object> wanted) {
        return with(Fault.Kind.CRASH, passes(wanted));
    }

    /**
     * {@return these, and a crash on messages that the seed chooses}
     *
     * @param share of all messages, from 0 to 1
     * @throws IllegalArgumentException if it is not between
     */
    public Faults crashShare(double share) {
        return with(Fault.Kind.CRASH, drawn(share));
    }

    /**
     * {@return these, and a crash at the n-th start of the actor} With {@link Actor#keepState} only
     * its first start counts, because a restart makes nothing anew.
     *
     * @param numbers of the starts, from 1 on
     * @throws IllegalArgumentException if there is none, or one is less than 1
     */
    public Faults crashAtStart(int... numbers) {
        List<Rule> more = new ArrayList<>(startRules);
        more.add(new Rule(Fault.Kind.CRASH, isOneOf(numbers), _ -> 0));
        return new Faults(seed, rules, more, listener);
    }

    /**
     * {@return these, and a wait before each message} The actor's other messages wait too.
     *
     * @param time how long
     * @throws IllegalArgumentException if it is negative
     */
    public Faults delay(Duration time) {
        long nanos = Waits.nanos(time);
        return with(new Rule(Fault.Kind.DELAY, (_, _, _) -> true, _ -> nanos));
    }

    /**
     * {@return these, and a wait before each message, whose length the seed chooses}
     *
     * @param max how long at most
     * @throws IllegalArgumentException if it is negative
     */
    public Faults delayUpTo(Duration max) {
        long nanos = Waits.nanos(max);
        return with(
                new Rule(
                        Fault.Kind.DELAY,
                        (_, _, _) -> true,
                        random -> nanos == Long.MAX_VALUE ? nanos : random.nextLong(nanos + 1)));
    }

    /**
     * {@return these, and the loss of the messages that pass the test} The actor never sees one,
     * and it is no dead letter: an asker waits for its whole limit, as for a lost message.
     *
     * @param wanted must not wait
     */
    public Faults drop(Predicate<Object> wanted) {
        return with(Fault.Kind.DROP, passes(wanted));
    }

    /**
     * {@return these, and the loss of messages that the seed chooses}
     *
     * @param share of all messages, from 0 to 1
     * @throws IllegalArgumentException if it is not between
     */
    public Faults dropShare(double share) {
        return with(Fault.Kind.DROP, drawn(share));
    }

    /**
     * {@return these, which tell the listener what they do} A test that counts messages learns so
     * which were lost.
     *
     * @param told called on the fiber of the actor; must not wait
     */
    public Faults onFault(Consumer<? super Fault> told) {
        return new Faults(seed, rules, startRules, Objects.requireNonNull(told, "told"));
    }

    private Faults with(Fault.Kind kind, Test test) {
        return with(new Rule(kind, test, _ -> 0));
    }

    private Faults with(Rule rule) {
        List<Rule> more = new ArrayList<>(rules);
        more.add(rule);
        return new Faults(seed, more, startRules, listener);
    }

    private static Test isOneOf(int... numbers) {
        int[] sorted = numbers.clone();
        Arrays.sort(sorted);
        if (sorted.length == 0 || sorted[0] < 1) {
            throw new IllegalArgumentException(
                    "numbers="
                            + Arrays.toString(numbers)
                            + ": give at least one, counted from 1 on");
        }
        return (number, _, _) -> Arrays.binarySearch(sorted, number) >= 0;
    }

    private static Test passes(Predicate<Object> wanted) {
        Objects.requireNonNull(wanted, "wanted");
        return (_, message, _) -> message != null && wanted.test(message);
    }

    private static Test drawn(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share=" + share + " is not between 0 and 1");
        }
        return (_, _, random) -> random.nextDouble() < share;
    }

    // ---------------------------------------------------------------- using them

    /**
     * {@return the definition with these faults around it}
     *
     * @param <M> the type of the messages
     * @param actor how the actor is made; several may be made from what is returned
     */
    public <M> Actor<M> around(Actor<M> actor) {
        Map<ActorRef<?>, Victim> victims = new ConcurrentHashMap<>();
        return Tapped.around(
                actor,
                self -> {
                    Victim victim = victims.computeIfAbsent(self.self(), Victim::new);
                    victim.starts();
                    return victim;
                });
    }

    @Override
    public String toString() {
        return "faults of seed "
                + seed
                + ": "
                + rules.stream().map(Rule::kind).toList()
                + ", at the start: "
                + startRules.stream().map(Rule::kind).toList();
    }

    /** One actor, over all its incarnations; for its fiber. */
    private final class Victim implements Tap {
        private final ActorRef<?> actor;
        private final SplittableRandom random;
        private int starts;
        private int messages;

        Victim(ActorRef<?> actor) {
            this.actor = actor;
            this.random = new SplittableRandom(31 * seed + actor.path().hashCode());
        }

        void starts() {
            apply(startRules, ++starts, null);
        }

        @Override
        public boolean in(Object message) {
            return apply(rules, ++messages, message);
        }

        @Override
        public void out(Object message, String to) {}

        private boolean apply(List<Rule> all, int number, @Nullable Object message) {
            for (Rule rule : all) {
                if (!rule.test().hits(number, message, random)) {
                    continue;
                }
                if (listener != null) {
                    listener.accept(new Fault(rule.kind(), actor, number, message));
                }
                switch (rule.kind()) {
                    case CRASH -> throw crash(number, message);
                    case DELAY -> Fiber.sleep(Duration.ofNanos(rule.delay().nanos(random)));
                    case DROP -> {
                        return false;
                    }
                }
            }
            return true;
        }

        private InjectedCrashException crash(int number, @Nullable Object message) {
            return new InjectedCrashException(
                    actor.path()
                            + " was told to crash on "
                            + (message == null
                                    ? "start " + number
                                    : "message " + number + ", " + message)
                            + "; seed="
                            + seed);
        }
    }
}
