package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.blocking.Futures;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;

/** Rule A2: an ask that would close a circle fails at once, also over nodes. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CircleTest {
    sealed interface Word {}

    /**
     * Asks the first of the way, which asks the next one; the last one replies, and then goes
     * another way.
     */
    record Walk(
            List<ActorRef<Word>> way, List<ActorRef<Word>> afterwards, Recipient<String> replyTo)
            implements Word {}

    record Go(List<ActorRef<Word>> way) implements Word {}

    private static final Protocol PROTOCOL = Protocol.of(Word.class);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static Actor<Word> walker(List<String> faults) {
        return Actor.handler(
                context ->
                        word -> {
                            switch (word) {
                                case Walk(var way, var afterwards, var replyTo) -> {
                                    replyTo.tell(walk(context.self(), way, afterwards));
                                    if (way.isEmpty() && !afterwards.isEmpty()) {
                                        context.self().tell(new Go(afterwards));
                                    }
                                }
                                case Go(var way) -> {
                                    String end = walk(context.self(), way, List.of());
                                    if (!end.equals("end")) {
                                        faults.add(end);
                                    }
                                }
                            }
                            return Behavior.same();
                        });
    }

    private static String walk(
            ActorRef<Word> self, List<ActorRef<Word>> way, List<ActorRef<Word>> afterwards) {
        if (way.isEmpty()) {
            return "end";
        }
        try {
            List<ActorRef<Word>> rest = List.copyOf(way.subList(1, way.size()));
            return way.getFirst().ask(replyTo -> new Walk(rest, afterwards, replyTo), LIMIT);
        } catch (AskCycleException circle) {
            return "circle of " + self + ": " + circle.getMessage();
        } catch (AskException other) {
            return "failed: " + other.getMessage();
        }
    }

    @FunctionalInterface
    private interface Body {
        void run(List<ActorRef<Word>> actors, List<String> faults) throws Exception;
    }

    /** One walker a node, and a second one at the first, as the first node knows them. */
    private static void run(int nodes, long seed, Body body) {
        Pair.several(
                nodes,
                seed,
                PROTOCOL,
                sides -> {
                    List<String> faults = new ArrayList<>();
                    List<ActorRef<Word>> actors = new ArrayList<>();
                    List<ActorRef<Word>> walkers = new ArrayList<>();
                    for (Pair.Side each : sides) {
                        walkers.add(each.on(() -> each.system.start("walker", walker(faults))));
                    }
                    Pair.Side first = sides.getFirst();
                    actors.add(walkers.getFirst());
                    for (Pair.Side each : sides.subList(1, nodes)) {
                        actors.add(
                                Objects.requireNonNull(
                                        first.node
                                                .at(each.node.name())
                                                .find("walker", Word.class)));
                    }
                    actors.add(first.system.start("second", walker(faults)));
                    body.run(actors, faults);
                    assertEquals(List.of(), faults);
                });
    }

    private static String ask(ActorRef<Word> first, List<ActorRef<Word>> way) {
        return first.ask(replyTo -> new Walk(way, List.of(), replyTo), LIMIT);
    }

    private static long[] seeds() {
        return TestCords.seedsOr(LongStream.rangeClosed(1, 10).toArray());
    }

    private static void assertCircle(List<ActorRef<Word>> actors, List<Integer> way) {
        long beganNs = Cord.current().nanoTime();
        String end =
                ask(
                        actors.get(way.getFirst()),
                        way.subList(1, way.size()).stream().map(actors::get).toList());
        String closer = actors.get(way.get(way.size() - 2)).toString(); // with its node
        String path = closer.substring(closer.indexOf("system-"));
        assertTrue(end.startsWith("circle of " + path + ": "), end);
        assertTrue(end.contains("let one of them tell"), end);
        long took = Cord.current().nanoTime() - beganNs;
        assertTrue(took < Duration.ofSeconds(1).toNanos(), () -> "it took " + took);
    }

    @Test
    void A2_circlesOverNodesFailAtOnce() {
        for (long seed : seeds()) {
            run(
                    3,
                    seed,
                    (actors, _) -> {
                        assertCircle(actors, List.of(0, 1, 0));
                        assertCircle(actors, List.of(1, 0, 1));
                        assertCircle(actors, List.of(1, 2, 1));
                        assertCircle(actors, List.of(0, 1, 2, 0));
                        assertCircle(actors, List.of(2, 1, 0, 2));
                        assertCircle(actors, List.of(0, 3, 1, 0)); // over an ask of one process
                        assertCircle(actors, List.of(1, 0, 3, 1));
                        assertCircle(actors, List.of(2, 0, 3, 1, 3)); // not through all
                        assertEquals(
                                "end", ask(actors.get(0), List.of(actors.get(1), actors.get(2))));
                    });
        }
    }

    /** The ask that closes it stays in the process, and leads to one that leaves it. */
    @Test
    void A2_circleThatIsClosedByAnAskOfOneProcess() {
        for (long seed : seeds()) {
            run(2, seed, (actors, _) -> assertCircle(actors, List.of(2, 1, 0, 2)));
        }
    }

    @Test
    void A2_twoThatAskEachOtherAtTheSameTime() {
        for (long seed : seeds()) {
            run(
                    2,
                    seed,
                    (actors, _) -> {
                        CompletionStage<String> one = later(actors, 0, 1);
                        CompletionStage<String> two = later(actors, 1, 0);
                        String first = Futures.await(one);
                        String second = Futures.await(two);
                        boolean isNone = first.equals("end") && second.equals("end");
                        boolean isCircle = (first + second).contains("circle of ");
                        assertTrue(isNone || isCircle, first + second);
                    });
        }
    }

    private static CompletionStage<String> later(
            List<ActorRef<Word>> actors, int asker, int asked) {
        return actors.get(asker)
                .askLater(
                        replyTo -> new Walk(List.of(actors.get(asked)), List.of(), replyTo), LIMIT);
    }

    /** A reply that is on its way has ended the circle: 0 asks 1, that asks 2, that asks 0. */
    @Test
    void A2_whatHasBeenAnsweredIsNoCircle() {
        for (long seed : seeds()) {
            run(
                    3,
                    seed,
                    (actors, faults) -> {
                        List<ActorRef<Word>> back = List.of(actors.get(0));
                        List<ActorRef<Word>> way = List.of(actors.get(1), actors.get(2));
                        for (int i = 0; i < 50; i++) {
                            String end =
                                    actors.get(0)
                                            .ask(replyTo -> new Walk(way, back, replyTo), LIMIT);
                            assertEquals("end", end);
                            assertEquals("end", ask(actors.get(2), List.of())); // it is back
                        }
                    });
        }
    }
}
