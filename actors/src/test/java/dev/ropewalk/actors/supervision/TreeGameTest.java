package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Rules A4 and A5: random trees and links over several cords, and what holds in the end. */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class TreeGameTest {
    private static final int CORDS = 3;
    private static final Duration A_WHILE = Duration.ofMinutes(1);

    @Test
    void A5_afterRandomFailuresEachChildIsWhereItsRulesPutIt() {
        for (long seed : TestCords.seedsOr(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000)) {
            trees(seed);
        }
    }

    @Test
    @Tag("stress")
    void A5_afterRandomFailuresManySeeds() {
        for (long seed = 1_000; seed < 1_300; seed++) {
            trees(seed);
        }
    }

    private static void trees(long seed) {
        TestCords.run(
                CORDS,
                seed,
                true,
                cords -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    Tree tree = tree("top", random, 3);
                    try (ActorSystem system =
                            ActorSystem.start(
                                    tree,
                                    ActorSystemOptions.defaults()
                                            .over(cords)
                                            .withDeadLetters(_ -> {}))) {
                        List<String> ids = new ArrayList<>();
                        paths(tree, "", ids);
                        for (int i = 0; i < 40 && !ids.isEmpty(); i++) {
                            disturb(system, ids.get(random.nextInt(ids.size())), random);
                            if (random.nextInt(3) == 0) {
                                Fiber.sleep(Duration.ofMillis(random.nextInt(50)));
                            }
                        }
                        Fiber.sleep(A_WHILE);
                        check(system.root(), tree, seed);
                    }
                });
    }

    private static void disturb(ActorSystem system, String path, SplittableRandom random) {
        @SuppressWarnings("unchecked") // all of these actors take steps
        ActorRef<Step> ref = (ActorRef<Step>) system.find(path);
        if (ref == null) {
            return;
        }
        switch (random.nextInt(5)) {
            case 0 -> ref.kill();
            case 1 -> ref.tell(Step.of(_ -> Fiber.sleep(Duration.ofMillis(5))));
            case 2 -> ref.tell(Step.stop());
            default -> ref.tell(Step.crash("game"));
        }
    }

    private static void paths(Tree tree, String prefix, List<String> paths) {
        for (ChildSpec<?> child : tree.children()) {
            if (child instanceof Tree below) {
                paths(below, prefix + below.id() + "/", paths);
            } else {
                paths.add(prefix + child.id());
            }
        }
    }

    private static Tree tree(String id, SplittableRandom random, int depth) {
        Strategy[] strategies = {Strategy.ONE_FOR_ONE, Strategy.ONE_FOR_ALL, Strategy.REST_FOR_ONE};
        ChildSpec<?>[] children = new ChildSpec<?>[1 + random.nextInt(4)];
        for (int i = 0; i < children.length; i++) {
            String child = id + i;
            children[i] =
                    depth > 1 && random.nextInt(3) == 0
                            ? tree(child, random, depth - 1)
                            : actor(child, random);
        }
        Supervision rules =
                Supervision.oneForOne()
                        .strategy(strategies[random.nextInt(strategies.length)])
                        .intensity(100_000, Duration.ofSeconds(1))
                        .onFailure(_ -> {});
        if (random.nextBoolean()) {
            rules = rules.spread();
        }
        if (random.nextBoolean()) {
            rules = rules.backOff(BackOff.doubling(Duration.ofMillis(1), Duration.ofMillis(20)));
        }
        return Tree.of(id, rules, children);
    }

    private static ActorSpec<Step> actor(String id, SplittableRandom random) {
        RestartRule[] rules = RestartRule.values();
        boolean isSlow = random.nextInt(4) == 0;
        return Tree.child(
                        id,
                        Step.actor(
                                self -> {
                                    if (isSlow) {
                                        Fiber.sleep(Duration.ofMillis(3));
                                        self.atEnd(_ -> Fiber.sleep(Duration.ofMillis(2)));
                                    }
                                }))
                .restart(rules[random.nextInt(rules.length)]);
    }

    private static void check(Supervisor supervisor, Tree tree, long seed) {
        String where = "seed=" + seed + " " + tree.id();
        ((SupervisorCell) supervisor).checkInvariants();
        List<ChildInfo> children = supervisor.children();
        List<String> known = children.stream().map(ChildInfo::id).toList();
        List<String> expected = new ArrayList<>();
        for (ChildSpec<?> spec : tree.children()) {
            if (known.contains(spec.id()) || spec.restartRule() != RestartRule.TEMPORARY) {
                expected.add(spec.id());
            }
        }
        assertEquals(expected, known, where);
        for (ChildInfo child : children) {
            String at = where + "/" + child;
            switch (child.restart()) {
                case PERMANENT -> assertEquals(ChildInfo.State.UP, child.state(), at);
                case TEMPORARY -> assertEquals(ChildInfo.State.UP, child.state(), at);
                case TRANSIENT ->
                        assertEquals(
                                child.state() == ChildInfo.State.STOPPED,
                                child.state() != ChildInfo.State.UP,
                                at);
            }
        }
        for (ChildSpec<?> spec : tree.children()) {
            if (spec instanceof Tree below) {
                check(supervisor.supervisor(below.id()), below, seed);
            }
        }
    }

    // ---------------------------------------------------------------- links

    @Test
    void A4_aFailureEndsAllThatAreLinkedAndNobodyElse() {
        for (long seed : TestCords.seedsOr(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000)) {
            links(seed);
        }
    }

    @Test
    @Tag("stress")
    void A4_linksManySeeds() {
        for (long seed = 1_000; seed < 1_500; seed++) {
            links(seed);
        }
    }

    private static void links(long seed) {
        TestCords.run(
                CORDS,
                seed,
                true,
                cords -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    try (ActorSystem system =
                            ActorSystem.start(
                                    "top", Supervision.oneForOne().onFailure(_ -> {}), _ -> {})) {
                        int number = 12;
                        List<ActorRef<Step>> actors = new ArrayList<>();
                        for (int i = 0; i < number; i++) {
                            Cord cord = cords.get(random.nextInt(cords.size()));
                            actors.add(
                                    system.root()
                                            .spin(
                                                    cord,
                                                    Step.actor().restart(RestartRule.TEMPORARY)));
                        }
                        boolean[][] linked = new boolean[number][number];
                        for (int i = 0; i < 15; i++) {
                            int from = random.nextInt(number);
                            int to = random.nextInt(number);
                            if (from != to) {
                                linked[from][to] = true;
                                linked[to][from] = true;
                                ActorRef<Step> peer = actors.get(to);
                                actors.get(from).tell(Step.of(self -> self.link(peer)));
                                if (random.nextBoolean()) { // from both sides
                                    ActorRef<Step> other = actors.get(from);
                                    peer.tell(Step.of(self -> self.link(other)));
                                }
                            }
                        }
                        Fiber.sleep(A_WHILE);
                        for (int i = 0; i < 6; i++) { // after this some pairs are not linked
                            int from = random.nextInt(number);
                            int to = random.nextInt(number);
                            linked[from][to] = false;
                            linked[to][from] = false;
                            ActorRef<Step> peer = actors.get(to);
                            actors.get(from).tell(Step.of(self -> self.unlink(peer)));
                        }
                        Fiber.sleep(A_WHILE);
                        int first = random.nextInt(number);
                        Set<Integer> over = new HashSet<>();
                        reach(first, linked, over);
                        if (random.nextBoolean()) {
                            actors.get(first).kill();
                        } else {
                            actors.get(first).tell(Step.crash("game"));
                        }
                        Fiber.sleep(A_WHILE);
                        for (int i = 0; i < number; i++) {
                            assertEquals(
                                    over.contains(i),
                                    actors.get(i).awaitEnd(Duration.ofMillis(1)),
                                    "seed=" + seed + " actor=" + i + " first=" + first);
                        }
                    }
                });
    }

    private static void reach(int from, boolean[][] linked, Set<Integer> reached) {
        if (reached.add(from)) {
            for (int to = 0; to < linked.length; to++) {
                if (linked[from][to]) {
                    reach(to, linked, reached);
                }
            }
        }
    }
}
