package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.NodeId;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.OpenAsk;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds circles of actors of several nodes that wait for each other's replies (rule A2).
 *
 * <p>An ask whose asked actor waits, on another node, for an ask of its own is <em>sought</em>: a
 * frame goes along the asks, from the node of each asked actor to that of the next one. If it comes
 * back to the ask that it is about, that fails. This is the edge chasing of Chandy, Misra and Haas
 * (1983). Nothing is sent while asked actors do not wait, which is nearly always.
 *
 * <p>Of the asks that close a circle at least one finds it: each is published before it is sent,
 * and each is looked at where it arrives, so the one that is published last finds all others. An
 * ask is found only if it is true: an actor is asked after the ask that it serves was seen
 * unanswered at its own node, later than its own ask was seen open there. So the actor cannot have
 * answered, and nothing that is still on its way can end the circle. The limit of an ask can, and
 * then it has ended anyway.
 *
 * <p>Rejected: to send with each ask the actors that wait for it. That costs bytes with each ask,
 * and misses asks that lie in a mailbox while the asked actor waits for another one.
 */
final class Circles {
    /** More actors in a circle over nodes wait for the limits of their asks. */
    static final int MAX_PATH = 16;

    private final Home home;
    private final Conversation of;

    /** The other node's asks whose askers are actors that wait, and that have no answer yet. */
    private final Set<Long> served = ConcurrentHashMap.newKeySet();

    Circles(Home home, Conversation of) {
        this.home = home;
        this.of = of;
    }

    /**
     * The ask that is sought, and the way to here.
     *
     * @param asker the node of its asker
     * @param asked the node of the asked actor
     * @param id its number between the two
     * @param closer the actor at the asker's node whose ask closes the circle; 0 for the asker
     * @param path the actors that wait, from the asked one on
     */
    private record Sought(NodeId asker, NodeId asked, long id, long closer, List<String> path) {
        Sought at(List<String> further) {
            return new Sought(asker, asked, id, closer, further);
        }
    }

    // ---------------------------------------------------------------- where an ask arrives

    /** Before it is handed to the actor. On the cord. */
    void arrives(long id) {
        served.add(id);
    }

    /** From any thread; before its reply is sent. */
    void answered(long id) {
        served.remove(id);
    }

    int served() {
        return served.size();
    }

    /** It has been handed to the actor. On the cord. */
    void arrived(long id, ActorRef<?> actor) {
        if (Calls.openAskOf(actor.target()) != null) {
            follow(id, actor, new Sought(of.peer().id(), home.self(), id, 0, List.of()));
        }
    }

    // ---------------------------------------------------------------- where one begins

    /** An ask of this node that was sent leads on from one here. From any thread. */
    void seek(ActorRef<?> asker, AwaitedRemoteAsk<?> last) {
        Sought sought =
                new Sought(home.self(), of.peer().id(), last.id(), asker.number(), List.of());
        send(last, sought);
    }

    // ---------------------------------------------------------------- on the way

    private void send(AwaitedRemoteAsk<?> next, Sought sought) {
        of.sendAtOnce(
                frame -> {
                    Output to = frame.begin(FrameType.SEEK).signed(next.number()).out();
                    to.writeVarLong(next.id(), true);
                    write(to, sought.asker);
                    write(to, sought.asked);
                    to.writeVarLong(sought.id, true);
                    to.writeVarLong(sought.closer, true);
                    to.writeVarInt(sought.path.size(), true);
                    sought.path.forEach(each -> Text.write(to, each));
                    return frame;
                });
    }

    private static void write(Output to, NodeId node) {
        Text.write(to, node.name());
        to.writeLong(node.incarnation());
    }

    /** The other node seeks. On the cord. */
    void sought(WireInput from) {
        long number = from.readVarLong(false);
        long id = from.readVarLong(true);
        Sought sought =
                new Sought(
                        readNode(from),
                        readNode(from),
                        from.readVarLong(true),
                        from.readVarLong(true),
                        readPath(from));
        ActorRef<?> actor = home.exports().actor(number);
        if (actor != null) {
            follow(id, actor, sought);
        }
    }

    private static NodeId readNode(WireInput from) {
        return new NodeId(Text.readSome(from), from.readLong());
    }

    private static List<String> readPath(WireInput from) {
        int count = from.readSize(1);
        if (count > MAX_PATH) {
            throw new KryoException("a circle of " + count + " actors is longer than " + MAX_PATH);
        }
        List<String> path = new ArrayList<>(MAX_PATH);
        for (int i = 0; i < count; i++) {
            path.add(Text.readSome(from));
        }
        return path;
    }

    /**
     * Goes on from an actor here to the next node, or ends.
     *
     * @param id of the other node's ask that the actor serves
     */
    private void follow(long id, ActorRef<?> actor, Sought sought) {
        List<String> path = new ArrayList<>(sought.path);
        List<OpenAsk> here = new ArrayList<>();
        OpenAsk closer = null;
        ActorRef<?> next = actor;
        while (path.size() < MAX_PATH) {
            path.add(home.self() + "/" + next);
            OpenAsk ask = Calls.openAskOf(next.target());
            if (ask == null || !ask.isOpen()) {
                return;
            }
            here.add(ask);
            closer = next.number() == sought.closer ? ask : closer;
            if (ask instanceof AwaitedRemoteAsk<?> leaves) {
                // Seen open first, and then unanswered: see above.
                if (served.contains(id) && here.stream().allMatch(OpenAsk::isOpen)) {
                    leave(leaves, closer == null ? leaves : closer, sought.at(path));
                }
                return;
            }
            next = ask.asked();
        }
    }

    private void leave(AwaitedRemoteAsk<?> leaves, OpenAsk closer, Sought sought) {
        Conversation there = leaves.conversation();
        boolean isBack =
                leaves.id() == sought.id
                        && sought.asker.equals(home.self())
                        && sought.asked.equals(there.peer().id());
        if (isBack) {
            AskCycleException circle =
                    Calls.circle(sought.path.getLast() + " -> " + String.join(" -> ", sought.path));
            if (!closer.fails(circle)) {
                leaves.fails(circle);
            }
        } else {
            there.circles().send(leaves, sought);
        }
    }
}
