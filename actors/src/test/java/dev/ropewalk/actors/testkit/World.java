package dev.ropewalk.actors.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.internal.ActorCell;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One run of a test: a system that keeps its failures and dead letters, and a place for the actors.
 * That is the test's own cord on a virtual clock, or another cord in real time. After the test all
 * actors must have ended in order.
 */
public final class World {
    /** What a test does. */
    @FunctionalInterface
    public interface Body {
        void run(World world) throws Exception;
    }

    /** So many that no test meets it by accident. */
    public static final Supervision MANY_RESTARTS =
            Supervision.oneForOne().intensity(10_000, Duration.ofSeconds(1));

    /** So long nothing may happen, where actors are elsewhere. */
    private static final int MAX_SETTLES = 5_000;

    private static final Duration A_WHILE = Duration.ofNanos(10_000);

    /** Of all worlds that begin now; null for this process. Read by the thread that sets it. */
    private static final ThreadLocal<@Nullable Elsewhere> ELSEWHERE = new ThreadLocal<>();

    /** More than any of these tests has hops between its two cords. */
    private static final int ROUNDS = 20;

    private static final Duration A_MOMENT = Duration.ofNanos(1);

    /** Another place for the actors of tests, instead of the cords of this process. */
    public interface Elsewhere {
        /** Runs a test, once or several times. */
        void run(Code code);

        /** A test, with its actors on that cord. */
        @FunctionalInterface
        interface Code {
            void run(Cord home, Way way) throws Exception;
        }
    }

    /** The way from the test to its actors. */
    public interface Way {
        /**
         * Starts the system of the actors, on their cord.
         *
         * @param letters for those that come of the way
         */
        ActorSystem open(Supplier<ActorSystem> start, Consumer<DeadLetter> letters);

        /** The address of an actor as the test has it. */
        <M> ActorRef<M> address(ActorRef<M> actor);

        /** When all that was sent has arrived, and its effects were seen. */
        void settle();

        /** Behind the end of the system. */
        void close();
    }

    public final List<DeadLetter> letters = Collections.synchronizedList(new ArrayList<>());
    public final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    public final ActorSystem system;
    public final boolean remote;

    /** Where the actors run. */
    public final Cord home;

    private final List<ActorCell<?>> cells = new ArrayList<>();
    private final @Nullable Way way;
    private int spares;
    private int supervised;

    /** All on which actors and senders may be. */
    public final List<Cord> cords;

    private World(Supervision rules, @Nullable Cord home) {
        this(rules, home == null ? Cord.current() : home, home != null, List.of());
    }

    private World(Supervision rules, Cord home, boolean remote, List<Cord> others) {
        this.remote = remote;
        this.home = home;
        this.way = null;
        this.cords = others.isEmpty() ? List.of(home, Cord.current()) : List.copyOf(others);
        this.system = ActorSystem.start("system", keepingFailures(rules), letters::add);
    }

    private World(Supervision rules, Cord home, Way way) {
        this.remote = true;
        this.home = home;
        this.way = way;
        this.cords = List.of(home, Cord.current());
        this.system =
                way.open(
                        () -> ActorSystem.start("system", keepingFailures(rules), letters::add),
                        letters::add);
    }

    public Supervision keepingFailures(Supervision rules) {
        return rules.onFailure(
                report ->
                        failures.add(
                                Errors.inShort(report.actor() + ": " + text(report.failure()))));
    }

    private static String text(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }

    // ---------------------------------------------------------------- running

    /** Runs the code, with the actors of all its worlds somewhere else. */
    public static void elsewhere(Elsewhere place, Runnable code) {
        ELSEWHERE.set(place);
        try {
            code.run();
        } finally {
            ELSEWHERE.remove();
        }
    }

    private static boolean isRunElsewhere(Supervision rules, Body body) {
        Elsewhere place = ELSEWHERE.get();
        if (place != null) {
            place.run((home, way) -> new World(rules, home, way).run(body));
        }
        return place != null;
    }

    /** On one cord, for several seeds and orders, and with the actors on another cord. */
    public static void anywhere(Body body) {
        if (isRunElsewhere(MANY_RESTARTS, body)) {
            return;
        }
        local(body);
        remote(body);
    }

    /** On one cord with a virtual clock, for several seeds, with and without seeded order. */
    public static void local(Body body) {
        local(MANY_RESTARTS, body);
    }

    public static void local(Supervision rules, Body body) {
        if (isRunElsewhere(rules, body)) {
            return;
        }
        TestCord.run(() -> new World(rules, null).run(body));
    }

    /** With the actors on a cord of their own, in real time. */
    public static void remote(Body body) {
        if (isRunElsewhere(MANY_RESTARTS, body)) {
            return;
        }
        List<String> uncaught = Collections.synchronizedList(new ArrayList<>());
        CordOptions here =
                CordOptions.named("here").withUncaught((f, t) -> uncaught.add(f + ": " + t));
        CordOptions there =
                CordOptions.named("there").withUncaught((f, t) -> uncaught.add(f + ": " + t));
        try (Cord other = Cord.start(there)) {
            Cord.<@Nullable Object>run(
                    here,
                    () -> {
                        new World(MANY_RESTARTS, other).run(body);
                        return null;
                    });
        } catch (FiberFailedException e) {
            throw new AssertionError("with the actors on another cord: " + e.getCause(), e);
        }
        assertEquals(List.of(), uncaught, "uncaught");
    }

    /** On three cords that share one virtual clock; the actors' home is the second. */
    public static void overThreeCords(long seed, boolean seededOrder, Body body) {
        TestCords.run(
                3,
                seed,
                seededOrder,
                cords -> new World(MANY_RESTARTS, cords.get(1), true, cords).run(body));
    }

    private void run(Body body) throws Exception {
        Way end = way;
        try (system) {
            body.run(this);
            checkRoot();
        } finally {
            if (end != null) {
                end.close();
            }
        }
        settle();
        on(
                () -> {
                    cells.forEach(ActorCell::checkInvariants);
                    return true;
                });
    }

    /** On its own cord, which need not be that of the actors. */
    private void checkRoot() {
        SupervisorCell root = (SupervisorCell) system.root();
        if (root.cord().isCurrent()) {
            root.checkInvariants();
        } else {
            root.cord().spin("check", root::checkInvariants).await();
        }
    }

    // ---------------------------------------------------------------- for tests

    /** A name that is used again is that of a child of another supervisor. */
    public <M> ActorRef<M> spin(String name, Actor<M> actor) {
        Supervisor where = system.root();
        if (system.find(name) != null) {
            where = system.supervise("spare-" + ++spares, keepingFailures(MANY_RESTARTS));
        }
        return keep(where.spin(home, name, actor));
    }

    /** A name that is used again gets a number. */
    public Supervisor supervise(String name, Supervision rules) {
        return system.supervise(supervised++ == 0 ? name : name + "-" + supervised, rules);
    }

    public <M> ActorRef<M> spin(Supervisor below, String name, Actor<M> actor) {
        return keep(below.spin(home, name, actor));
    }

    private <M> ActorRef<M> keep(ActorRef<M> ref) {
        cells.add((ActorCell<?>) ref.target());
        return way == null ? ref : way.address(ref);
    }

    /**
     * Lets all fibers of both cords run until each of them waits; virtual time stands nearly still.
     */
    public void settle() {
        if (way != null) {
            way.settle();
            return;
        }
        if (!remote) {
            Fiber.sleep(A_MOMENT);
            return;
        }
        for (int round = 0; round < ROUNDS; round++) {
            // Unlike a snooze, a sleep ends after the cord has looked at what came from others.
            home.spin("round", () -> Fiber.sleep(A_MOMENT)).await();
            Fiber.sleep(A_MOMENT);
        }
    }

    /**
     * Lets the fibers run until the condition holds; the test's own time limit ends a wait in vain.
     */
    public void until(BooleanSupplier condition) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            if (way != null && i == MAX_SETTLES) {
                throw new AssertionError("nothing comes of it, elsewhere");
            }
            if (way == null && !remote) {
                Fiber.sleep(A_WHILE); // a test of a millisecond is not a million moments
            } else {
                settle();
            }
        }
    }

    /** Runs it on the actors' cord, where no actor can run meanwhile unless it waits. */
    public <T> T on(Callable<T> call) throws Exception {
        return remote ? home.spin("on", call).await() : call.call();
    }

    /** The dead letters, each as {@code recipient REASON message}. */
    public List<String> deadLetters() {
        if (way != null) {
            settle();
        }
        synchronized (letters) {
            return letters.stream()
                    .map(l -> nameOf(l) + " " + l.reason() + " " + l.message())
                    .toList();
        }
    }

    /** Of the recipient, without its path and number; it may have come there by a router. */
    private static String nameOf(DeadLetter letter) {
        String[] parts = letter.recipient().split(" by the ", 2);
        String name = parts[0].substring(parts[0].lastIndexOf('/') + 1).replaceFirst("#\\d+", "");
        return parts.length == 1 ? name : name + " by the " + parts[1];
    }

    public static <T extends @Nullable Object> List<T> log() {
        return Collections.synchronizedList(new ArrayList<>());
    }
}
