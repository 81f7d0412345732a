package dev.ropewalk.actors.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.testing.TestCord;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * A process with a node that many sessions send damaged frames to. They are those of a session
 * between two honest nodes, with some bytes changed, left out or doubled.
 */
final class DamagedFrames {
    sealed interface Word {}

    record Say(String text, List<Long> numbers, Map<String, Optional<UUID>> more) implements Word {}

    record Question(Recipient<Integer> replyTo) implements Word {}

    record Hand(ActorRef<Word> actor, Recipient<String> adapter, Throwable failure)
            implements Word {}

    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final Supervision MANY = Supervision.oneForOne().intensity(1 << 20, SECOND);
    private static final byte TYPES = 6;
    private static final byte[] HELLO = {1};

    /** Frames of one session, before it is looked at; more come when it goes on. */
    private static final int BATCH = 20;

    private static final SplittableRandom RANDOM = new SplittableRandom(7);

    private DamagedFrames() {}

    private static NodeOptions options(String name, int port, String... others) {
        return NodeOptions.named(name)
                .withAddress("127.0.0.1", port)
                .withProtocol(Protocol.of(Word.class))
                .withDiscovery(Discovery.of(others));
    }

    /** A frame may lead to another actor than its message is for. */
    @SuppressWarnings("unchecked") // it takes anything
    private static Actor<Word> answering() {
        Actor<?> any =
                Actor.<Object>handler(
                        () ->
                                word -> {
                                    if (word instanceof Question(var replyTo)) {
                                        replyTo.tell(7);
                                    }
                                    return Behavior.same();
                                });
        return (Actor<Word>) any;
    }

    /** Prints how many were sent, in how many sessions, and whether the node serves a good peer. */
    public static void main(String[] args) {
        int wanted = Integer.parseInt(args[0]);
        TestCord.run(1, false, () -> run(wanted));
        long tookNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        OUT.println("seconds " + Duration.ofNanos(tookNs).toSeconds());
    }

    private static void run(int wanted) {
        try (ActorSystem system = ActorSystem.start(Tree.of("all", MANY), _ -> {});
                Node node = Node.start(system, options("one", 7_001));
                Node good =
                        Node.start(
                                ActorSystem.start("good"),
                                options("good", 7_002, "127.0.0.1:7001"))) {
            if (!good.awaitPeers(1, SECOND)) {
                throw new AssertionError("the good one has no peer");
            }
            system.start("word", answering());
            system.start("bounded", answering().mailbox(MailboxOptions.bounded(16)));
            List<byte[]> frames = framesOf(record(system));
            byte[] types =
                    frames.stream().filter(each -> each[0] == TYPES).findFirst().orElseThrow();
            int sent = 0;
            int sessions = 0;
            while (sent < wanted) {
                sent += session(++sessions, types, frames);
            }
            Fiber.sleep(SECOND.multipliedBy(5));
            ActorRef<Word> fresh = system.start("fresh", answering());
            ActorRef<Word> seen =
                    Objects.requireNonNull(good.at("one").find(fresh.name(), Word.class));
            int answer = seen.ask(Question::new);
            OUT.println(
                    "sent "
                            + sent
                            + " in "
                            + sessions
                            + " answer "
                            + answer
                            + " peers "
                            + node.peers());
        }
    }

    // ---------------------------------------------------------------- a session of honest nodes

    private static byte[] record(ActorSystem system) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (TcpListener listener = TcpListener.bind("127.0.0.1", 7_010)) {
            Fiber<?> relay = Fiber.spin("relay", () -> relay(listener, said));
            try (ActorSystem other = ActorSystem.start(Tree.oneForOne("other"), _ -> {});
                    Node two = Node.start(other, options("two", 7_003, "127.0.0.1:7010"))) {
                if (!two.awaitPeers(1, SECOND)) {
                    throw new AssertionError("nothing to record");
                }
                say(system, other, two);
                Fiber.sleep(SECOND);
            }
            relay.terminate();
            relay.awaitEnd(SECOND);
        }
        return said.toByteArray();
    }

    private static void relay(TcpListener listener, ByteArrayOutputStream said) {
        TcpConnection caller = listener.accept();
        TcpConnection node = TcpConnection.connect("127.0.0.1", 7_001);
        Fiber.spin("back", () -> copy(node, caller, new ByteArrayOutputStream()));
        copy(caller, node, said);
    }

    private static void copy(TcpConnection from, TcpConnection to, ByteArrayOutputStream said) {
        byte[] bytes = new byte[1_000];
        try {
            for (int count = from.read(bytes); count >= 0; count = from.read(bytes)) {
                said.write(bytes, 0, count);
                to.write(bytes, 0, count).flush();
            }
        } catch (ConnectionException over) {
            // Both ends see it.
        } finally {
            to.reset();
        }
    }

    /** Words of all sorts. */
    private static void say(ActorSystem there, ActorSystem here, Node node) {
        ActorRef<Word> word = Objects.requireNonNull(node.at("one").find("word", Word.class));
        ActorRef<Word> bounded = Objects.requireNonNull(node.at("one").find("bounded", Word.class));
        List<ActorRef<Word>> ends = new ArrayList<>();
        for (String each : List.of("stopped", "terminated", "killed")) {
            there.start(each, answering());
            ends.add(Objects.requireNonNull(node.at("one").find(each, Word.class)));
        }
        ActorRef<Word> mine = here.start("mine", answering());
        here.start(
                "talks",
                Actor.<Object>handler(
                        self -> {
                            Recipient<String> adapter = self.adapt((String text) -> text);
                            self.monitor(word, down -> down);
                            self.monitorEach(word, down -> down).cancel();
                            word.tell(new Hand(mine, adapter, new IllegalStateException("no")));
                            word.<Integer>ask(Question::new);
                            return _ -> Behavior.same();
                        }));
        word.tell(new Say("text", List.of(1L, 2L), Map.of("k", Optional.of(new UUID(1, 2)))));
        word.<Integer>ask(Question::new);
        for (int i = 0; i < 3; i++) {
            bounded.tell(new Say("b" + i, List.of(), Map.of()));
            bounded.<Integer>ask(Question::new);
        }
        word.mailbox();
        ends.get(0).stop();
        ends.get(1).terminate();
        ends.get(2).kill();
        ends.forEach(each -> each.awaitEnd(SECOND));
        ActorRef<Word> seen = Objects.requireNonNull(node.at("one").find("word", Word.class));
        seen.<Integer>ask(Question::new);
        Fiber.sleep(SECOND.multipliedBy(2)); // beats, acknowledgements, room that comes back
    }

    /** Without their lengths, and without the hello. */
    private static List<byte[]> framesOf(byte[] said) {
        List<byte[]> frames = new ArrayList<>();
        ByteBuffer left = ByteBuffer.wrap(said);
        while (left.remaining() > Integer.BYTES) {
            byte[] frame = new byte[left.getInt()];
            left.get(frame);
            if (frame[0] > HELLO[0]) {
                frames.add(frame);
            }
        }
        return frames;
    }

    // ---------------------------------------------------------------- sessions of damaged frames

    /** How many frames were sent before the node ended it. */
    private static int session(int number, byte[] types, List<byte[]> frames) {
        int sent = 0;
        try (TcpConnection bad = TcpConnection.connect("127.0.0.1", 7_001)) {
            bad.write(StrangerTest.frame(StrangerTest.hello(1, "ropewalk", "z", number)));
            boolean isOfTypes = RANDOM.nextInt(10) == 0;
            bad.write(StrangerTest.frame(isOfTypes ? damaged(types) : types));
            sent += isOfTypes ? 1 : 0;
            for (boolean isUp = true; isUp && sent < 100; ) {
                for (int i = 0; i < BATCH; i++) {
                    byte[] frame = frames.get(RANDOM.nextInt(frames.size()));
                    bad.write(withLength(damaged(frame)));
                    sent++;
                }
                bad.flush();
                Fiber.sleep(MILLI);
                isUp = bad.isOpen();
            }
            bad.reset();
        } catch (ConnectionException ended) {
            return sent;
        }
        return sent;
    }

    /** Which is that of another frame now and then, up to 2 GB and below zero. */
    private static byte[] withLength(byte[] frame) {
        byte[] made = StrangerTest.frame(frame);
        if (RANDOM.nextInt(20) == 0) {
            int length = RANDOM.nextInt() >> RANDOM.nextInt(24);
            ByteBuffer.wrap(made).putInt(length);
        }
        return made;
    }

    private static byte[] damaged(byte[] frame) {
        byte[] made = frame.clone();
        switch (RANDOM.nextInt(20)) {
            case 0 -> made = Arrays.copyOf(frame, 1 + RANDOM.nextInt(frame.length));
            case 1 -> made = Arrays.copyOf(frame, frame.length + 1 + RANDOM.nextInt(20));
            case 2 -> made[0] = (byte) RANDOM.nextInt(40);
            default -> { // most often near the end, where a session may survive it
                int from = RANDOM.nextInt(made.length);
                made[from + RANDOM.nextInt(made.length - from)] = (byte) RANDOM.nextInt(256);
            }
        }
        return made;
    }
}
