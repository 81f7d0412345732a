package dev.ropewalk.actors.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.supervision.Tree;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** Rule A6: routers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RouterTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofHours(1);

    /** A piece of work; asked for, it is answered with the name of the worker. */
    private record Job(String text, @Nullable Recipient<String> to) {
        Job(String text) {
            this(text, null);
        }
    }

    /** Writes down what it gets, and answers. */
    private static Actor<Job> worker(List<String> log) {
        return Actor.handler(
                (ActorContext<Job> self) ->
                        job -> {
                            if (job.text().equals("fail")) {
                                throw new Crash("told to");
                            }
                            if (job.text().equals("slow")) {
                                Fiber.sleep(SECOND);
                            }
                            log.add(self.self().name() + ":" + job.text());
                            if (job.to() != null) {
                                job.to().tell(self.self().name());
                            }
                            return Behavior.same();
                        });
    }

    private static Group<Job> group(World world, List<String> log, int members) {
        Group<Job> group = world.system.group("workers", Job.class);
        for (int i = 1; i <= members; i++) {
            group.join(world.spin("w" + i, worker(log)));
        }
        return group;
    }

    private static String workerOf(String line) {
        return line.substring(0, line.indexOf(':'));
    }

    private static void tell(ActorRef<Job> router, String... texts) {
        for (String text : texts) {
            router.tell(new Job(text));
        }
    }

    // ---------------------------------------------------------------- each kind

    @Test
    void A6_roundRobin() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> router = Routing.<Job>roundRobin().over(group(world, log, 3));
                    tell(router, "1", "2", "3", "4", "5", "6", "7");
                    world.until(() -> log.size() == 7);
                    assertEquals(
                            List.of("w1:1", "w1:4", "w1:7", "w2:2", "w2:5", "w3:3", "w3:6"),
                            log.stream().sorted().toList());
                });
    }

    /** The group replaces what the router chooses from. */
    @Test
    void A6_membersComeAndGo() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 1);
                    ActorRef<Job> router = Routing.<Job>roundRobin().over(group);
                    tell(router, "1");
                    ActorRef<Job> late = world.spin("late", worker(log));
                    group.join(late);
                    tell(router, "2", "3");
                    world.until(() -> log.size() == 3);
                    group.leave(late);
                    tell(router, "4", "5");
                    world.until(() -> log.size() == 5);
                    assertEquals(
                            1,
                            log.stream().filter(l -> l.startsWith("late")).count(),
                            log::toString);
                });
    }

    @Test
    void A6_hashKeepsAKeyAtOneMember() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> router =
                            Routing.<Job>hash(job -> job.text().charAt(0))
                                    .over(group(world, log, 4));
                    List<String> sent = new ArrayList<>();
                    for (int i = 0; i < 100; i++) {
                        sent.add((char) ('a' + i % 20) + "" + i);
                    }
                    sent.forEach(each -> tell(router, each));
                    world.until(() -> log.size() == 100);
                    Map<Character, List<String>> owners = new TreeMap<>();
                    Map<Character, List<String>> order = new TreeMap<>();
                    for (String line : List.copyOf(log)) {
                        String[] parts = line.split(":", 2);
                        char key = parts[1].charAt(0);
                        owners.computeIfAbsent(key, _ -> new ArrayList<>()).add(parts[0]);
                        order.computeIfAbsent(key, _ -> new ArrayList<>()).add(parts[1]);
                    }
                    owners.forEach(
                            (key, names) ->
                                    assertEquals(1, names.stream().distinct().count(), key + ""));
                    order.forEach(
                            (key, texts) ->
                                    assertEquals(
                                            sent.stream().filter(s -> s.charAt(0) == key).toList(),
                                            texts));
                    assertTrue(
                            owners.values().stream().flatMap(List::stream).distinct().count() > 1);
                });
    }

    /** Of 10,000 keys, those that move when one joins, for several numbers of members. */
    @Test
    void A6_hashMovesFewKeys() {
        World.local(
                World.MANY_RESTARTS,
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = world.system.group("workers", Job.class);
                    Map<Integer, String> before = new HashMap<>();
                    for (int members = 1; members <= 12; members++) {
                        ActorRef<Job> joining = world.spin("w" + members, worker(log));
                        group.join(joining);
                        Map<Integer, String> after = owners(world, group, log);
                        if (members > 1) {
                            int moved = 0;
                            for (int key = 0; key < 10_000; key++) {
                                if (!Objects.equals(after.get(key), before.get(key))) {
                                    moved++;
                                    assertEquals(joining.name(), after.get(key), "to the new one");
                                }
                            }
                            assertTrue(moved <= 1.5 * 10_000 / members, members + ": " + moved);
                            assertTrue(moved >= 0.5 * 10_000 / members, members + ": " + moved);
                        }
                        before = after;
                    }
                    ActorRef<Job> leaving = group.members().get(4);
                    group.leave(leaving);
                    Map<Integer, String> after = owners(world, group, log);
                    for (int key = 0; key < 10_000; key++) {
                        if (!leaving.name().equals(before.get(key))) {
                            assertEquals(before.get(key), after.get(key), "only its keys move");
                        }
                    }
                });
    }

    private static Map<Integer, String> owners(World world, Group<Job> group, List<String> log) {
        ActorRef<Job> router = Routing.<Job>hash(job -> Integer.valueOf(job.text())).over(group);
        log.clear();
        for (int key = 0; key < 10_000; key++) {
            tell(router, "" + key);
        }
        world.until(() -> log.size() == 10_000);
        Map<Integer, String> owners = new HashMap<>();
        for (String line : log) {
            String[] parts = line.split(":", 2);
            owners.put(Integer.valueOf(parts[1]), parts[0]);
        }
        return owners;
    }

    /** One that is busy with a message is passed by, and what was told since counts. */
    @Test
    void A6_leastMailbox() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 3);
                    ActorRef<Job> router = Routing.<Job>leastMailbox().over(group);
                    tell(router, "1", "2", "3");
                    world.until(() -> log.size() == 3);
                    assertEquals(
                            3,
                            log.stream().map(RouterTest::workerOf).distinct().count(),
                            log::toString);
                    log.clear();
                    if (world.remote) {
                        return; // below the time counts
                    }
                    group.members().getFirst().tell(new Job("slow"));
                    for (int i = 0; i < 5; i++) {
                        group.members().getFirst().tell(new Job("queued"));
                    }
                    world.settle();
                    for (int i = 0; i < 20; i++) {
                        tell(router, "n" + i);
                        world.settle();
                    }
                    Map<String, Long> byWorker = new TreeMap<>();
                    for (String line : log) {
                        byWorker.merge(workerOf(line), 1L, Long::sum);
                    }
                    // What others sent is published at the end of a turn, and w1 has none now: it
                    // gets one, and is then fuller than the others, who say each time that they
                    // have nothing.
                    long two = byWorker.getOrDefault("w2", 0L);
                    long three = byWorker.getOrDefault("w3", 0L);
                    assertEquals(0, byWorker.getOrDefault("w1", 0L), byWorker::toString);
                    assertEquals(19, two + three, byWorker::toString);
                    assertTrue(Math.abs(two - three) <= 1, byWorker::toString);
                });
    }

    /** The busy one has taken no turn since it was told. */
    @Test
    void A6_leastMailboxKnowsWhatItHasToldWhenAnotherJoins() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 1);
                    ActorRef<Job> router = Routing.<Job>leastMailbox().over(group);
                    tell(router, "slow", "1", "2", "3");
                    world.settle();
                    group.join(world.spin("late", worker(log)));
                    for (int i = 4; i < 8; i++) {
                        tell(router, "" + i);
                        world.settle();
                    }
                    assertEquals(
                            List.of("late:4", "late:5", "late:6", "late:7"),
                            log.stream().sorted().toList());
                });
    }

    /** It says nothing about its mailboxes. */
    @Test
    void A6_leastMailboxGivesARouterItsTurns() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 2);
                    ActorRef<Job> other =
                            Routing.<Job>roundRobin()
                                    .over(List.of(world.spin("behind", worker(log))));
                    List<ActorRef<Job>> all = new ArrayList<>(group.members());
                    all.add(1, other);
                    ActorRef<Job> router = Routing.<Job>leastMailbox().over(all);
                    for (int i = 0; i < 30; i++) {
                        tell(router, "" + i);
                        world.settle();
                    }
                    for (String name : List.of("w1", "w2", "behind")) {
                        long got = log.stream().filter(l -> l.startsWith(name + ":")).count();
                        assertEquals(10, got, log::toString);
                    }
                    ActorRef<Job> alone = Routing.<Job>leastMailbox().over(List.of(other, other));
                    tell(alone, "x", "y");
                    world.settle();
                    assertEquals(32, log.size());
                });
    }

    @Test
    void A6_broadcast() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> router = Routing.<Job>broadcast().over(group(world, log, 3));
                    tell(router, "1", "2");
                    assertEquals(TellResult.ACCEPTED, router.tryTell(new Job("3")));
                    world.until(() -> log.size() == 9);
                    assertEquals(
                            List.of(
                                    "w1:1", "w1:2", "w1:3", "w2:1", "w2:2", "w2:3", "w3:1", "w3:2",
                                    "w3:3"),
                            log.stream().sorted().toList());
                });
    }

    @Test
    void A6_aMemberThatRefusesABroadcastKeepsNoOtherFromIt() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = world.system.group("workers", Job.class);
                    ActorRef<Job> full =
                            world.spin(
                                    "full",
                                    Actor.<Job>handler(
                                                    _ -> {
                                                        Fiber.sleep(Duration.ofHours(1));
                                                        return Behavior.stopped();
                                                    })
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.FAIL)));
                    full.tell(new Job("b"));
                    group.join(full);
                    group.join(world.spin("free", worker(log)));
                    ActorRef<Job> router = Routing.<Job>broadcast().over(group);
                    tell(router, "c");
                    world.until(() -> log.size() == 1);
                    DeadLetter letter = world.letters.getFirst();
                    assertEquals(DeadLetter.Reason.REFUSED, letter.reason());
                    assertEquals(
                            "full by the broadcast router of group workers",
                            Errors.inShort(letter.recipient()));
                    assertEquals(TellResult.FULL, router.tryTell(new Job("d")));
                    full.terminate();
                    world.until(() -> log.size() == 2);
                    world.settle();
                    world.letters.clear();
                });
    }

    // ---------------------------------------------------------------- asking

    @Test
    void A6_asksGoToOneMember() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 2);
                    for (Routing<Job> routing :
                            List.of(
                                    Routing.<Job>roundRobin(),
                                    Routing.<Job>leastMailbox(),
                                    Routing.<Job>hash(Job::text))) {
                        ActorRef<Job> router = routing.over(group);
                        log.clear();
                        String name = router.ask(to -> new Job("question", to));
                        assertEquals(List.of(name + ":question"), log);
                        CompletableFuture<String> later =
                                router.<String>askLater(to -> new Job("question", to), LONG)
                                        .toCompletableFuture();
                        world.until(later::isDone);
                        assertEquals(2, log.size());
                    }
                });
    }

    /** The first reply counts, and the others are no dead letters. */
    @Test
    void A6_first() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 3);
                    ActorRef<Job> router = Routing.<Job>first().over(group);
                    String name = router.ask(to -> new Job("question", to));
                    assertTrue(name.startsWith("w"));
                    CompletableFuture<String> later =
                            router.<String>askLater(to -> new Job("later", to), LONG)
                                    .toCompletableFuture();
                    world.until(later::isDone);
                    world.until(() -> log.size() == 6);
                    tell(router, "told");
                    world.until(() -> log.size() == 9);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    /** Late by much more than the ask would have waited. */
    @Test
    void A6_aReplyThatLosesIsNoDeadLetterHoweverLateItComes() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 2);
                    group.members().getFirst().tell(new Job("slow"));
                    group.members().getFirst().tell(new Job("slow"));
                    ActorRef<Job> router = Routing.<Job>first().over(group);
                    Duration limit = Duration.ofMillis(100);
                    assertEquals("w2", router.<String>ask(to -> new Job("a", to), limit));
                    CompletableFuture<String> later =
                            router.<String>askLater(to -> new Job("b", to), limit)
                                    .toCompletableFuture();
                    Fiber.sleep(Duration.ofSeconds(5));
                    assertEquals("w2", later.resultNow());
                    assertEquals(6, log.size(), log::toString);
                    assertEquals(List.of(), world.letters);
                });
    }

    @Test
    void A6_aCancelledAskForTheFirstReplyGivesAllUp() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> router = Routing.<Job>first().over(group(world, log, 2));
                    CompletableFuture<String> asked =
                            router.<String>askLater(to -> new Job("slow", to), LONG)
                                    .toCompletableFuture();
                    assertTrue(asked.cancel(false));
                    Fiber.sleep(Duration.ofSeconds(2));
                    assertEquals(2, log.size());
                    assertEquals(
                            List.of(DeadLetter.Reason.LATE_REPLY, DeadLetter.Reason.LATE_REPLY),
                            world.letters.stream().map(DeadLetter::reason).toList());
                });
    }

    @Test
    void A6_firstFailsWhenAllHave() {
        World.anywhere(
                world -> {
                    ActorRef<Job> router = Routing.<Job>first().over(group(world, World.log(), 2));
                    assertThrows(
                            AskFailedException.class,
                            () -> router.<String>ask(to -> new Job("fail", to)));
                    CompletableFuture<String> later =
                            router.<String>askLater(to -> new Job("fail", to), LONG)
                                    .toCompletableFuture();
                    world.until(later::isDone);
                    assertThrows(CompletionException.class, later::join);
                });
    }

    // ---------------------------------------------------------------- without members

    @Test
    void A6_withoutMembersADeadLetter() {
        World.anywhere(
                world -> {
                    ActorRef<Job> router =
                            Routing.<Job>roundRobin().over(group(world, World.log(), 0));
                    tell(router, "lost");
                    assertEquals(TellResult.ENDED, router.tryTell(new Job("not sent")));
                    assertEquals(
                            List.of(
                                    "the round robin router of group workers NO_MEMBERS"
                                            + " Job[text=lost, to=null]"),
                            world.deadLetters());
                    Errors.assertMentions(
                            assertThrows(
                                    AskFailedException.class,
                                    () -> router.<String>ask(to -> new Job("question", to))),
                            "the round robin router of group workers",
                            "has no member");
                });
    }

    @Test
    void A6_withoutMembersAFailure() {
        World.anywhere(
                world -> {
                    ActorRef<Job> router =
                            Routing.<Job>hash(Job::text)
                                    .whenEmpty(WhenEmpty.fail())
                                    .over(group(world, World.log(), 0));
                    Errors.assertMentions(
                            assertThrows(NoMembersException.class, () -> tell(router, "x")),
                            "hash router of group workers has no member",
                            "nothing was sent");
                    AskFailedException failed =
                            assertThrows(
                                    AskFailedException.class,
                                    () -> router.<String>ask(to -> new Job("question", to)));
                    assertInstanceOf(NoMembersException.class, failed.getCause());
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A6_withoutMembersTheSenderWaits() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 0);
                    ActorRef<Job> router =
                            Routing.<Job>roundRobin()
                                    .whenEmpty(WhenEmpty.await(SECOND))
                                    .over(group);
                    Errors.assertMentions(
                            assertThrows(NoMembersException.class, () -> tell(router, "late")),
                            "no member within PT1S");
                    Fiber<?> waits = Fiber.spin("waits", () -> tell(router, "kept"));
                    Fiber<String> asks =
                            Fiber.spin("asks", () -> router.ask(to -> new Job("asked", to)));
                    Fiber.sleep(SECOND.dividedBy(2));
                    group.join(world.spin("w", worker(log)));
                    waits.await();
                    assertEquals("w", asks.await());
                    assertEquals(List.of("w:asked", "w:kept"), log.stream().sorted().toList());
                    assertThrows(
                            CompletionException.class,
                            () -> {
                                group.leave(group.members().getFirst());
                                router.<String>askLater(to -> new Job("never", to), LONG)
                                        .toCompletableFuture()
                                        .join();
                            });
                });
    }

    /** A waiting sender that is ended leaves nothing behind. */
    @Test
    void A6_aWaitingSenderIsTerminated() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Group<Job> group = group(world, log, 0);
                    ActorRef<Job> router =
                            Routing.<Job>roundRobin().whenEmpty(WhenEmpty.await(LONG)).over(group);
                    Fiber<?> waits = Fiber.spin("waits", () -> tell(router, "never"));
                    world.settle();
                    waits.terminate();
                    assertTrue(waits.awaitEnd(SECOND));
                    group.join(world.spin("w", worker(log)));
                    world.settle();
                    assertEquals(List.of(), log);
                });
    }

    // ---------------------------------------------------------------- ends

    /** A list does not change: one that has ended stays in it. */
    @Test
    void A6_aTellToOneThatHasEndedIsADeadLetterThatNamesTheRouter() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> one =
                            world.spin("one", worker(log).mailbox(MailboxOptions.bounded(8)));
                    ActorRef<Job> router = Routing.<Job>roundRobin().over(List.of(one));
                    tell(router, "1");
                    one.stop();
                    assertTrue(one.awaitEnd(LONG));
                    tell(router, "2");
                    router.tryTell(new Job("3"));
                    world.settle();
                    // An actor of the same cord says that it has ended.
                    assertEquals(world.remote ? 2 : 1, world.letters.size());
                    for (DeadLetter letter : world.letters) {
                        assertEquals(DeadLetter.Reason.ENDED, letter.reason());
                        assertTrue(
                                Errors.inShort(letter.recipient())
                                        .startsWith("one by the round robin router of"),
                                letter::toString);
                    }
                });
    }

    /** Nobody is there to say that the actor has ended. */
    @Test
    void A6_aTellToACordThatHasEndedIsADeadLetterThatNamesTheRouter() {
        List<DeadLetter> letters = World.log();
        ActorSystemOptions options =
                ActorSystemOptions.defaults().withCords(1).withDeadLetters(letters::add);
        try (ActorSystem system = ActorSystem.start(Tree.oneForOne("app"), options)) {
            Cord cord = Cord.start("short");
            ActorRef<Job> far = system.root().start(cord, "far", worker(World.log()));
            ActorRef<Job> router = Routing.<Job>roundRobin().over(List.of(far));
            cord.close();
            tell(router, "1");
            assertEquals(1, letters.size());
            String recipient = Errors.inShort(letters.getFirst().recipient());
            assertTrue(recipient.startsWith("far by the round robin router of"), recipient);
        }
    }

    @Test
    void A3_aBoundedMemberActsOnTheSender() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    ActorRef<Job> full =
                            world.spin(
                                    "full",
                                    worker(log)
                                            .mailbox(
                                                    MailboxOptions.bounded(1)
                                                            .withOverflow(Overflow.FAIL)));
                    ActorRef<Job> router = Routing.<Job>roundRobin().over(List.of(full));
                    tell(router, "slow");
                    world.settle();
                    tell(router, "queued");
                    assertThrows(MailboxFullException.class, () -> tell(router, "too much"));
                    assertEquals(TellResult.FULL, router.tryTell(new Job("too much")));
                });
    }

    /** Told is processed or a dead letter, and a key has one owner while nobody comes or goes. */
    private static void chaos(long seed) {
        World.overThreeCords(
                seed,
                seed % 2 == 0,
                world -> {
                    Random random = new Random(seed);
                    AtomicInteger processed = new AtomicInteger();
                    AtomicInteger told = new AtomicInteger();
                    Map<String, Integer> reached = new ConcurrentHashMap<>();
                    Group<Job> group = world.system.group("workers", Job.class);
                    List<ActorRef<Job>> actors = new ArrayList<>();
                    for (int i = 0; i < 6; i++) {
                        Cord cord = world.cords.get(random.nextInt(3));
                        RestartRule rule =
                                i % 2 == 0 ? RestartRule.TEMPORARY : RestartRule.PERMANENT;
                        actors.add(
                                world.system
                                        .root()
                                        .spin(
                                                cord,
                                                "w" + i,
                                                Actor.<Job>handler(
                                                                _ ->
                                                                        job -> {
                                                                            if (job.text()
                                                                                    .equals(
                                                                                            "fail")) {
                                                                                throw new Crash(
                                                                                        "chaos");
                                                                            }
                                                                            processed
                                                                                    .incrementAndGet();
                                                                            reached.merge(
                                                                                    job.text(),
                                                                                    1,
                                                                                    Integer::sum);
                                                                            return Behavior.same();
                                                                        })
                                                        .restart(rule)));
                    }
                    List<ActorRef<Job>> routers =
                            List.of(
                                    Routing.<Job>roundRobin().over(group),
                                    Routing.<Job>leastMailbox().over(group),
                                    Routing.<Job>hash(Job::text).over(group));
                    List<Fiber<?>> players = new ArrayList<>();
                    for (Cord cord : world.cords) {
                        Random own = new Random(random.nextLong());
                        players.add(
                                cord.spin(
                                        "player",
                                        () -> {
                                            for (int i = 0; i < 60; i++) {
                                                ActorRef<Job> one =
                                                        actors.get(own.nextInt(actors.size()));
                                                switch (own.nextInt(10)) {
                                                    case 0 -> group.join(one);
                                                    case 1 -> group.leave(one);
                                                    case 2 -> {
                                                        if (own.nextInt(5) == 0) {
                                                            one.kill();
                                                        }
                                                    }
                                                    case 3 -> Fiber.snooze();
                                                    default -> {
                                                        told.incrementAndGet();
                                                        String text =
                                                                own.nextInt(20) == 0
                                                                        ? "fail"
                                                                        : "k" + own.nextInt(9);
                                                        routers.get(own.nextInt(3))
                                                                .tell(new Job(text));
                                                    }
                                                }
                                            }
                                        }));
                    }
                    for (Fiber<?> each : players) {
                        each.await();
                    }
                    world.system.close();
                    world.settle();
                    assertEquals(
                            told.get(), processed.get() + world.letters.size(), "seed=" + seed);
                });
    }

    @Test
    void A6_toldIsProcessedOrADeadLetter() {
        for (long seed : TestCords.seedsOr(LongStream.rangeClosed(1, 20).toArray())) {
            chaos(seed);
        }
    }

    @Test
    @Tag("stress")
    void A6_toldIsProcessedOrADeadLetterManySeeds() {
        LongStream.rangeClosed(1_001, 2_000).forEach(RouterTest::chaos);
    }

    // ---------------------------------------------------------------- waiting for a member

    /** Its own limit, and that of the ask which the asker has in hand. */
    @Test
    void A6_anAskWaitsForAMemberNoLongerThanItsLimit() {
        World.local(
                world -> {
                    ActorRef<Job> router =
                            Routing.<Job>roundRobin()
                                    .whenEmpty(WhenEmpty.await(LONG))
                                    .over(group(world, World.log(), 0));
                    long beganNs = Cord.current().nanoTime();
                    Errors.assertMentions(
                            assertThrows(
                                    AskTimeoutException.class,
                                    () -> router.<String>ask(to -> new Job("a", to), SECOND)),
                            "the round robin router of group workers",
                            "within the limit of the ask");
                    List<Throwable> thrown = World.log();
                    ActorRef<Job> asking =
                            world.spin(
                                    "asking",
                                    Actor.handler(
                                            () ->
                                                    _ -> {
                                                        thrown.add(
                                                                assertThrows(
                                                                        AskTimeoutException.class,
                                                                        () ->
                                                                                router.<String>ask(
                                                                                        to ->
                                                                                                new Job(
                                                                                                        "b",
                                                                                                        to),
                                                                                        LONG)));
                                                        return Behavior.same();
                                                    }));
                    assertThrows(
                            AskTimeoutException.class,
                            () -> asking.<String>ask(to -> new Job("c", to), SECOND));
                    world.until(() -> thrown.size() == 1);
                    long tookNs = Cord.current().nanoTime() - beganNs;
                    assertTrue(tookNs < 3 * SECOND.toNanos(), () -> "took " + tookNs);
                });
    }

    /** And what is left of the limit is the limit of the answer. */
    @Test
    void A6_theWaitForAMemberIsPartOfTheLimitOfAnAsk() {
        World.local(
                world -> {
                    Group<Job> group = group(world, World.log(), 0);
                    ActorRef<Job> router =
                            Routing.<Job>roundRobin().whenEmpty(WhenEmpty.await(LONG)).over(group);
                    Fiber.spin(
                            "joining",
                            () -> {
                                Fiber.sleep(Duration.ofMillis(1_500));
                                group.join(world.spin("late", worker(World.log())));
                            });
                    long beganNs = Cord.current().nanoTime();
                    assertThrows(
                            AskTimeoutException.class,
                            () ->
                                    router.<String>ask(
                                            to -> new Job("slow", to), Duration.ofSeconds(2)));
                    long tookMs = (Cord.current().nanoTime() - beganNs) / 1_000_000;
                    assertTrue(tookMs < 2_100, () -> "took " + tookMs);
                });
    }

    @Test
    void A6_aSenderThatWaitsForAMemberHearsOfTheEndOfTheSystem() {
        World.local(
                world -> {
                    ActorSystem system = ActorSystem.start("short");
                    ActorRef<Job> router =
                            Routing.<Job>roundRobin()
                                    .whenEmpty(WhenEmpty.await(LONG))
                                    .over(system.group("none", Job.class));
                    Fiber<NoMembersException> sending =
                            Fiber.spin(
                                    "sending",
                                    () ->
                                            assertThrows(
                                                    NoMembersException.class,
                                                    () -> router.tell(new Job("a"))));
                    world.settle();
                    system.close();
                    Errors.assertMentions(sending.await(), "its system is over");
                    Errors.assertMentions(
                            assertThrows(NoMembersException.class, () -> router.tell(new Job("b"))),
                            "its system is over");
                });
    }

    // ---------------------------------------------------------------- wrong use

    @Test
    void misuse_aKeyFunctionThatFails() {
        World.local(
                world -> {
                    ActorRef<Job> router =
                            Routing.<Job>hash(
                                            job -> {
                                                throw new Crash("no key");
                                            })
                                    .over(group(world, World.log(), 1));
                    IllegalArgumentException failed =
                            assertThrows(IllegalArgumentException.class, () -> tell(router, "x"));
                    Errors.assertMentions(failed, "Job[text=x", "key function failed");
                    Errors.assertMentions(Objects.requireNonNull(failed.getCause()), "no key");
                    ActorRef<Job> nulls =
                            Routing.<Job>hash(_ -> nothing()).over(group(world, World.log(), 0));
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> tell(nulls, "x")),
                            "its key is null");
                    ActorRef<Job> hashless =
                            Routing.<Job>hash(_ -> new Hashless())
                                    .over(group(world, World.log(), 0));
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> tell(hashless, "x")),
                            "Job[text=x",
                            "the hashCode of the key");
                });
    }

    private static final class Hashless {
        @Override
        public int hashCode() {
            throw new UnsupportedOperationException("no hash");
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }
    }

    @Test
    void misuse_aRouterIsNoActor() {
        World.local(
                world -> {
                    ActorRef<Job> router =
                            Routing.<Job>broadcast().over(group(world, World.log(), 1));
                    for (Runnable call :
                            List.<Runnable>of(
                                    router::stop,
                                    router::terminate,
                                    router::kill,
                                    router::mailbox,
                                    () -> router.awaitEnd(SECOND))) {
                        Errors.assertMentions(
                                assertThrows(UnsupportedOperationException.class, call::run),
                                "the broadcast router of group workers",
                                "is no actor");
                    }
                    Errors.assertMentions(
                            assertThrows(
                                    UnsupportedOperationException.class,
                                    () -> router.<String>ask(to -> new Job("x", to))),
                            "Routing.first()");
                    List<Throwable> thrown = World.log();
                    world.spin(
                            "watcher",
                            Step.actor(
                                    self ->
                                            thrown.add(
                                                    assertThrows(
                                                            UnsupportedOperationException.class,
                                                            () ->
                                                                    self.monitor(
                                                                            router,
                                                                            _ -> Step.stop())))));
                    world.settle();
                    assertEquals(1, thrown.size());
                });
    }

    @Test
    void misuse_overNobody() {
        Errors.assertMentions(
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Routing.<Job>roundRobin().over(List.of())),
                "put it over a group");
        assertThrows(IllegalArgumentException.class, () -> WhenEmpty.await(Duration.ofSeconds(-1)));
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // as a program could
    private static <T> T nothing() {
        return null;
    }
}
