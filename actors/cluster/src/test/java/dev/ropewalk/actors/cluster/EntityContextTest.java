package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.jspecify.annotations.Nullable;
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
import java.util.concurrent.CompletionStage;

/** Rule A7: contexts beside messages to entities whose owner changes. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class EntityContextTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int KEYS = 100;

    sealed interface Word {}

    record Note(String text) implements Word {}

    record Question(String text, Recipient<Boolean> replyTo) implements Word {}

    /** Of one node. */
    private static final class Carrier implements ContextPropagator {
        @Nullable String current;
        final List<String> restored = new ArrayList<>();

        @Override
        public @Nullable String inject() {
            return current;
        }

        @Override
        public void restore(String context, Runnable delivery) {
            restored.add(context);
            delivery.run();
        }
    }

    /** The part of a node that its program sees. */
    private static final class Side {
        final Carrier carrier = new Carrier();
        final List<String> came = new ArrayList<>();
        final Cord other;
        @Nullable Entities<Word> words;

        Side(Cord other) {
            this.other = other;
        }
    }

    private final Map<String, Side> sides = new HashMap<>();
    private final List<DeadLetter> letters = new ArrayList<>();

    private Side of(String node) {
        return Objects.requireNonNull(sides.get(node));
    }

    private Node start(NodeOptions options) {
        Cord other = VirtualCords.current().start(options.name() + "-other");
        Side side = new Side(other);
        ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults()
                                .over(List.of(Cord.current(), other))
                                .withDeadLetters(letters::add));
        Node node =
                Node.start(
                        system,
                        options.withStore(MemoryStore.current())
                                .withContext(side.carrier)
                                .withProtocol(Protocol.of(Word.class)));
        side.words =
                node.entities(
                        EntityKind.of("word", Word.class, _ -> Actor.handler(() -> keeping(side))));
        sides.put(node.name(), side);
        return node;
    }

    private static Behavior<Word> keeping(Side side) {
        return word -> {
            switch (word) {
                case Note(String text) -> side.came.add(text);
                case Question(String text, var replyTo) -> {
                    side.came.add(text);
                    replyTo.tell(true);
                }
            }
            return Behavior.same();
        };
    }

    /** Tells and asks, with the text of each message as its context. */
    private List<CompletionStage<Boolean>> send(String node, String sender, int count) {
        Side side = of(node);
        List<CompletionStage<Boolean>> asks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ActorRef<Word> to = Objects.requireNonNull(side.words).ref("k" + i % KEYS);
            String note = sender + " tells " + i;
            String question = sender + " asks " + i;
            side.carrier.current = note;
            to.tell(new Note(note));
            side.carrier.current = question;
            asks.add(to.askLater(replyTo -> new Question(question, replyTo), LONG));
            side.carrier.current = null;
            Fiber.snooze();
            if (i % 4 == 0) {
                Fiber.sleep(Duration.ofMillis(1));
            }
        }
        return asks;
    }

    @Test
    void A7_aMessageThatComesBackGoesToTheNextOwnerInTheContextOfItsSender() {
        SimCluster.run(
                3,
                this::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LONG));
                    Fiber.sleep(Duration.ofSeconds(8));
                    List<CompletionStage<Boolean>> asks = new ArrayList<>();
                    of("n1").other.spin("far", () -> asks.addAll(send("n1", "far", 4_000)));
                    of("n2").other.spin("near", () -> asks.addAll(send("n2", "near", 1_500)));
                    Fiber.sleep(Duration.ofMillis(200));
                    assertTrue(
                            cluster.on(
                                    "n2", () -> cluster.node("n2").leave(Duration.ofSeconds(20))));
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(5_500, asks.size());
                    assertTrue(asks.stream().allMatch(each -> each.toCompletableFuture().isDone()));
                    assertCameInContext("far tells");
                    assertCameInContext("far asks");
                    assertCameInContext("near tells");
                    assertCameInContext("near asks");
                    Set<String> back = starting("far", of("n2").carrier.restored);
                    back.retainAll(of("n3").came);
                    assertTrue(back.size() > 1, back::toString);
                    // The node that has left cannot send; its words are those of the program.
                    assertTrue(letters.stream().allMatch(each -> each.message() instanceof Word));
                });
    }

    /** Each that came to n3, for which it came over a session. */
    private void assertCameInContext(String begin) {
        Set<String> came = starting(begin, of("n3").came);
        Set<String> restored = starting(begin, of("n3").carrier.restored);
        Set<String> lost = new HashSet<>(came);
        lost.removeAll(restored);
        assertEquals(Set.of(), lost, begin);
        assertTrue(restored.size() > 10, begin);
    }

    private static Set<String> starting(String begin, List<String> all) {
        Set<String> found = new HashSet<>();
        all.stream().filter(each -> each.startsWith(begin)).forEach(found::add);
        return found;
    }
}
