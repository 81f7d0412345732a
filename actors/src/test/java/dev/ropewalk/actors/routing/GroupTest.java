package dev.ropewalk.actors.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Rule A6: groups. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class GroupTest {
    private static Group<Step> group(World world) {
        return world.system.group("group", Step.class);
    }

    private static List<String> names(List<ActorRef<Step>> actors) {
        return actors.stream().map(ActorRef::name).toList();
    }

    private static Actor<Step> temporary() {
        return Step.actor().restart(RestartRule.TEMPORARY);
    }

    /** In one place, with the actors elsewhere, and over three cords. */
    private static void everywhere(World.Body body) {
        World.anywhere(body);
        for (long seed : TestCords.seedsOr(1, 2, 3, 4, 5)) {
            World.overThreeCords(seed, seed % 2 == 0, body);
        }
    }

    /** A watch that was cancelled, died, or never began, and a sender that waits no longer. */
    @Test
    void A6_nothingIsLeftOfWatchesAndOfThoseThatWaited() {
        World.local(
                world -> {
                    Group<Step> group = group(world);
                    GroupCell<Step> cell = (GroupCell<Step>) group;
                    List<GroupWatch<Step>> watches = new ArrayList<>();
                    ActorRef<Step> watcher = world.spin("watcher", Step.actor());
                    Step watch =
                            Step.of(self -> watches.add(self.watch(group, _ -> Step.of(_ -> {}))));
                    watcher.tell(watch);
                    watcher.tell(watch);
                    world.settle();
                    assertEquals(2, cell.interested());
                    watcher.tell(Step.of(_ -> watches.getFirst().cancel()));
                    world.settle();
                    assertEquals(1, cell.interested());
                    watcher.tell(Step.crash("the other one dies"));
                    world.settle();
                    assertEquals(0, cell.interested());
                    ActorRef<Step> router =
                            Routing.<Step>roundRobin()
                                    .whenEmpty(WhenEmpty.await(Duration.ofMillis(10)))
                                    .over(group);
                    assertThrows(NoMembersException.class, () -> router.tell(Step.of(_ -> {})));
                    Fiber<?> ended = Fiber.spin("ended", () -> router.tell(Step.of(_ -> {})));
                    Fiber.snooze();
                    ended.terminate();
                    world.settle();
                    assertEquals(0, cell.interested());
                });
    }

    /** Also before one that is told of each incarnation hears of the last. */
    @Test
    void A6_aMemberLeavesBeforeTheDownOfItsLastIncarnationIsSent() {
        everywhere(
                world -> {
                    for (boolean isTemporary : new boolean[] {true, false}) {
                        Group<Step> group = world.system.group("g" + isTemporary, Step.class);
                        ActorRef<Step> a =
                                world.spin("a", isTemporary ? temporary() : Step.actor());
                        List<String> log = World.log();
                        world.spin(
                                "watcher",
                                Step.actor(
                                        self ->
                                                self.monitorEach(
                                                        a,
                                                        _ ->
                                                                Step.of(
                                                                        _ ->
                                                                                log.add(
                                                                                        ""
                                                                                                + names(
                                                                                                        group
                                                                                                                .members()))))));
                        world.settle();
                        group.join(a);
                        if (!isTemporary) {
                            a.tell(Step.crash("it is started again"));
                            world.until(() -> log.size() == 1);
                            assertEquals("[a]", log.removeFirst());
                        }
                        a.stop();
                        world.until(() -> log.size() == 1);
                        assertEquals(List.of("[]"), log);
                    }
                });
    }

    /** It leaves by the word of another fiber, and the group may not know that yet. */
    @Test
    void A6_anActorThatEndsWhileItLeavesHasLeftBeforeItsEndIsHeardOf() {
        for (long seed : TestCords.seedsOr(LongStream.rangeClosed(1, 60).toArray())) {
            World.overThreeCords(seed, seed % 2 == 0, world -> leaveAndStop(seed, world));
        }
    }

    private static void leaveAndStop(long seed, World world) {
        List<String> log = World.log();
        List<Group<Step>> groups =
                Stream.of("a", "b", "c").map(each -> world.system.group(each, Step.class)).toList();
        ActorRef<Step> member = world.spin("member", temporary());
        Runnable heard = () -> groups.forEach(each -> log.add("" + names(each.members())));
        for (int i = 0; i < 3; i++) {
            world.spin(
                    "watcher-" + i,
                    Step.actor(self -> self.monitor(member, _ -> Step.of(_ -> heard.run()))));
        }
        groups.forEach(each -> each.join(member));
        world.settle();
        List<Fiber<?>> leaving = new ArrayList<>();
        for (Group<Step> each : groups) {
            leaving.add(
                    Fiber.spin(
                            "leaving",
                            () -> {
                                each.leave(member);
                                each.join(member);
                                each.leave(member);
                            }));
        }
        for (int i = 0; i < seed % 9; i++) {
            Fiber.snooze();
        }
        member.stop();
        world.until(() -> log.size() == 9);
        assertEquals(List.of("[]"), log.stream().distinct().toList(), "seed=" + seed);
        leaving.forEach(Fiber::await);
        world.settle();
        groups.forEach(each -> assertEquals(List.of(), each.members()));
    }

    /** Changes that are on their way to it are of an incarnation that is over. */
    @Test
    void A6_aWatchThatIsEndedWhileItBeginsTellsTheNextIncarnationNothing() {
        for (long seed : TestCords.seedsOr(LongStream.rangeClosed(1, 40).toArray())) {
            World.overThreeCords(seed, seed % 2 == 0, world -> watchAndKill(seed, world));
        }
    }

    private static void watchAndKill(long seed, World world) {
        Group<Step> group = group(world);
        ActorRef<Step> member = world.spin("member", Step.actor());
        AtomicInteger life = new AtomicInteger();
        List<String> log = World.log();
        ActorRef<Step> watcher =
                world.spin(
                        "watcher",
                        Step.actor(_ -> life.incrementAndGet()).restart(RestartRule.PERMANENT));
        world.settle();
        Fiber<?> joining =
                Fiber.spin(
                        "joining",
                        () -> {
                            for (int i = 0; i < 20; i++) {
                                group.join(member);
                                group.leave(member);
                            }
                        });
        watcher.tell(
                Step.of(
                        self -> {
                            int own = life.get();
                            self.watch(
                                    group,
                                    _ ->
                                            Step.of(
                                                    _ -> {
                                                        if (own != life.get()) {
                                                            log.add("of " + own);
                                                        }
                                                    }));
                        }));
        for (int i = 0; i < seed % 7; i++) {
            Fiber.snooze();
        }
        watcher.kill();
        joining.await();
        world.settle();
        assertEquals(List.of(), log, "seed=" + seed);
    }

    @Test
    void A6_joinAndLeaveHoldWhenTheyReturn() {
        everywhere(
                world -> {
                    Group<Step> group = group(world);
                    ActorRef<Step> a = world.spin("a", Step.actor());
                    ActorRef<Step> b = world.spin("b", Step.actor());
                    assertTrue(group.join(a));
                    assertEquals(List.of(a), group.members());
                    assertTrue(group.join(b));
                    assertEquals(List.of(a, b), group.members());
                    group.leave(a);
                    assertEquals(List.of(b), group.members());
                    group.leave(a);
                    assertTrue(group.join(a));
                    assertEquals(List.of(b, a), group.members());
                    assertEquals(List.of(), world.system.group("other", Step.class).members());
                });
    }

    @Test
    void A6_toJoinTwiceCountsOnce() {
        everywhere(
                world -> {
                    Group<Step> group = group(world);
                    ActorRef<Step> a = world.spin("a", Step.actor());
                    assertTrue(group.join(a));
                    assertTrue(group.join(a));
                    assertEquals(List.of(a), group.members());
                    group.leave(a);
                    assertEquals(List.of(), group.members());
                });
    }

    @Test
    void A6_aRestartKeepsAMember() {
        everywhere(
                world -> {
                    Group<Step> group = group(world);
                    ActorRef<Step> a = world.spin("a", Step.actor());
                    group.join(a);
                    a.tell(Step.crash("no"));
                    world.settle();
                    assertEquals(1, world.failures.size());
                    assertEquals(List.of(a), group.members());
                });
    }

    @Test
    void A6_thatHasEndedCannotJoin() {
        everywhere(
                world -> {
                    Group<Step> group = group(world);
                    ActorRef<Step> a = world.spin("a", Step.actor());
                    a.stop();
                    assertTrue(a.awaitEnd(Duration.ofHours(1)));
                    assertFalse(group.join(a));
                    assertEquals(List.of(), group.members());
                });
    }

    /** Whatever ends it, and on whatever cord the group is. */
    @Test
    void A6_aMemberLeavesBeforeItsDownIsSent() {
        everywhere(
                world -> {
                    for (String how : List.of("stop", "kill", "terminate", "crash")) {
                        List<Group<Step>> groups = new ArrayList<>();
                        for (int i = 0; i < 5; i++) {
                            groups.add(world.system.group(how + i, Step.class));
                        }
                        ActorRef<Step> a = world.spin("a", temporary());
                        List<String> log = World.log();
                        world.spin(
                                "watcher",
                                Step.actor(
                                        self ->
                                                self.monitor(
                                                        a,
                                                        _ ->
                                                                Step.of(
                                                                        _ ->
                                                                                groups.forEach(
                                                                                        each ->
                                                                                                log
                                                                                                        .add(
                                                                                                                ""
                                                                                                                        + each
                                                                                                                                .members()))))));
                        world.settle();
                        groups.forEach(each -> each.join(a));
                        switch (how) {
                            case "stop" -> a.stop();
                            case "kill" -> a.kill();
                            case "terminate" -> a.terminate();
                            default -> a.tell(Step.crash("no"));
                        }
                        assertTrue(a.awaitEnd(Duration.ofHours(1)));
                        groups.forEach(each -> assertEquals(List.of(), each.members(), how));
                        world.until(() -> log.size() == 5);
                        assertEquals(List.of("[]", "[]", "[]", "[]", "[]"), log, how);
                    }
                });
    }

    /** It is over, and its groups do not know yet: one that asks now hears when they do. */
    @Test
    void A6_whoAsksMeanwhileHearsWhenItHasLeft() {
        everywhere(
                world -> {
                    List<Group<Step>> groups = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        groups.add(world.system.group("group" + i, Step.class));
                    }
                    ActorRef<Step> a = world.spin("a", temporary());
                    groups.forEach(each -> each.join(a));
                    a.kill();
                    List<String> told = World.log();
                    Fiber<?> asking =
                            world.home.spin(
                                    "asking",
                                    () -> {
                                        for (int i = 0; i < 30; i++) {
                                            a.target()
                                                    .watch(
                                                            down ->
                                                                    told.add(
                                                                            groups.stream()
                                                                                    .map(
                                                                                            Group
                                                                                                    ::members)
                                                                                    .toList()
                                                                                    .toString()),
                                                            false);
                                            Fiber.snooze();
                                        }
                                    });
                    asking.await();
                    world.until(() -> told.size() == 30);
                    assertEquals(Set.of("[[], [], [], [], []]"), Set.copyOf(told));
                });
    }

    // ---------------------------------------------------------------- watching

    private static String text(GroupChange<Step> change) {
        return (change instanceof GroupChange.Joined<Step> ? "+" : "-") + change.actor().name();
    }

    @Test
    void A6_aWatchHasASnapshotAndEachChangeAfterIt() {
        everywhere(
                world -> {
                    Group<Step> group = group(world);
                    ActorRef<Step> a = world.spin("a", Step.actor());
                    ActorRef<Step> b = world.spin("b", temporary());
                    group.join(a);
                    List<String> log = World.log();
                    List<GroupWatch<Step>> watches = World.log();
                    ActorRef<Step> watcher =
                            world.spin(
                                    "watcher",
                                    Step.actor(
                                            self ->
                                                    watches.add(
                                                            self.watch(
                                                                    group,
                                                                    change ->
                                                                            Step.of(
                                                                                    _ ->
                                                                                            log.add(
                                                                                                    text(
                                                                                                            change)))))));
                    world.until(() -> !watches.isEmpty());
                    assertEquals(List.of("a"), names(watches.getFirst().snapshot()));
                    group.join(b);
                    group.leave(a);
                    group.join(a);
                    b.kill();
                    world.until(() -> log.size() == 4);
                    assertEquals(List.of("+b", "-a", "+a", "-b"), log);
                    watcher.tell(Step.of(_ -> watches.getFirst().cancel()));
                    world.settle();
                    group.leave(a);
                    world.settle();
                    assertEquals(4, log.size());
                });
    }

    /** In the mailbox already, behind the message that cancels: it does not come. */
    @Test
    void A6_noChangeComesAfterTheCancel() {
        World.local(
                world -> {
                    Group<Step> group = group(world);
                    ActorRef<Step> a = world.spin("a", Step.actor());
                    List<String> log = World.log();
                    List<GroupWatch<Step>> watches = World.log();
                    ActorRef<Step> watcher =
                            world.spin(
                                    "watcher",
                                    Step.actor(
                                            self ->
                                                    watches.add(
                                                            self.watch(
                                                                    group,
                                                                    change ->
                                                                            Step.of(
                                                                                    _ ->
                                                                                            log.add(
                                                                                                    text(
                                                                                                            change)))))));
                    world.settle();
                    watcher.tell(
                            Step.of(
                                    _ -> {
                                        Fiber.sleep(Duration.ofSeconds(1));
                                        watches.getFirst().cancel();
                                    }));
                    group.join(a);
                    group.leave(a);
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals(List.of(), log);
                });
    }

    /** A watch dies with the incarnation. */
    @Test
    void A6_aWatchEndsWithTheIncarnation() {
        everywhere(
                world -> {
                    Group<Step> group = group(world);
                    ActorRef<Step> a = world.spin("a", Step.actor());
                    List<String> log = World.log();
                    int[] starts = {0};
                    ActorRef<Step> watcher =
                            world.spin(
                                    "watcher",
                                    Step.actor(
                                            self -> {
                                                int life = ++starts[0];
                                                self.watch(
                                                        group,
                                                        change ->
                                                                Step.of(
                                                                        _ ->
                                                                                log.add(
                                                                                        life
                                                                                                + text(
                                                                                                        change))));
                                            }));
                    world.until(() -> starts[0] == 1);
                    watcher.tell(Step.crash("no"));
                    world.until(() -> starts[0] == 2);
                    world.settle();
                    group.join(a);
                    world.until(() -> !log.isEmpty());
                    world.settle();
                    assertEquals(List.of("2+a"), log);
                });
    }

    // ---------------------------------------------------------------- chaos

    /** Random joins, leaves, ends and restarts on three cords; the views must agree at the end. */
    private static void chaos(long seed) {
        World.overThreeCords(
                seed,
                seed % 2 == 0,
                world -> {
                    Random random = new Random(seed);
                    Group<Step> group = group(world);
                    List<View> views = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        views.add(new View(world, group, i));
                    }
                    List<ActorRef<Step>> actors = new ArrayList<>();
                    List<Fiber<?>> players = new ArrayList<>();
                    for (int i = 0; i < 8; i++) {
                        Cord cord = world.cords.get(random.nextInt(world.cords.size()));
                        actors.add(world.system.root().spin(cord, "m" + i, temporary()));
                    }
                    for (Cord cord : world.cords) {
                        long own = random.nextLong();
                        players.add(
                                cord.spin("player", () -> play(group, actors, new Random(own))));
                    }
                    for (Fiber<?> each : players) {
                        each.await();
                    }
                    world.settle();
                    for (ActorRef<Step> each : actors) {
                        boolean isOver = each.awaitEnd(Duration.ZERO);
                        if (isOver) {
                            assertFalse(group.members().contains(each), each + " has ended");
                        }
                    }
                    for (View view : views) {
                        assertEquals(Set.copyOf(group.members()), view.members, "seed=" + seed);
                    }
                    GroupCell<Step> cell = (GroupCell<Step>) group;
                    cell.owner().spin("check", cell::checkInvariants).await();
                });
    }

    private static void play(Group<Step> group, List<ActorRef<Step>> actors, Random random) {
        for (int i = 0; i < 40; i++) {
            ActorRef<Step> one = actors.get(random.nextInt(actors.size()));
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> group.join(one);
                case 4, 5, 6, 7 -> group.leave(one);
                case 8 -> Fiber.snooze();
                case 9 -> one.tell(Step.of(_ -> Fiber.snooze()));
                case 10 -> one.tell(Step.crash("chaos"));
                default -> {
                    if (random.nextInt(4) == 0) {
                        one.kill();
                    }
                }
            }
        }
    }

    /** The members as one watcher sees them. */
    private static final class View {
        final Set<ActorRef<Step>> members = new LinkedHashSet<>();
        private @Nullable GroupWatch<Step> watch;

        View(World world, Group<Step> group, int number) {
            Cord cord = world.cords.get(number % world.cords.size());
            world.system
                    .root()
                    .start(
                            cord,
                            "view" + number,
                            Step.actor(
                                    self -> {
                                        GroupWatch<Step> begun =
                                                self.watch(
                                                        group,
                                                        change -> Step.of(_ -> take(change)));
                                        watch = begun;
                                        members.addAll(begun.snapshot());
                                    }));
        }

        private void take(GroupChange<Step> change) {
            assertEquals(watch, change.watch());
            boolean isChanged =
                    change instanceof GroupChange.Joined<Step>
                            ? members.add(change.actor())
                            : members.remove(change.actor());
            if (!isChanged) {
                throw new Crash("told twice, or in another order: " + change);
            }
        }
    }

    @Test
    void A6_snapshotAndChangesAreTheMembers() {
        for (long seed : TestCords.seedsOr(LongStream.rangeClosed(1, 20).toArray())) {
            chaos(seed);
        }
    }

    @Test
    @Tag("stress")
    void A6_snapshotAndChangesAreTheMembersManySeeds() {
        LongStream.rangeClosed(1_001, 2_000).forEach(GroupTest::chaos);
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void misuse_aGroupOfAnotherType() {
        World.local(
                world -> {
                    group(world);
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> world.system.group("group", String.class)),
                            "group group is one of dev.ropewalk.actors.testkit.Step, not of"
                                    + " java.lang.String");
                });
    }

    @Test
    void misuse_watchFromOutside() {
        World.local(
                world -> {
                    List<ActorContext<Step>> contexts = World.log();
                    world.spin("a", Step.actor(contexts::add));
                    world.settle();
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalStateException.class,
                                    () ->
                                            contexts.getFirst()
                                                    .watch(group(world), _ -> Step.stop())),
                            "watch of a",
                            "own fiber");
                });
    }
}
