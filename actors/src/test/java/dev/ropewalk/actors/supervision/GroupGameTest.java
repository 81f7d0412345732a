package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Peek;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Rule A5: groups that come up again, while their members fail, are stopped, and do not start, at
 * any moment. Time passes in the middle of turns too, so limits and back-offs end there.
 */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class GroupGameTest {
    private static final int CORDS = 2;
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofSeconds(3);

    @Test
    void A5_whatIsToBeUpIsUpInTheEnd() {
        for (long seed : TestCords.seedsOr(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1_000)) {
            new Game(seed).play();
        }
    }

    @Test
    @Tag("stress")
    void A5_whatIsToBeUpIsUpInTheEndManySeeds() {
        for (long seed = 1_000; seed < 2_000; seed++) {
            new Game(seed).play();
        }
    }

    private static final class Game {
        private final long seed;
        private final SplittableRandom random;

        /** What the children do when they start, by their names. */
        private final Map<String, Step.Code> starts = new HashMap<>();

        private final Map<String, RestartRule> rules = new HashMap<>();

        /** Of those that were stopped or restarted by name, at any time. */
        private final Set<String> named = new HashSet<>();

        private final List<String> paths = new ArrayList<>();
        private final List<String> supervisors = new ArrayList<>();
        private final List<Fiber<?>> callers = new ArrayList<>();
        private boolean isCalm;

        Game(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
        }

        void play() {
            TestCords.run(CORDS, seed, true, this::play);
        }

        private void play(List<Cord> cords) {
            Tree tree = tree("top", "", 2);
            try (ActorSystem system =
                    ActorSystem.start(
                            tree,
                            ActorSystemOptions.defaults().over(cords).withDeadLetters(_ -> {}))) {
                Supervisor root = system.root();
                for (int i = 0; i < 60; i++) {
                    disturb(system, root);
                    ((SupervisorCell) root).checkInvariants();
                    if (random.nextInt(3) > 0) {
                        Fiber.sleep(Duration.ofMillis(random.nextInt(40)));
                    }
                }
                boolean isCalmedBefore = random.nextInt(4) > 0;
                if (isCalmedBefore) {
                    isCalm = true;
                    Fiber.sleep(LONG);
                    callers.forEach(
                            caller ->
                                    assertTrue(
                                            caller.awaitEnd(Duration.ZERO), where(caller.name())));
                    check(root, tree, "");
                }
                // What never comes up is started again until the limit, which is why it is short.
                StopReport report = system.stop(isCalmedBefore ? LONG : SHORT);
                if (isCalmedBefore) {
                    assertTrue(report.isComplete(), where(report.toString()));
                }
                assertTrue(system.awaitEnd(Duration.ZERO), where("the end"));
            }
        }

        private String where(String what) {
            return "seed=" + seed + " " + what;
        }

        // ------------------------------------------------------------ the tree

        private Tree tree(String id, String prefix, int depth) {
            ChildSpec<?>[] children = new ChildSpec<?>[2 + random.nextInt(3)];
            for (int i = 0; i < children.length; i++) {
                String child = id + i;
                if (depth > 1 && random.nextInt(4) == 0) {
                    supervisors.add(prefix + child);
                    children[i] = tree(child, prefix + child + "/", depth - 1);
                } else {
                    children[i] = actor(child);
                    paths.add(prefix + child);
                }
            }
            boolean isRoot = prefix.isEmpty();
            Supervision ofThis =
                    Supervision.oneForOne()
                            .strategy(
                                    random.nextBoolean()
                                            ? Strategy.ONE_FOR_ALL
                                            : Strategy.REST_FOR_ONE)
                            .intensity(
                                    isRoot || random.nextBoolean() ? 100_000 : 4,
                                    Duration.ofSeconds(1))
                            .startLimit(Duration.ofMillis(30))
                            .stopLimit(Duration.ofMillis(150))
                            .onFailure(_ -> passes());
            if (random.nextBoolean()) {
                ofThis = ofThis.spread();
            }
            if (random.nextInt(4) > 0) {
                Duration first = Duration.ofMillis(1 + random.nextInt(30));
                ofThis = ofThis.backOff(BackOff.doubling(first, first.multipliedBy(10)));
            }
            return Tree.of(id, ofThis, children);
        }

        private ActorSpec<Step> actor(String id) {
            RestartRule[] all = {
                RestartRule.PERMANENT, RestartRule.TRANSIENT, RestartRule.PERMANENT
            };
            RestartRule rule = all[random.nextInt(all.length)];
            rules.put(id, rule);
            boolean isSlowToEnd = random.nextBoolean();
            return Tree.child(
                            id,
                            Step.actor(
                                    self -> {
                                        if (isSlowToEnd) {
                                            self.atEnd(_ -> takesAWhile(isCalm ? 20 : 60));
                                        }
                                        Step.Code first = starts.get(id);
                                        if (first != null && !isCalm) {
                                            first.run(self);
                                        }
                                    }))
                    .restart(rule);
        }

        // ------------------------------------------------------------ what happens

        private void takesAWhile(int boundMs) {
            if (random.nextBoolean()) {
                passes();
            }
            Fiber.sleep(Duration.ofMillis(random.nextInt(boundMs)));
        }

        /** Time goes by, and nothing else runs. */
        private void passes() {
            if (random.nextInt(3) == 0) {
                Peek.pass(Duration.ofMillis(random.nextInt(25)));
            }
        }

        private void disturb(ActorSystem system, Supervisor root) {
            String path = paths.get(random.nextInt(paths.size()));
            String id = path.substring(path.lastIndexOf('/') + 1);
            @SuppressWarnings("unchecked") // all of these actors take steps
            ActorRef<Step> ref = (ActorRef<Step>) system.find(path);
            switch (random.nextInt(10)) {
                case 0 -> starts.put(id, _ -> Fiber.sleep(Duration.ofSeconds(1)));
                case 1 -> starts.put(id, _ -> takesAWhile(20));
                case 2 ->
                        starts.put(
                                id,
                                _ -> {
                                    takesAWhile(5);
                                    throw new Crash("does not come up");
                                });
                case 3 -> starts.remove(id);
                case 4 -> call(root, path, "stop");
                case 5 -> call(root, path, "restart");
                case 6 -> passes();
                case 7 -> tell(ref, Step.of(_ -> takesAWhile(10)));
                default -> {
                    // Others of the group fail as well, while it is being stopped.
                    tell(ref, Step.crash("game"));
                    for (int i = random.nextInt(3); i > 0; i--) {
                        passes();
                        Fiber.sleep(Duration.ofMillis(random.nextInt(10)));
                        @SuppressWarnings("unchecked")
                        ActorRef<Step> other =
                                (ActorRef<Step>)
                                        system.find(paths.get(random.nextInt(paths.size())));
                        tell(other, Step.crash("too"));
                    }
                }
            }
        }

        private static void tell(@Nullable ActorRef<Step> ref, Step step) {
            if (ref != null) {
                ref.tell(step);
            }
        }

        private void call(Supervisor root, String path, String what) {
            int slash = path.indexOf('/');
            String id = path.substring(slash + 1);
            named.add(id);
            callers.add(
                    Fiber.spin(
                            what + " " + path,
                            () -> {
                                try {
                                    Supervisor of =
                                            slash < 0
                                                    ? root
                                                    : root.supervisor(path.substring(0, slash));
                                    if (what.equals("stop")) {
                                        of.stop(id);
                                    } else {
                                        of.restart(id);
                                    }
                                } catch (IllegalArgumentException
                                        | IllegalStateException
                                        | StartFailedException refused) {
                                    passes();
                                }
                            }));
        }

        // ------------------------------------------------------------ what holds

        private void check(Supervisor supervisor, Tree tree, String prefix) {
            ((SupervisorCell) supervisor).checkInvariants();
            List<ChildInfo> children = supervisor.children();
            assertEquals(
                    tree.children().stream().map(ChildSpec::id).toList(),
                    children.stream().map(ChildInfo::id).toList(),
                    where(prefix));
            for (ChildInfo child : children) {
                boolean mayBeStopped =
                        named.contains(child.id())
                                || rules.get(child.id()) == RestartRule.TRANSIENT;
                boolean isRight =
                        child.state() == ChildInfo.State.UP
                                || (mayBeStopped && child.state() == ChildInfo.State.STOPPED);
                assertTrue(isRight, where(prefix + " " + children));
            }
            for (ChildSpec<?> spec : tree.children()) {
                if (spec instanceof Tree below) {
                    check(supervisor.supervisor(below.id()), below, prefix + below.id() + "/");
                }
            }
        }
    }

    // ---------------------------------------------------------------- back-offs

    @Test
    void A5_noRequestWaitsForABackOff() {
        for (long seed : TestCords.seedsOr(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000)) {
            backOffs(seed);
        }
    }

    @Test
    @Tag("stress")
    void A5_noRequestWaitsForABackOffManySeeds() {
        for (long seed = 1_000; seed < 2_000; seed++) {
            backOffs(seed);
        }
    }

    /** Back-offs of hours, of which the clock passes minutes at most in one request. */
    private static void backOffs(long seed) {
        TestCords.run(
                CORDS,
                seed,
                true,
                cords -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    Strategy strategy =
                            random.nextBoolean() ? Strategy.ONE_FOR_ALL : Strategy.REST_FOR_ONE;
                    Duration delay = LONG.multipliedBy(1 + random.nextInt(3));
                    long[] failedNs = new long[5];
                    boolean[] hasFailed = new boolean[5];
                    ChildSpec<?>[] children = new ChildSpec<?>[5];
                    for (int i = 0; i < children.length; i++) {
                        int number = i;
                        children[i] =
                                Tree.child(
                                        "child" + i,
                                        Step.actor(
                                                _ -> {
                                                    long ns =
                                                            Cord.current().nanoTime()
                                                                    - failedNs[number];
                                                    assertTrue(
                                                            !hasFailed[number]
                                                                    || ns >= delay.toNanos(),
                                                            "seed=" + seed + " too early: " + ns);
                                                    hasFailed[number] = false;
                                                    sometimes(random);
                                                }));
                    }
                    Supervision rules =
                            Supervision.oneForOne()
                                    .strategy(strategy)
                                    .intensity(100_000, Duration.ofSeconds(1))
                                    .backOff(BackOff.doubling(delay, delay))
                                    .startLimit(Duration.ofMinutes(20))
                                    .onFailure(_ -> sometimes(random));
                    try (ActorSystem system =
                            ActorSystem.start(
                                    Tree.of("top", rules, children),
                                    ActorSystemOptions.defaults()
                                            .over(cords)
                                            .withDeadLetters(_ -> {}))) {
                        for (int i = 0; i < 40; i++) {
                            int number = random.nextInt(children.length);
                            String id = "child" + number;
                            if (isUp(system.root(), id) && random.nextBoolean()) {
                                @SuppressWarnings("unchecked")
                                ActorRef<Step> ref =
                                        (ActorRef<Step>) Objects.requireNonNull(system.find(id));
                                ref.tell(
                                        self -> {
                                            failedNs[number] = Cord.current().nanoTime();
                                            hasFailed[number] = true;
                                            sometimes(random);
                                            throw new Crash("game");
                                        });
                            }
                            if (random.nextInt(3) == 0) {
                                Fiber.sleep(Duration.ofMinutes(random.nextInt(90)));
                            }
                            long beganNs = Cord.current().nanoTime();
                            String what = request(system, id, i, hasFailed, number, random);
                            long tookNs = Cord.current().nanoTime() - beganNs;
                            assertTrue(
                                    tookNs < Duration.ofMinutes(30).toNanos(),
                                    "seed=" + seed + " " + what + " " + Duration.ofNanos(tookNs));
                            ((SupervisorCell) system.root()).checkInvariants();
                        }
                        Fiber.sleep(delay.multipliedBy(10));
                        for (ChildInfo child : system.root().children()) {
                            assertTrue(
                                    child.state() != ChildInfo.State.RESTARTING,
                                    "seed=" + seed + " " + child);
                        }
                    }
                });
    }

    private static boolean isUp(Supervisor root, String id) {
        return root.children().stream()
                .anyMatch(child -> child.id().equals(id) && child.state() == ChildInfo.State.UP);
    }

    private static void sometimes(SplittableRandom random) {
        if (random.nextInt(4) == 0) {
            Peek.pass(Duration.ofMinutes(random.nextInt(3)));
        }
    }

    private static String request(
            ActorSystem system,
            String id,
            int number,
            boolean[] hasFailed,
            int child,
            SplittableRandom random) {
        Supervisor root = system.root();
        try {
            return switch (random.nextInt(6)) {
                case 0 -> {
                    root.stop(id);
                    hasFailed[child] = false;
                    yield "stop";
                }
                case 1 -> {
                    root.restart(id);
                    yield "restart";
                }
                case 2 -> {
                    root.start("started" + number, Step.actor());
                    yield "start";
                }
                case 3 -> {
                    root.add(Tree.child("added" + number, Step.actor()));
                    root.stop("added" + number);
                    root.remove("added" + number);
                    yield "add, stop, remove";
                }
                case 4 -> {
                    Fiber.sleep(Duration.ofMillis(1)); // what fails takes no part in this
                    ActorRef<Recipient<String>> echo =
                            root.spin(
                                    "spun" + number,
                                    Actor.handler(
                                            () ->
                                                    to -> {
                                                        to.tell("here");
                                                        return Behavior.same();
                                                    }));
                    assertEquals("here", echo.<String>ask(to -> to, LONG.multipliedBy(20)));
                    yield "spin, ask";
                }
                default -> {
                    root.children();
                    yield "children";
                }
            };
        } catch (IllegalStateException refused) { // restart of one that is up
            return "refused";
        } catch (StartFailedException failed) { // with its group
            Errors.assertMentions(failed, "its group was started again");
            return "start with a group";
        }
    }
}
