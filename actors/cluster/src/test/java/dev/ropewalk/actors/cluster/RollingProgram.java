package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program in two versions, whose nodes ask each other: the second one has a component more in the
 * question and in the reply, and a type more.
 */
enum RollingProgram {
    FIRST {
        @Override
        Protocol protocol() {
            return Protocol.of().named(FirstAsk.class, "ask").named(FirstReply.class, "reply");
        }

        @Override
        Behavior<Object> answering(Tally tally) {
            return message -> {
                if (message instanceof FirstAsk(int x, var replyTo)) {
                    replyTo.tell(new FirstReply(x));
                }
                return Behavior.same();
            };
        }

        @Override
        String ask(ActorRef<Object> other, int x) {
            FirstReply reply = other.ask(replyTo -> new FirstAsk(x, replyTo), ASK_LIMIT);
            return reply.x == x ? OLD : "x=" + x + " is answered by " + reply;
        }
    },
    SECOND {
        @Override
        Protocol protocol() {
            return Protocol.of()
                    .named(SecondAsk.class, "ask")
                    .named(SecondReply.class, "reply")
                    .named(Note.class, "note");
        }

        @Override
        Behavior<Object> answering(Tally tally) {
            return message -> {
                switch (message) {
                    case SecondAsk(int x, int y, var replyTo) ->
                            replyTo.tell(new SecondReply(x, y == 2 * x ? y : -y));
                    case Note(_) -> tally.notes.incrementAndGet();
                    default -> {}
                }
                if (message instanceof SecondAsk ask && ask.y == OLD_Y) {
                    tally.ofOld.incrementAndGet();
                }
                return Behavior.same();
            };
        }

        @Override
        String ask(ActorRef<Object> other, int x) {
            other.tell(new Note("to " + other));
            SecondReply reply = other.ask(replyTo -> new SecondAsk(x, 2 * x, replyTo), ASK_LIMIT);
            if (reply.x == x && reply.y == 2 * x) {
                return NEW;
            }
            return reply.x == x && reply.y == OLD_Y ? OLD : "x=" + x + " is answered by " + reply;
        }
    };

    record FirstAsk(int x, Recipient<FirstReply> replyTo) {}

    record FirstReply(int x) {}

    record SecondAsk(int x, @Default("-7") int y, Recipient<SecondReply> replyTo) {}

    record SecondReply(int x, @Default("-7") int y) {}

    record Note(String text) {}

    /** Of an ask, with all that is tried again. */
    private static final Duration RETRY_LIMIT = Duration.ofSeconds(20);

    private static final Duration ASK_LIMIT = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final int OLD_Y = -7;
    private static final String ASKING = "asking";
    private static final String OLD = "by an old one";
    private static final String NEW = "by a new one";

    /** The things that one process has seen. For any thread. */
    static final class Tally {
        final AtomicInteger byOld = new AtomicInteger();
        final AtomicInteger byNew = new AtomicInteger();
        final AtomicInteger retries = new AtomicInteger();

        /** Questions of the other version that were handled, and notes. */
        final AtomicInteger ofOld = new AtomicInteger();

        final AtomicInteger notes = new AtomicInteger();

        /** Asks that were lost or answered wrongly, and dead letters that should not be. */
        final List<String> wrong = new CopyOnWriteArrayList<>();

        final List<String> unreadable = new CopyOnWriteArrayList<>();

        void letter(DeadLetter letter) {
            switch (letter.reason()) {
                case UNREADABLE -> unreadable.add(String.valueOf(letter.cause()));
                case UNREACHABLE, LATE_REPLY, ENDED -> {} // of nodes and askers that ended
                default -> wrong.add(letter.toString());
            }
        }

        @Override
        public String toString() {
            return "byOld="
                    + byOld
                    + " byNew="
                    + byNew
                    + " ofOld="
                    + ofOld
                    + " notes="
                    + notes
                    + " retries="
                    + retries
                    + " unreadable="
                    + unreadable.size()
                    + " wrong="
                    + wrong;
        }
    }

    abstract Protocol protocol();

    abstract Behavior<Object> answering(Tally tally);

    /** Asks once. */
    abstract String ask(ActorRef<Object> other, int x);

    /** A node of this version, whose actors answer and ask. */
    Node start(NodeOptions options, Tally tally) {
        ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults().withDeadLetters(tally::letter));
        system.spin("answering", Actor.<Object>handler(() -> answering(tally)));
        Node node = Node.start(system, options.withProtocol(protocol()));
        system.spin(ASKING, Actor.<Object>loop(self -> keepAsking(self, node, tally)));
        return node;
    }

    /** Ends it in order: no ask is open when it leaves. */
    static boolean leave(Node node) {
        ActorRef<?> asking = Objects.requireNonNull(node.system().find(ASKING));
        asking.stop();
        asking.awaitEnd(RETRY_LIMIT);
        boolean isComplete = node.leave(Duration.ofSeconds(5));
        node.system().close();
        return isComplete;
    }

    private void keepAsking(ActorContext<Object> self, Node node, Tally tally) {
        int turn = 0;
        for (int x = 1; ; x++) {
            self.receive(PAUSE); // a stop ends it here
            long beganNs = Waits.nanoTime();
            boolean isDone = false;
            while (!isDone) {
                List<String> peers = node.peers();
                isDone =
                        !peers.isEmpty()
                                && isAnswered(node, peers.get(turn % peers.size()), x, tally);
                turn++;
                if (!isDone && Waits.nanoTime() - beganNs > RETRY_LIMIT.toNanos()) {
                    tally.wrong.add("x=" + x + " is lost");
                    return;
                }
                if (!isDone) {
                    self.receive(PAUSE);
                }
            }
        }
    }

    private boolean isAnswered(Node node, String peer, int x, Tally tally) {
        try {
            ActorRef<Object> other = node.at(peer).find("answering", Object.class);
            if (other == null) {
                return false;
            }
            switch (ask(other, x)) {
                case OLD -> tally.byOld.incrementAndGet();
                case NEW -> tally.byNew.incrementAndGet();
                case String wrong -> tally.wrong.add(wrong);
            }
            return true;
        } catch (AskException | UnreachableException failed) {
            tally.retries.incrementAndGet();
            return false;
        }
    }
}
