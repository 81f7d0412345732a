package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.system.remote.Words.Note;
import dev.ropewalk.benchmarks.system.remote.Words.Word;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.function.Supplier;

/** A tell to an actor of the same cord, alone, or beside a node: the node must cost nothing. */
public final class LocalPeer implements Peer {
    private static final int BURST = 64;

    private final Supplier<Opened> open;
    private @Nullable Opened opened;

    /** The actors' cord, and what is closed in the end. */
    private record Opened(Keeper here, AutoCloseable all) {}

    private LocalPeer(Supplier<Opened> open) {
        this.open = open;
    }

    /** Without a node. */
    public static Peer alone() {
        return new LocalPeer(
                () -> {
                    Keeper here = Keeper.ofSystem("here");
                    return new Opened(here, here);
                });
    }

    /** Of a node with a peer. */
    public static Peer beside() {
        return new LocalPeer(
                () -> {
                    NodePair pair = NodePair.plain();
                    return new Opened(pair.here(), pair);
                });
    }

    /** Of a node whose peer reads nothing, and a fiber that has told it as much as it could. */
    public static Peer besideDeaf() {
        return new LocalPeer(LocalPeer::openDeaf);
    }

    private static Opened openDeaf() {
        DeafDoor door = new DeafDoor();
        NodePair pair = NodePair.behind(door::open);
        door.shut();
        pair.here().spin(() -> flood(pair));
        return new Opened(
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
        return Map.of(
                "remote_local",
                n -> {
                    Keeper here = opened().here;
                    return here.on(() -> tell(n, here.adder()));
                });
    }

    private Opened opened() {
        if (opened == null) {
            opened = open.get();
        }
        return opened;
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
        if (opened == null) {
            return;
        }
        try {
            opened.all.close();
        } catch (Exception broken) {
            throw new IllegalStateException("the nodes do not close", broken);
        }
    }
}
