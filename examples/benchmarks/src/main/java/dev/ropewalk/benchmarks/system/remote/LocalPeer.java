package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.system.remote.Words.Note;
import dev.ropewalk.benchmarks.system.remote.Words.Word;
import dev.ropewalk.fibers.Fiber;

import java.util.Map;

/** A tell to an actor of the same cord, alone, or beside a node: the node must cost nothing. */
public final class LocalPeer implements Peer {
    private static final int BURST = 64;

    private final Keeper here;
    private final AutoCloseable nodes;

    private LocalPeer(Keeper here, AutoCloseable nodes) {
        this.here = here;
        this.nodes = nodes;
    }

    /** Without a node. */
    public static Peer alone() {
        Keeper here = Keeper.ofSystem("here");
        return new LocalPeer(here, here);
    }

    /** Of a node with a peer. */
    public static Peer beside() {
        NodePair pair = NodePair.plain();
        return new LocalPeer(pair.here(), pair);
    }

    /** Of a node whose peer reads nothing, and a fiber that has told it as much as it could. */
    public static Peer besideDeaf() {
        DeafDoor door = new DeafDoor();
        NodePair pair = NodePair.behind(door::open);
        door.shut();
        pair.here().spin(() -> flood(pair));
        return new LocalPeer(
                pair.here(),
                () -> {
                    door.end();
                    pair.close();
                });
    }

    private static void flood(NodePair pair) {
        for (long value = 1; ; value++) {
            pair.adderThere().tell(Note.of(value));
        }
    }

    @Override
    public Map<String, Program> programs() {
        return Map.of("remote_local", n -> here.on(() -> tell(n, here.adder())));
    }

    /** In small bursts: a long mailbox costs more than all that is compared here. */
    private static long tell(long n, ActorRef<Word> adder) {
        for (long value = 1; value <= n; value++) {
            adder.tell(Note.of(value));
            if (value % BURST == 0) {
                Fiber.snooze();
            }
        }
        return Adder.sum(adder);
    }

    @Override
    public void close() {
        try {
            nodes.close();
        } catch (Exception broken) {
            throw new IllegalStateException("the nodes do not close", broken);
        }
    }
}
