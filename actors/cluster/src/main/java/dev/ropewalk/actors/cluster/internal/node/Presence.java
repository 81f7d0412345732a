package dev.ropewalk.actors.cluster.internal.node;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.internal.entity.NodeEntities;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.Home;
import dev.ropewalk.actors.cluster.internal.ref.KnownPeers;
import dev.ropewalk.actors.cluster.internal.ref.NodeEvents;
import dev.ropewalk.actors.cluster.internal.ref.Peer;
import dev.ropewalk.actors.cluster.internal.session.Frame;
import dev.ropewalk.actors.cluster.internal.session.FrameReader;
import dev.ropewalk.actors.cluster.internal.session.Greeting;
import dev.ropewalk.actors.cluster.internal.session.Hello;
import dev.ropewalk.actors.cluster.internal.session.NodeId;
import dev.ropewalk.actors.cluster.internal.session.Refusal;
import dev.ropewalk.actors.cluster.internal.session.RefusedException;
import dev.ropewalk.actors.cluster.internal.session.Session;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TlsException;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A node among others: it accepts and makes connections, knows who is there, and has one session
 * with each incarnation of another node (rule A7). Confined to the node's cord, but for the parts
 * that say so.
 *
 * <p>Who is a peer is decided by each pair for itself: no node speaks for others, and no node is
 * declared dead. Other nodes tell addresses to try, and no more.
 */
public final class Presence implements KnownPeers, Greeting.Door, NodeEntities.Sessions {
    private static final Log LOG = Logs.logger(Presence.class);

    /** How long two nodes may take to become peers. */
    static final Duration GREETING_LIMIT = Duration.ofSeconds(5);

    /** Incarnations that are remembered without a session. */
    private static final int MAX_PEERS = 10_000;

    private final Setting setting;
    private final Hello self;
    private final Home home;
    private final Dialling dialling;

    /** For any thread. */
    private final Map<NodeId, Peer> peers = new ConcurrentHashMap<>();

    /** The sessions, by the names of the nodes. Changed on the cord, read by any thread. */
    private final Map<String, Conversation> up = new ConcurrentSkipListMap<>();

    /** The names of {@link #up}, for any thread. */
    private volatile List<String> upNames = List.of();

    /** Told of each change of {@link #upNames}; guarded by itself. */
    private final List<WaitCell> watchers = new ArrayList<>();

    private final Complaints complaints = new Complaints();
    private boolean isLeaving;

    /** Greetings in which this node has said who it is, and that are not over. */
    private int meeting;

    /** The part of the node's options that it needs. */
    public interface Setting {
        /** How it connects; with the limits of a session. */
        TcpConnection connect(String host, int port);

        /** Whether the certificate of the other side is for that name; true without TLS. */
        boolean isNamed(TcpConnection connection, String name);

        /** The name of the cluster. */
        String cluster();

        /** Bytes on the way to a node. */
        int queue();

        /** Bytes of a message. */
        int maxMessage();
    }

    public Presence(Setting setting, Hello self, Home.Parts parts) {
        this.setting = setting;
        this.self = self;
        this.home = parts.home(this);
        this.dialling = new Dialling(this, self);
    }

    public Hello self() {
        return self;
    }

    public Dialling dialling() {
        return dialling;
    }

    // ---------------------------------------------------------------- connections

    /** Serves the node's port until it leaves. A switchpoint. */
    public void serve(TcpListener listener) {
        listener.serve("a node that calls " + self.node().name(), this::accepted);
    }

    private void accepted(TcpConnection connection) {
        FrameReader reader = new FrameReader(connection);
        try {
            meet(connection, reader, null);
        } catch (RefusedException refused) {
            tellRefused(refused);
        } catch (TlsException refused) {
            tellRefused("a caller at " + hostOf(connection), refused);
        } catch (KryoException | ConnectionException stranger) {
            LOG.debug("{}: a caller is no node", self, stranger);
        }
    }

    /** Without the port, which is another one each time. */
    private static String hostOf(TcpConnection connection) {
        return connection.remoteAddress() instanceof InetSocketAddress inet
                ? inet.getHostString()
                : "an unknown address";
    }

    /** As a warning the first time: nodes try again and again. */
    void tellRefused(RefusedException refused) {
        boolean isUsual =
                refused.refusal() == Refusal.DUPLICATE || refused.refusal() == Refusal.SELF;
        tell(!isUsual, String.valueOf(refused.getMessage()));
    }

    /** The same, of a certificate that one of the two does not trust. */
    void tellRefused(String peer, TlsException refused) {
        tell(true, self + ": no TLS with " + peer + ": " + reason(refused));
    }

    private void tell(boolean isWarning, String complaint) {
        if (isWarning) {
            NodeEvents.peerRefused(self.node(), complaint);
        }
        if (isWarning && complaints.isNew(complaint)) {
            LOG.warn("{}", complaint);
        } else {
            LOG.debug("{}", complaint);
        }
    }

    /** Without the ports of the connection and bytes of a stranger, which are others each time. */
    private static String reason(TlsException refused) {
        Throwable cause = refused;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause == refused ? refused.getMessage() : cause)
                .replaceFirst(": [0-9a-f]+$", "");
    }

    /**
     * Connects to a node and serves the session with it until that ends. A switchpoint.
     *
     * @param reached is run when the session begins
     * @return the name of the other node
     * @throws RefusedException if the two do not become peers
     * @throws ConnectionException if nobody is there
     * @throws KryoException if it is no node that is there
     */
    String dial(String host, int port, Runnable reached) {
        try (TcpConnection connection = setting.connect(host, port)) {
            return meet(connection, new FrameReader(connection), reached);
        }
    }

    /** With code of the side that has dialled, to be run when the session begins. */
    private String meet(TcpConnection connection, FrameReader reader, @Nullable Runnable reached) {
        Greeting greeting = new Greeting(connection, reader, home.frames(), self, this);
        Greeting.Agreed agreed;
        Session session;
        try {
            agreed =
                    greetingWithin(
                            connection, reached == null ? greeting::accepted : greeting::dialled);
            session = begin(agreed, connection, reader);
        } finally {
            meeting -= greeting.hasGreeted() ? 1 : 0;
        }
        if (reached != null) {
            reached.run();
        }
        session.run();
        return agreed.peer().node().name();
    }

    private static Greeting.Agreed greetingWithin(
            TcpConnection connection, Supplier<Greeting.Agreed> greeting) {
        Alarm limit = Alarm.after(Waits.nanos(GREETING_LIMIT), connection::reset);
        try {
            return greeting.get();
        } finally {
            limit.cancel();
        }
    }

    /** From here to the first wait of the session nothing else happens on this cord. */
    private Session begin(Greeting.Agreed agreed, TcpConnection connection, FrameReader reader) {
        Hello hello = agreed.peer();
        Refusal refusal = refusal(hello); // others may have come while the two greeted
        if (refusal != null) {
            throw new RefusedException(refusal, hello, self + " refuses " + hello + ": " + refusal);
        }
        Conversation before = up.get(hello.node().name());
        if (before != null) {
            before.session().end("a new session with it begins");
        }
        Peer peer = peer(hello.node(), hello.host(), hello.port());
        Session session = new Session(connection, reader, home.frames(), setting.queue(), hello);
        reader.allow(setting.maxMessage() + Frame.MAX_AROUND);
        Conversation conversation = new Conversation(home, peer, session, this::over);
        session.begin(conversation, agreed.confirms(), home.types()::describe, this::describeKnown);
        peer.begins(conversation);
        up.put(hello.node().name(), conversation);
        conversation.tellGroups();
        home.entities().begun();
        dialling.found();
        changed();
        LOG.info("{} and {} are peers", self, hello);
        NodeEvents.begun(self.node(), conversation);
        return session;
    }

    private void describeKnown(Output to) {
        to.writeVarInt(up.size(), true);
        for (Conversation each : up.values()) {
            Text.write(to, each.session().peer().host());
            to.writeVarInt(each.session().peer().port(), true);
        }
    }

    private void over(Conversation ended) {
        ended.peer().ends();
        up.remove(ended.peer().id().name(), ended);
        changed();
        LOG.info("{} and {} are peers no more: {}", self, ended.session().peer(), ended.why());
    }

    private void changed() {
        upNames = List.copyOf(up.keySet());
        List<WaitCell> told;
        synchronized (watchers) {
            told = List.copyOf(watchers);
            watchers.clear();
        }
        told.forEach(each -> each.give(true));
    }

    // ---------------------------------------------------------------- who may come in

    @Override
    public @Nullable Refusal refusal(Hello peer, TcpConnection connection) {
        Refusal refusal = refusal(peer);
        return refusal == null && !setting.isNamed(connection, peer.node().name())
                ? Refusal.CERTIFICATE
                : refusal;
    }

    private @Nullable Refusal refusal(Hello peer) {
        if (peer.version() != Hello.VERSION) {
            return Refusal.VERSION;
        }
        if (!peer.cluster().equals(setting.cluster())) {
            return Refusal.CLUSTER;
        }
        if (peer.node().equals(self.node())) {
            return Refusal.SELF;
        }
        if (isLeaving) {
            return Refusal.LEAVING;
        }
        Conversation known = up.get(peer.node().name());
        boolean isTaken =
                peer.node().name().equals(self.node().name())
                        || (known != null
                                && !known.peer().id().equals(peer.node())
                                && !known.session().peer().address().equals(peer.address()));
        return isTaken ? Refusal.NAME : null;
    }

    @Override
    public boolean hasSession(NodeId peer) {
        Conversation known = up.get(peer.name());
        return known != null && known.peer().id().equals(peer);
    }

    @Override
    public void greets() {
        meeting++;
    }

    /** Whether the two have a session. */
    boolean isUp(String name) {
        return up.containsKey(name);
    }

    boolean isLeaving() {
        return isLeaving;
    }

    // ---------------------------------------------------------------- for any thread

    @Override
    public Peer peer(NodeId id, String host, int port) {
        if (peers.size() > MAX_PEERS) {
            peers.values().removeIf(each -> each.now() == null);
        }
        return peers.computeIfAbsent(id, _ -> new Peer(id, host, port));
    }

    @Override
    public void heardOf(String host, int port) {
        dialling.add(host, port);
    }

    public List<String> upNames() {
        return upNames;
    }

    /** All that can be seen of it, with what the node has in its store. */
    public NodeDump dump(
            NodeDump.@Nullable Registration registration, NodeDump.@Nullable Shards shards) {
        List<NodeDump.Peer> sessions = up.values().stream().map(Conversation::dump).toList();
        List<String> reached = sessions.stream().map(NodeDump.Peer::address).toList();
        return new NodeDump(
                self.node().name(),
                Long.toHexString(self.node().incarnation()),
                self.cluster(),
                self.address(),
                home.exports().size(),
                sessions,
                dialling.unreached().stream()
                        .filter(each -> !reached.contains(each.address()))
                        .toList(),
                registration,
                shards);
    }

    /** The session with the node of that name; null if there is none. */
    public @Nullable Conversation conversation(String name) {
        return up.get(name);
    }

    @Override
    public @Nullable Conversation with(String node) {
        return up.get(node);
    }

    @Override
    public List<Conversation> all() {
        return List.copyOf(up.values());
    }

    @Override
    public void dialNoMore() {
        dialling.end();
    }

    @Override
    public boolean isMeeting() {
        return meeting > 0;
    }

    /** False if the limit passed. A switchpoint. */
    public boolean awaitPeers(int count, long limitNanos) {
        long beganNs = Waits.nanoTime();
        while (upNames.size() < count) {
            WaitCell change = new WaitCell();
            synchronized (watchers) {
                watchers.add(change);
            }
            long leftNs =
                    limitNanos == Long.MAX_VALUE
                            ? limitNanos
                            : Math.max(0, limitNanos - (Waits.nanoTime() - beganNs));
            if (upNames.size() < count
                    && change.await("peers of " + self.node().name(), leftNs) == Waits.TIMED_OUT) {
                forget(change);
                return upNames.size() >= count;
            }
            forget(change);
        }
        return true;
    }

    private void forget(WaitCell change) {
        synchronized (watchers) {
            watchers.remove(change);
        }
    }

    /**
     * Shares the system's group of the name with the nodes that share it too.
     *
     * @throws IllegalArgumentException if it is one of another type, or the name is none
     */
    public <M> Group<M> group(String name, Class<M> type) {
        Group<M> group = home.groups().share(name, type);
        home.cord()
                .post(
                        new CordMessage() {
                            @Override
                            public void onCord() {
                                up.values().forEach(Conversation::tellGroups);
                            }

                            @Override
                            public void onClosed() {
                                // It has left.
                            }
                        });
        return group;
    }

    // ---------------------------------------------------------------- the end

    /**
     * Says goodbye to all, waits until they have what was sent, and ends the sessions. A
     * switchpoint.
     *
     * @return false if the limit passed first
     */
    public boolean leave(long limitNanos) {
        isLeaving = true;
        dialling.end();
        List<Conversation> left = new ArrayList<>(up.values());
        left.forEach(each -> each.session().sayGoodbye());
        long beganNs = Waits.nanoTime();
        boolean isComplete = awaitEach(left, Session::isAllAcked, beganNs, limitNanos);
        // A peer that reads nothing any more must not hold it up.
        long writeLimitNs = Math.min(limitNanos, Waits.nanos(Session.LIVENESS));
        awaitEach(left, Session::isAllWritten, Waits.nanoTime(), writeLimitNs);
        left.forEach(each -> each.session().leave());
        return isComplete;
    }

    /** The node is over: its groups are those of its system alone. */
    public void unshareGroups() {
        home.groups().over();
    }

    private static boolean awaitEach(
            List<Conversation> all, Predicate<Session> is, long beganNs, long limitNanos) {
        while (!all.stream().allMatch(each -> each.isOver() || is.test(each.session()))) {
            if (Waits.nanoTime() - beganNs >= limitNanos) {
                return false;
            }
            Fiber.sleep(Duration.ofMillis(5));
        }
        return true;
    }

    /** On the cord. */
    public void checkInvariants() {
        Map<String, Conversation> seen = new HashMap<>(up);
        for (Peer each : peers.values()) {
            Conversation now = each.now();
            if (now != null && seen.remove(each.id().name()) != now) {
                throw new IllegalStateException(each + " has a session that is not up");
            }
        }
        if (!seen.isEmpty()) {
            throw new IllegalStateException("without a peer: " + seen.keySet());
        }
        up.values().forEach(each -> each.session().checkInvariants());
    }

    @Override
    public String toString() {
        return "node " + self;
    }
}
