package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rule A7: contexts beside messages, which cost no message. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ContextTest {
    sealed interface Word {}

    record Say(String text) implements Word {}

    record Question(Recipient<String> replyTo) implements Word {}

    /** The actor is busy for a second, so that what comes meanwhile is seen in its mailbox. */
    record Hold() implements Word {}

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(10);

    /** Keeps what it is given, and the mailbox before and behind the delivery. */
    private static class Carrier implements ContextPropagator {
        @Nullable String current;
        final List<String> restored = new ArrayList<>();
        @Nullable ActorRef<Word> seen;

        @Override
        public @Nullable String inject() {
            return current;
        }

        @Override
        public void restore(String context, Runnable delivery) {
            int before = queued();
            delivery.run();
            restored.add(context + " " + (queued() - before));
        }

        private int queued() {
            return seen == null ? 0 : seen.mailbox().queued();
        }
    }

    /** What is done with two nodes. */
    @FunctionalInterface
    private interface Body {
        void run(ActorRef<Word> far, List<String> heard) throws Exception;
    }

    private static NodeOptions options(String name, @Nullable ContextPropagator context) {
        NodeOptions options = NodeOptions.named(name).withProtocol(Protocol.of(Word.class));
        return context == null ? options : options.withContext(context);
    }

    private static Actor<Word> hearing(List<String> heard) {
        return Actor.handler(
                () ->
                        word -> {
                            switch (word) {
                                case Say(String text) -> heard.add(text);
                                case Question(var replyTo) -> replyTo.tell("yes");
                                case Hold() -> Fiber.sleep(SECOND);
                            }
                            return Behavior.same();
                        });
    }

    private static void run(
            @Nullable ContextPropagator from, @Nullable ContextPropagator to, Body body) {
        run(from, to, MailboxOptions.unbounded(), body);
    }

    private static void run(
            @Nullable ContextPropagator from,
            @Nullable ContextPropagator to,
            MailboxOptions mailbox,
            Body body) {
        TestCord.run(
                1,
                true,
                () -> {
                    List<String> heard = new ArrayList<>();
                    try (ActorSystem here = ActorSystem.start("here");
                            ActorSystem there = ActorSystem.start("there");
                            Node node = Node.start(there, options("to", to));
                            Node own =
                                    Node.start(
                                            here,
                                            options("from", from)
                                                    .withDiscovery(
                                                            Discovery.of(
                                                                    "127.0.0.1:" + node.port())))) {
                        ActorRef<Word> near = there.spin("word", hearing(heard).mailbox(mailbox));
                        if (to instanceof Carrier carrier) {
                            carrier.seen = near;
                        }
                        assertTrue(own.awaitPeers(1, SECOND));
                        ActorRef<Word> far =
                                Objects.requireNonNull(own.at("to").find("word", Word.class));
                        body.run(far, heard);
                        Fiber.sleep(SECOND);
                        assertEquals("yes", far.<String>ask(Question::new)); // it still goes on
                    }
                });
    }

    @Test
    void A7_contextOfTheSenderIsThereWhileItsMessageIsDelivered() {
        Carrier from = new Carrier();
        Carrier to = new Carrier();
        run(
                from,
                to,
                (far, heard) -> {
                    far.tell(new Hold());
                    from.current = "one";
                    far.tell(new Say("a"));
                    from.current = null;
                    far.tell(new Say("b"));
                    from.current = "";
                    far.tell(new Say("c"));
                    from.current = "two";
                    assertEquals(TellResult.ACCEPTED, far.tryTell(new Say("d")));
                    from.current = "three";
                    assertEquals("yes", far.<String>ask(Question::new));
                    from.current = null;
                    far.tell(new Hold());
                    from.current = "four";
                    var reply = far.<String>askLater(Question::new, LONG);
                    from.current = null;
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals("yes", reply.toCompletableFuture().get());
                    assertEquals(List.of("a", "b", "c", "d"), heard);
                    assertEquals(List.of("one 1", "two 1", "three 1", "four 1"), to.restored);
                    assertEquals(List.of(), from.restored); // replies have none
                });
    }

    @Test
    void A7_messageOfABoundedMailboxHasItsContextToo() {
        Carrier from = new Carrier();
        Carrier to = new Carrier();
        run(
                from,
                to,
                MailboxOptions.bounded(2),
                (far, heard) -> {
                    far.tell(new Hold());
                    for (int i = 0; i < 6; i++) {
                        from.current = "c" + i;
                        far.tell(new Say("m" + i));
                    }
                    from.current = null;
                    Fiber.sleep(SECOND);
                    assertEquals(List.of("m0", "m1", "m2", "m3", "m4", "m5"), heard);
                    assertEquals(
                            List.of("c0", "c1", "c2", "c3", "c4", "c5"),
                            to.restored.stream().map(each -> each.substring(0, 2)).toList());
                });
    }

    @Test
    void A7_nodeWithoutContextsReadsOverThoseOfOthers() {
        Carrier from = new Carrier();
        from.current = "\u00e4".repeat(ContextPropagator.MAX_LENGTH);
        run(
                from,
                null,
                (far, heard) -> {
                    far.tell(new Say("a"));
                    Fiber.sleep(SECOND);
                    assertEquals(List.of("a"), heard);
                });
    }

    @Test
    void A7_contextThatFailsOrIsTooLongCostsNoMessageAndIsSaidOnce() {
        Carrier from =
                new Carrier() {
                    private int count;

                    @Override
                    public String inject() {
                        return switch (count++) {
                            case 0 -> throw new IllegalStateException("planted");
                            case 1 -> throw new StackOverflowError("planted");
                            case 2 -> "x".repeat(MAX_LENGTH + 1);
                            default -> "good";
                        };
                    }
                };
        Carrier to = new Carrier();
        try (LogLines lines = new LogLines()) {
            run(
                    from,
                    to,
                    (far, heard) -> {
                        for (int i = 0; i < 4; i++) {
                            if (i == 3) {
                                Fiber.sleep(SECOND);
                            }
                            far.tell(new Say("m" + i));
                        }
                        Fiber.sleep(SECOND);
                        assertEquals(List.of("m0", "m1", "m2", "m3"), heard);
                        assertEquals(List.of("good 0"), to.restored);
                    });
            assertEquals(1, lines.with("messages go without a context of").size());
        }
    }

    /** It throws before or behind it, leaves it out, runs it twice, or keeps it for later. */
    @Test
    void A7_messageIsDeliveredOnceWhateverTheOtherSideMakesOfItsContext() {
        Carrier from = new Carrier();
        List<Runnable> kept = new ArrayList<>();
        Carrier to =
                new Carrier() {
                    @Override
                    public void restore(String context, Runnable delivery) {
                        switch (context) {
                            case "before" -> throw new IllegalStateException("planted");
                            case "behind" -> {
                                delivery.run();
                                throw new AssertionError("planted");
                            }
                            case "twice" -> {
                                delivery.run();
                                delivery.run();
                            }
                            default -> kept.add(delivery);
                        }
                    }
                };
        run(
                from,
                to,
                (far, heard) -> {
                    for (String each : List.of("before", "behind", "twice", "kept")) {
                        from.current = each;
                        far.tell(new Say(each));
                    }
                    Fiber.sleep(SECOND);
                    kept.forEach(Runnable::run);
                    Fiber.sleep(SECOND);
                    assertEquals(List.of("before", "behind", "twice", "kept"), heard);
                });
    }

    /** Also if the program's code catches what it ran into. */
    @Test
    void A7_damagedMessageWithAContextEndsTheSession() {
        Carrier careless =
                new Carrier() {
                    @Override
                    public void restore(String context, Runnable delivery) {
                        try {
                            delivery.run();
                        } catch (RuntimeException ignored) {
                            restored.add(context);
                        }
                    }
                };
        assertEndsTheSession(16, careless, "a message came before the types");
        assertEquals("c", careless.restored.getFirst());
    }

    @Test
    void A7_contextOfAFrameWithoutAMessageEndsTheSession() {
        assertEndsTheSession(21, null, "a frame of type=21 has a context");
    }

    private static void assertEndsTheSession(
            int type, @Nullable ContextPropagator context, String why) {
        byte[] text = StrangerTest.text("c");
        byte[] sent =
                StrangerTest.frame(
                        ByteBuffer.allocate(2 + text.length)
                                .put((byte) (type | 64))
                                .put(text)
                                .put((byte) 2)
                                .array());
        try (LogLines lines = new LogLines()) {
            TestCord.run(
                    1,
                    true,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("there");
                                Node node = Node.start(system, options("to", context));
                                TcpConnection bad =
                                        TcpConnection.connect("127.0.0.1", node.port())) {
                            bad.write(StrangerTest.frame(StrangerTest.hello(1, "ropewalk", "z", 5)))
                                    .flush();
                            assertTrue(node.awaitPeers(1, SECOND));
                            bad.write(sent).flush();
                            Fiber.sleep(SECOND);
                            assertEquals(List.of(), node.peers());
                        }
                    });
            assertEquals(1, lines.with("sent what no node sends: " + why).size());
        }
    }
}
