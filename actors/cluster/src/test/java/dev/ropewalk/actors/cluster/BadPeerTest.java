package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rule A7: a peer that sends wrong words, breaks off anywhere, or reads nothing harms no other. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BadPeerTest {
    sealed interface Word {}

    record Say(String text) implements Word {}

    record Question(Recipient<Integer> replyTo) implements Word {}

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** As a number of a port is written. */
    private static final byte[] PORT_70000 = {(byte) 0xF0, (byte) 0xA2, 4};

    /** With a node on port 7001 and a good peer of it. */
    @FunctionalInterface
    private interface Body {
        void run(Node node, Node good, LogLines lines) throws Exception;
    }

    private static NodeOptions options(String name, int port, String... others) {
        return NodeOptions.named(name)
                .withAddress("127.0.0.1", port)
                .withProtocol(Protocol.of(Word.class))
                .withDiscovery(Discovery.of(others));
    }

    private static Actor<Word> answering() {
        return Actor.handler(
                () ->
                        word -> {
                            if (word instanceof Question(var replyTo)) {
                                replyTo.tell(7);
                            }
                            return Behavior.same();
                        });
    }

    private static void run(Body body) {
        try (LogLines lines = new LogLines()) {
            TestCord.run(
                    1,
                    true,
                    () -> {
                        try (ActorSystem system = ActorSystem.start("all");
                                Node node = Node.start(system, options("one", 7_001));
                                Node good =
                                        Node.start(
                                                ActorSystem.start("good"),
                                                options("good", 7_002, "127.0.0.1:7001"))) {
                            system.start("word", answering());
                            assertTrue(good.awaitPeers(1, SECOND));
                            body.run(node, good, lines);
                            Fiber.sleep(SECOND);
                            assertEquals(List.of("good"), node.peers());
                            ActorRef<Word> word =
                                    Objects.requireNonNull(good.at("one").find("word", Word.class));
                            assertEquals(7, (int) word.<Integer>ask(Question::new));
                        }
                    });
        }
    }

    private static byte[] all(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] each : parts) {
            all.writeBytes(each);
        }
        return all.toByteArray();
    }

    /** The nodes that it knows: one, at that port. */
    private static byte[] peers(byte[] port) {
        byte[] host = StrangerTest.text("127.0.0.1");
        return StrangerTest.frame(
                ByteBuffer.allocate(2 + host.length + port.length)
                        .put((byte) 7)
                        .put((byte) 1)
                        .put(host)
                        .put(port)
                        .array());
    }

    private static byte[] hello() {
        return StrangerTest.frame(StrangerTest.hello(1, "ropewalk", "z", 5));
    }

    @Test
    void A7_helloWithAPortThatIsNoneIsTurnedAway() {
        run(
                (node, _, _) -> {
                    try (TcpConnection bad = TcpConnection.connect("127.0.0.1", 7_001)) {
                        bad.write(
                                StrangerTest.frame(
                                        StrangerTest.hello(1, "ropewalk", "z", 5, PORT_70000)));
                        bad.flush();
                        assertEquals(0, countRead(bad));
                    }
                    assertEquals(List.of("good"), node.peers());
                });
    }

    /** Until it is closed or reset. */
    private static int countRead(TcpConnection from) {
        int all = 0;
        try {
            byte[] bytes = new byte[1_000];
            for (int count = from.read(bytes); count >= 0; count = from.read(bytes)) {
                all += count;
            }
        } catch (ConnectionException reset) {
            // That is an end, too.
        }
        return all;
    }

    @Test
    void A7_addressWithAPortThatIsNoneEndsTheSession() {
        run(
                (node, _, lines) -> {
                    try (TcpConnection bad = TcpConnection.connect("127.0.0.1", 7_001)) {
                        bad.write(hello()).flush();
                        assertTrue(node.awaitPeers(2, SECOND));
                        bad.write(peers(PORT_70000)).flush();
                        countRead(bad);
                    }
                    assertEquals(List.of("good"), node.peers());
                    assertEquals(
                            1, lines.with("sent what no node sends: port=70000 is not").size());
                });
    }

    @Test
    void A7_resetBehindEachByteOfASession() {
        byte[] beat = StrangerTest.frame(new byte[] {5});
        byte[] acked = StrangerTest.frame(new byte[] {4, 0});
        byte[] goodbye = StrangerTest.frame(new byte[] {8});
        byte[] session = all(hello(), beat, peers(new byte[] {1}), acked, goodbye);
        run(
                (node, _, lines) -> {
                    for (int count = 0; count <= session.length; count++) {
                        try (TcpConnection bad = TcpConnection.connect("127.0.0.1", 7_001)) {
                            bad.write(session, 0, count).flush();
                            Fiber.sleep(Duration.ofMillis(5));
                            bad.reset();
                        }
                    }
                    Fiber.sleep(SECOND);
                    int afterHello = session.length - hello().length + 1;
                    assertEquals(
                            afterHello,
                            lines.with(" and z@5 at 127.0.0.1:1 are peers no more: ").size());
                });
    }

    @Test
    void A7_nodeWhoseNameIsTakenIsToldOnceAndTheOlderOneStays() {
        run(
                (node, _, lines) -> {
                    try (ActorSystem system = ActorSystem.start("late");
                            Node late =
                                    Node.start(system, options("good", 7_003, "127.0.0.1:7001"))) {
                        Fiber.sleep(Duration.ofSeconds(20));
                        assertEquals(List.of(), late.peers());
                    }
                    List<String> told = lines.with(": NAME");
                    assertEquals(2, told.size(), told::toString); // one of each side
                    assertTrue(told.stream().allMatch(each -> each.contains(" WARN ")));
                });
    }

    /** Takes one connection to a node, and forwards both ways until it is to stop one of them. */
    private static void relay(TcpListener listener, boolean[] isHeld) {
        TcpConnection caller = listener.accept();
        TcpConnection node = TcpConnection.connect("127.0.0.1", 7_002);
        Fiber.spin("back", () -> copy(node, caller, new boolean[1]));
        copy(caller, node, isHeld);
    }

    private static void copy(TcpConnection from, TcpConnection to, boolean[] isHeld) {
        byte[] bytes = new byte[1_000];
        try {
            for (int count = from.read(bytes); count >= 0; count = from.read(bytes)) {
                if (isHeld[0]) {
                    new WaitCell().await("the end of the test");
                    return;
                }
                to.write(bytes, 0, count).flush();
            }
        } catch (ConnectionException over) {
            // Both ends see it.
        } finally {
            to.reset();
        }
    }

    /** Its own beats come, but it takes nothing. */
    @Test
    void A7_peerThatReadsNothingHoldsUpItsSenderOnly() {
        List<DeadLetter> letters = new ArrayList<>();
        TestCord.run(
                1,
                true,
                () -> {
                    boolean[] isHeld = new boolean[1];
                    try (TcpListener listener = TcpListener.bind("127.0.0.1", 7_010);
                            ActorSystem one = ActorSystem.start(Tree.oneForOne("1"), letters::add);
                            ActorSystem two = ActorSystem.start("two");
                            Node there = Node.start(two, options("there", 7_002));
                            Node here =
                                    Node.start(
                                            one,
                                            options("here", 7_001, "127.0.0.1:7010")
                                                    .withQueue(1_024))) {
                        Fiber<?> relay = Fiber.spin("relay", () -> relay(listener, isHeld));
                        two.start("word", answering());
                        ActorRef<Word> near = one.start("near", answering());
                        assertTrue(here.awaitPeers(1, SECOND));
                        assertTrue(there.awaitPeers(1, SECOND));
                        ActorRef<Word> far =
                                Objects.requireNonNull(here.at("there").find("word", Word.class));
                        Fiber.sleep(SECOND);
                        isHeld[0] = true;
                        assertHoldsUpItsSenderOnly(far, near);
                        Fiber.sleep(Duration.ofSeconds(4)); // the other one has given up by then
                        assertEquals(List.of(), here.peers());
                        relay.terminate();
                    }
                });
        assertEquals(101, letters.size());
        assertEquals(new Say("z"), letters.getFirst().message());
        assertEquals(DeadLetter.Reason.REFUSED, letters.removeFirst().reason());
        assertTrue(
                letters.stream().allMatch(each -> each.reason() == DeadLetter.Reason.UNREACHABLE));
    }

    private static void assertHoldsUpItsSenderOnly(ActorRef<Word> far, ActorRef<Word> near) {
        int[] told = new int[1];
        Fiber<?> sender =
                Fiber.spin(
                        "sender",
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                far.tell(new Say("x".repeat(100)));
                                told[0]++;
                            }
                        });
        Fiber.sleep(SECOND);
        int waits = told[0];
        assertTrue(waits > 0 && waits < 100, () -> "told " + waits);
        assertEquals(7, (int) near.<Integer>ask(Question::new));
        assertEquals(TellResult.FULL, far.tryTell(new Say("y")));
        Alarm.after(0, () -> far.tell(new Say("z"))); // as a handler of Netty, which cannot wait
        Fiber.sleep(Duration.ofMillis(500));
        assertEquals(waits, told[0]);
        assertTrue(sender.awaitEnd(Duration.ofSeconds(4)));
        assertNull(sender.failure());
        assertEquals(100, told[0]);
    }

    /** Others have their rate, while one takes nothing for as long as it is a peer. */
    @Test
    void A7_peerThatReadsNothingHoldsUpNoOtherPeer() {
        TestCord.run(
                1,
                true,
                () -> {
                    boolean[] isHeld = new boolean[1];
                    try (TcpListener listener = TcpListener.bind("127.0.0.1", 7_010);
                            ActorSystem one = ActorSystem.start(Tree.oneForOne("1"), _ -> {});
                            ActorSystem two = ActorSystem.start("two");
                            ActorSystem third = ActorSystem.start("third");
                            Node _ = Node.start(two, options("there", 7_002));
                            Node good =
                                    Node.start(third, options("good", 7_003, "127.0.0.1:7001"));
                            Node here =
                                    Node.start(
                                            one,
                                            options("here", 7_001, "127.0.0.1:7010")
                                                    .withQueue(1_024))) {
                        Fiber<?> relay = Fiber.spin("relay", () -> relay(listener, isHeld));
                        two.start("word", answering());
                        third.start("word", answering());
                        assertTrue(here.awaitPeers(2, Duration.ofSeconds(20)));
                        ActorRef<Word> deaf =
                                Objects.requireNonNull(here.at("there").find("word", Word.class));
                        ActorRef<Word> well =
                                Objects.requireNonNull(here.at("good").find("word", Word.class));
                        int before = countAsks(well);
                        isHeld[0] = true;
                        Fiber<?> sender =
                                Fiber.spin(
                                        "sender",
                                        () -> {
                                            for (int i = 0; i < 100; i++) {
                                                deaf.tell(new Say("x".repeat(100)));
                                            }
                                        });
                        int meanwhile = countAsks(well);
                        assertTrue( // the delays that the network has drawn differ by so much
                                meanwhile >= 0.8 * before,
                                () -> "asks before " + before + ", meanwhile " + meanwhile);
                        assertTrue(sender.awaitEnd(Duration.ofSeconds(4)));
                        assertTrue(good.peers().contains("here"));
                        relay.terminate();
                    }
                });
    }

    /** In two seconds. */
    private static int countAsks(ActorRef<Word> actor) {
        long endNs = Waits.nanoTime() + 2 * SECOND.toNanos();
        int count = 0;
        while (Waits.nanoTime() < endNs) {
            assertEquals(7, (int) actor.<Integer>ask(Question::new));
            count++;
        }
        return count;
    }

    /** It beats all the time, and never sends the messages that the room was for. */
    @Test
    void A3_peerThatKeepsRoomForAMinuteIsGivenUp() {
        run(
                (node, good, lines) -> {
                    ActorRef<Word> bounded =
                            node.system()
                                    .start(
                                            "bounded",
                                            answering().mailbox(MailboxOptions.bounded(4)));
                    assertEquals(
                            bounded.number(),
                            Objects.requireNonNull(good.at("one").find("bounded", Word.class))
                                    .number());
                    byte[] wantsRoom = {10, (byte) (2 * bounded.number()), 4};
                    try (TcpConnection bad = TcpConnection.connect("127.0.0.1", 7_001)) {
                        bad.write(all(hello(), StrangerTest.frame(wantsRoom))).flush();
                        assertTrue(node.awaitPeers(2, SECOND));
                        Fiber.spin("reads", () -> countRead(bad));
                        beat(bad, 59);
                        assertEquals(List.of("good", "z"), node.peers());
                        assertEquals(1, Objects.requireNonNull(node.counts("z")).loans());
                        beat(bad, 3);
                    }
                    assertEquals(List.of("good"), node.peers());
                    assertEquals(1, lines.with("it keeps room in the mailbox of actor #").size());
                    bounded.tell(new Say("room for it"));
                });
    }

    private static void beat(TcpConnection bad, int seconds) {
        try {
            for (int i = 0; i < 2 * seconds; i++) {
                bad.write(StrangerTest.frame(new byte[] {5})).flush();
                Fiber.sleep(Duration.ofMillis(500));
            }
        } catch (ConnectionException ended) {
            // The caller looks.
        }
    }
}
