package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.cluster.Pair.Side;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.supervision.RestartRule;
import dev.ropewalk.fibers.testing.TestCords;

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
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Rules A4 and A7: links between actors of two nodes mean what they mean within one. */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class RemoteLinkTest {
    sealed interface Word {}

    record Link(ActorRef<Word> to) implements Word {}

    record Unlink(ActorRef<Word> from) implements Word {}

    record Trap() implements Word {}

    record Crash(String why) implements Word {}

    record Quit() implements Word {}

    /** Has the actor tell another one a note. */
    record Tell(ActorRef<Word> to) implements Word {}

    record Note() implements Word {}

    private record Exited(Exit exit) {}

    private static final class CrashException extends RuntimeException {
        private static final long serialVersionUID = 1;

        CrashException(String why) {
            super(why);
        }
    }

    private static final Protocol PROTOCOL = Protocol.of(Word.class);

    /** A note among the exits. */
    private static final ExitReason NOTED = new ExitReason.Normal();

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(1);

    private static Actor<Object> party(List<Exit> exits) {
        return Actor.handler((ActorContext<Object> self) -> each -> handle(self, each, exits))
                .restart(RestartRule.TEMPORARY);
    }

    private static Behavior<Object> handle(
            ActorContext<Object> self, Object each, List<Exit> exits) {
        switch (each) {
            case Link(var to) -> self.link(to);
            case Unlink(var from) -> self.unlink(from);
            case Trap() -> self.trapExits(Exited::new);
            case Crash(var why) -> throw new CrashException(why);
            case Quit() -> {
                return Behavior.stopped();
            }
            case Tell(var to) -> to.tell(new Note());
            case Note() -> exits.add(new Exit(self.self(), NOTED));
            case Exited(var exit) -> exits.add(exit);
            default -> throw new IllegalStateException(each.toString());
        }
        return Behavior.same();
    }

    /** Two actors, each as the other's node knows it and as its own does. */
    private record Two(
            Side here,
            Side there,
            ActorRef<Word> one,
            ActorRef<Word> oneThere,
            ActorRef<Word> two,
            ActorRef<Word> twoHere,
            List<Exit> exitsOfOne,
            List<Exit> exitsOfTwo) {
        boolean isOneOver() {
            return one.awaitEnd(Duration.ofMillis(50));
        }

        boolean isTwoOver() throws Exception {
            return there.on(() -> two.awaitEnd(Duration.ofMillis(50)));
        }
    }

    private interface Scene {
        void play(Two two) throws Exception;
    }

    private static void run(Scene scene) {
        Pair.run(PROTOCOL, (here, there) -> play(here, there, scene));
    }

    private static void play(Side here, Side there, Scene scene) throws Exception {
        Two two = two(here, there, "");
        scene.play(two);
        // Nothing is left of it.
        two.one.kill();
        two.two.kill();
        Fiber.sleep(SECOND);
        for (Side each : List.of(here, there)) {
            String peer = each == here ? "there" : "here";
            Counts with = each.node.counts(peer);
            assertTrue(with == null || with.links() == 0, "links at " + each.node);
        }
    }

    @SuppressWarnings("unchecked") // they take words, and more of their own
    private static Two two(Side here, Side there, String suffix) throws Exception {
        List<Exit> exitsOfOne = new ArrayList<>();
        List<Exit> exitsOfTwo = new ArrayList<>();
        ActorRef<?> one = here.system.spin("one" + suffix, party(exitsOfOne));
        ActorRef<?> two = there.on(() -> there.system.spin("two" + suffix, party(exitsOfTwo)));
        ActorRef<Word> oneThere =
                there.on(() -> Objects.requireNonNull(find(there, "here", "one" + suffix)));
        ActorRef<Word> twoHere = Objects.requireNonNull(find(here, "there", "two" + suffix));
        return new Two(
                here,
                there,
                (ActorRef<Word>) one,
                oneThere,
                (ActorRef<Word>) two,
                twoHere,
                exitsOfOne,
                exitsOfTwo);
    }

    private static ActorRef<Word> find(Side from, String node, String name) {
        return Objects.requireNonNull(from.node.at(node).find(name, Word.class));
    }

    private static void link(Two two) {
        two.one.tell(new Link(two.twoHere));
        Fiber.sleep(SECOND);
    }

    // ---------------------------------------------------------------- ends

    @Test
    void A4_aFailureEndsTheOtherForTheSameReason() {
        run(
                two -> {
                    link(two);
                    two.one.tell(new Crash("no"));
                    Fiber.sleep(SECOND);
                    assertTrue(two.isOneOver() && two.isTwoOver());
                });
        run(
                two -> {
                    link(two);
                    two.twoHere.tell(new Crash("no"));
                    Fiber.sleep(SECOND);
                    assertTrue(two.isOneOver() && two.isTwoOver());
                });
    }

    @Test
    void A4_aTrappedExitIsAMessage() {
        run(
                two -> {
                    two.twoHere.tell(new Trap());
                    link(two);
                    two.one.tell(new Crash("no"));
                    Fiber.sleep(SECOND);
                    assertTrue(two.isOneOver());
                    assertFalse(two.isTwoOver());
                    assertEquals(1, two.exitsOfTwo.size());
                    Exit exit = two.exitsOfTwo.getFirst();
                    assertEquals(two.oneThere, exit.from());
                    ExitReason.Failed failed =
                            assertInstanceOf(ExitReason.Failed.class, exit.reason());
                    assertTrue(failed.cause().toString().contains("no"), failed.toString());
                });
        run(
                two -> {
                    two.one.tell(new Trap());
                    link(two);
                    two.twoHere.kill();
                    Fiber.sleep(SECOND);
                    assertEquals(
                            List.of(new Exit(two.twoHere, new ExitReason.Killed())),
                            two.exitsOfOne);
                });
    }

    @Test
    void A4_aNormalEndOnlyTakesTheLinkAway() {
        run(
                two -> {
                    link(two);
                    two.one.tell(new Quit());
                    Fiber.sleep(SECOND);
                    assertTrue(two.isOneOver());
                    assertFalse(two.isTwoOver());
                });
    }

    @Test
    void A4_unlinkFromEitherSide() {
        for (boolean isByOne : new boolean[] {true, false}) {
            run(
                    two -> {
                        link(two);
                        if (isByOne) {
                            two.one.tell(new Unlink(two.twoHere));
                        } else {
                            two.twoHere.tell(new Unlink(two.one));
                        }
                        Fiber.sleep(SECOND);
                        two.one.tell(new Crash("no"));
                        Fiber.sleep(SECOND);
                        assertTrue(two.isOneOver());
                        assertFalse(two.isTwoOver());
                    });
        }
    }

    /** Both link at the same time: one of them takes all of it back. */
    @Test
    void A4_linkedFromBothSides() {
        run(
                two -> {
                    two.one.tell(new Link(two.twoHere));
                    two.twoHere.tell(new Link(two.one));
                    Fiber.sleep(SECOND);
                    two.twoHere.tell(new Unlink(two.one));
                    Fiber.sleep(SECOND);
                    two.one.tell(new Crash("no"));
                    Fiber.sleep(SECOND);
                    assertFalse(two.isTwoOver());
                });
        run(
                two -> {
                    two.twoHere.tell(new Trap());
                    two.one.tell(new Link(two.twoHere));
                    two.twoHere.tell(new Link(two.one));
                    Fiber.sleep(SECOND);
                    two.one.tell(new Crash("no"));
                    Fiber.sleep(SECOND);
                    assertEquals(1, two.exitsOfTwo.size());
                });
    }

    @Test
    void A4_toOneThatIsOver() {
        run(
                two -> {
                    two.one.tell(new Trap());
                    two.twoHere.tell(new Quit());
                    Fiber.sleep(SECOND);
                    link(two);
                    assertEquals(
                            List.of(new Exit(two.twoHere, new ExitReason.NoActor())),
                            two.exitsOfOne);
                });
    }

    /** Each of the two hears of it once, and nothing of the other comes afterwards. */
    @Test
    void A7_aLostNodeEndsTheLink() {
        run(
                two -> {
                    two.one.tell(new Trap());
                    two.twoHere.tell(new Trap());
                    link(two);
                    Conversation with = Objects.requireNonNull(two.here.node.conversation("there"));
                    with.session().end("for the test");
                    Fiber.sleep(SECOND);
                    assertEquals(
                            List.of(new Exit(two.twoHere, new ExitReason.Unreachable("there"))),
                            two.exitsOfOne);
                    assertEquals(
                            List.of(new Exit(two.oneThere, new ExitReason.Unreachable("here"))),
                            two.exitsOfTwo);
                    assertTrue(two.here.node.awaitPeers(1, LONG));
                    two.one.tell(new Link(two.twoHere)); // of the incarnation that is still there
                    Fiber.sleep(SECOND);
                    two.two.kill();
                    Fiber.sleep(SECOND);
                    assertEquals(2, two.exitsOfOne.size());
                });
    }

    @Test
    void A7_withoutASessionTheLinkEndsAtOnce() {
        run(
                two -> {
                    two.one.tell(new Trap());
                    two.there.on(() -> two.there.node.leave(SECOND));
                    Fiber.sleep(SECOND);
                    link(two);
                    assertEquals(
                            List.of(new Exit(two.twoHere, new ExitReason.Unreachable("there"))),
                            two.exitsOfOne);
                });
    }

    /** Behind what the actor has told. */
    @Test
    void A3_anExitStaysBehindTheMessagesOfItsActor() {
        run(
                two -> {
                    two.one.tell(new Trap());
                    link(two);
                    two.twoHere.tell(new Tell(two.one));
                    two.twoHere.tell(new Crash("no"));
                    Fiber.sleep(SECOND);
                    assertEquals(2, two.exitsOfOne.size());
                    assertEquals(NOTED, two.exitsOfOne.getFirst().reason());
                });
    }

    @Test
    void misuse_aRouterHasNoLinks() {
        run(
                two -> {
                    two.one.tell(new Trap());
                    ActorRef<Word> router = Routing.<Word>roundRobin().over(List.of(two.one));
                    // As a message it reaches the other node, which asks for a link.
                    two.twoHere.tell(new Trap());
                    two.twoHere.tell(new Link(router));
                    Fiber.sleep(SECOND);
                    assertEquals(1, two.exitsOfTwo.size());
                    assertInstanceOf(ExitReason.NoActor.class, two.exitsOfTwo.getFirst().reason());
                    two.one.tell(new Link(router)); // here it is a mistake of the actor
                    Fiber.sleep(SECOND);
                    assertTrue(two.isOneOver());
                });
    }

    // ---------------------------------------------------------------- a game

    /**
     * Links come and go, actors end, and the session may be lost. An actor that has linked hears of
     * the other's end, and of each end once at most.
     */
    private static void game(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Pair.run(
                seed,
                PROTOCOL,
                (here, there) -> {
                    Map<Integer, Boolean> isLinked = new HashMap<>();
                    List<Two> all = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        Two two = two(here, there, "-" + i);
                        two.one.tell(new Trap());
                        two.twoHere.tell(new Trap());
                        all.add(two);
                    }
                    for (int step = 0; step < 30; step++) {
                        int number = random.nextInt(all.size());
                        Two two = all.get(number);
                        switch (random.nextInt(5)) {
                            case 0, 1 -> two.one.tell(new Link(two.twoHere));
                            case 2 -> two.twoHere.tell(new Link(two.one));
                            case 3 -> two.one.tell(new Unlink(two.twoHere));
                            default -> two.twoHere.tell(new Unlink(two.one));
                        }
                        if (random.nextInt(4) == 0) {
                            Fiber.sleep(Duration.ofNanos(random.nextInt(2_000_000)));
                        }
                    }
                    Fiber.sleep(SECOND); // otherwise an unlink may be on its way
                    for (int i = 0; i < all.size(); i++) {
                        isLinked.put(i, random.nextBoolean());
                        if (Boolean.TRUE.equals(isLinked.get(i))) {
                            all.get(i).one.tell(new Link(all.get(i).twoHere));
                        }
                    }
                    Fiber.sleep(SECOND);
                    boolean isLost = random.nextInt(4) == 0;
                    if (isLost) {
                        Objects.requireNonNull(here.node.conversation("there"))
                                .session()
                                .end("for the test");
                    } else {
                        all.forEach(each -> each.twoHere.kill());
                    }
                    Fiber.sleep(SECOND);
                    for (int i = 0; i < all.size(); i++) {
                        int heard = all.get(i).exitsOfOne.size();
                        assertTrue(heard <= 1, "heard=" + heard);
                        if (Boolean.TRUE.equals(isLinked.get(i))) {
                            assertEquals(1, heard, "linked, and not told: " + i);
                        }
                    }
                    all.forEach(each -> each.one.kill());
                    Fiber.sleep(SECOND);
                    Counts with = here.node.counts("there");
                    assertTrue(with == null || with.links() == 0);
                });
    }

    @Test
    void A4_aLinkIsToldOnceOfTheEnd() {
        for (long seed : TestCords.seedsOr(LongStream.range(0, 100).toArray())) {
            game(seed);
        }
    }

    @Test
    @Tag("stress")
    void A4_aLinkIsToldOnceOfTheEndManySeeds() {
        for (long seed = 1_000; seed < 6_000; seed++) {
            game(seed);
        }
    }
}
