package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.internal.session.Frame;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.Session;
import dev.ropewalk.actors.cluster.internal.session.Session.Lost;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The words of two nodes to each other in one session: this node's asks, monitors and questions of
 * the other one, and what that one asks of the actors here ({@link Served}).
 *
 * <p>Any thread sends. The session's cord handles what comes, and the end.
 */
public final class Conversation implements Session.Handler {
    private static final Log LOG = Logs.logger(Conversation.class);

    /** A second. */
    private static final int BEATS_OF_STATISTICS = 2;

    private final Home home;
    private final Peer peer;
    private final Session session;
    private final Addresses addresses;
    private final OpenAsks asks = new OpenAsks();
    private final Watches watches;
    private final Questions questions;
    private final Circles circles;
    private final Windows windows;
    private final Memberships memberships;
    private final Sizes sizes;
    private final RemoteLinks links;
    private final EntityWords entities;
    private final Served served;
    private final Consumer<Conversation> whenOver;
    private final long beganNs;
    private int beats;

    /** Told once, on the cord. */
    private @Nullable String why;

    public Conversation(Home home, Peer peer, Session session, Consumer<Conversation> whenOver) {
        this.home = home;
        this.peer = peer;
        this.session = session;
        this.whenOver = whenOver;
        this.beganNs = home.cord().nanoTime();
        this.addresses = new Addresses(home, this);
        this.watches = new Watches(this);
        this.questions = new Questions(this);
        this.circles = new Circles(home, this);
        this.windows = new Windows(this);
        this.memberships = new Memberships(home, this, addresses);
        this.sizes = new Sizes(home, this);
        this.links = new RemoteLinks(home, this, addresses);
        this.entities = new EntityWords(home, this, addresses);
        this.served = new Served(home, this, addresses);
    }

    public Session session() {
        return session;
    }

    public Peer peer() {
        return peer;
    }

    OpenAsks asks() {
        return asks;
    }

    Watches watches() {
        return watches;
    }

    public Questions questions() {
        return questions;
    }

    Circles circles() {
        return circles;
    }

    /** From any thread; not of one moment. */
    public Counts counts() {
        return new Counts(
                asks.size(),
                watches.size(),
                served.watches(),
                circles.served(),
                addresses.others().size(),
                home.exports().size(),
                windows.size(),
                served.loans(),
                links.size(),
                memberships.size(),
                sizes.size());
    }

    /** From any thread; not of one moment. */
    public NodeDump.Peer dump() {
        Counts counts = counts();
        return session.dump(
                Duration.ofNanos(home.cord().nanoTime() - beganNs),
                new NodeDump.Entries(
                        counts.asks(),
                        counts.watched(),
                        counts.servedWatches(),
                        counts.servedAsks(),
                        counts.addresses(),
                        counts.windows(),
                        counts.loans(),
                        counts.links(),
                        counts.members(),
                        counts.sizes()),
                served.refusedTypes());
    }

    Windows windows() {
        return windows;
    }

    Memberships memberships() {
        return memberships;
    }

    Sizes sizes() {
        return sizes;
    }

    public EntityWords entities() {
        return entities;
    }

    RemoteLinks links() {
        return links;
    }

    /** The session has begun, or this node shares another group. On the cord. */
    public void tellGroups() {
        memberships.tell();
    }

    public boolean isOver() {
        return session.isOver();
    }

    // ---------------------------------------------------------------- sending, from any thread

    Sent tryTell(RemoteTarget<?> to, Object message) {
        return counted(to, sendTell(to, message, false));
    }

    private Sent counted(RemoteTarget<?> to, Sent sent) {
        if (sent == Sent.YES) {
            sizes.sent(to.number());
        }
        return sent;
    }

    /**
     * Waits for room, if that is possible here; otherwise FULL is the answer of an actor, whose
     * message is a dead letter, and others get the exception.
     */
    Sent tell(RemoteTarget<?> to, Object message) {
        Sent sent = sendTell(to, message, mayWait());
        if (sent == Sent.FULL && !Calls.isInActor()) {
            throw full(to, message);
        }
        return counted(to, sent);
    }

    /** Most mailboxes have no bound: nothing is handed on as a function there. */
    private Sent sendTell(RemoteTarget<?> to, Object message, boolean mayWait) {
        return to.isBounded()
                ? inRoom(
                        to,
                        mayWait,
                        Long.MAX_VALUE,
                        isLent -> sendTell(to, message, isLent, mayWait))
                : sendTell(to, message, false, mayWait);
    }

    private Sent sendTell(RemoteTarget<?> to, Object message, boolean isLent, boolean mayWait) {
        Frame.Copy waits;
        String context = home.contexts().current();
        Frame frame = home.frames().take();
        try {
            frame.begin(isLent ? FrameType.TELL_LENT : FrameType.TELL, context)
                    .signed(to.number())
                    .message(message, addresses);
            Sent sent = session.trySend(frame, message, to.ref());
            if (sent != Sent.FULL || !mayWait) {
                return sent;
            }
            waits = frame.copy();
        } finally {
            home.frames().give(frame);
        }
        return session.send(waits, message, to.ref(), Long.MAX_VALUE);
    }

    /** Sends a message with a permit, or without one. */
    @FunctionalInterface
    private interface Sending {
        Sent send(boolean isLent);
    }

    /**
     * Sends with room in the actor's mailbox, if it has a bound. Room that was taken goes back if
     * the message does not leave.
     */
    private Sent inRoom(RemoteTarget<?> to, boolean mayWait, long limitNanos, Sending sending) {
        if (!to.isBounded() || (!mayWait && windows.isUnknown(to.number()))) {
            return sending.send(false);
        }
        Sent sent = windows.take(to, mayWait, limitNanos);
        if (sent != Sent.YES) {
            return sent;
        }
        boolean isSent = false;
        try {
            sent = sending.send(true);
            isSent = sent == Sent.YES;
        } finally {
            if (!isSent) {
                windows.giveBack(to.number());
            }
        }
        return sent;
    }

    /** Waits for room within the limit, if that is possible here. The frame is written once. */
    private Sent send(
            UnaryOperator<Frame> content,
            @Nullable Object message,
            @Nullable Object to,
            long limitNanos) {
        Object outcome =
                home.frames()
                        .with(
                                frame -> {
                                    Frame made = content.apply(frame);
                                    Sent sent = session.trySend(made, message, to);
                                    return sent == Sent.FULL && mayWait() ? made.copy() : sent;
                                });
        return outcome instanceof Frame.Copy waits
                ? session.send(waits, message, to, limitNanos)
                : (Sent) outcome;
    }

    /** A cord that runs no fiber cannot: a handler of Netty, a stage at its limit. */
    public static boolean mayWait() {
        return Cord.currentOrNull() == null || Fiber.currentOrNull() != null;
    }

    MailboxFullException full(RemoteTarget<?> to, Object message) {
        return new MailboxFullException(
                (to.isBounded() ? "the mailbox, or " : "")
                        + "the queue to node "
                        + peer.id().name()
                        + " is full; the message to "
                        + to.ref()
                        + " was not sent: "
                        + Lines.of(message));
    }

    /** Its node refuses it if there is no room, as an ask that does not wait is refused here. */
    Sent askNow(RemoteTarget<?> to, long id, RemoteAsk<?> ask) {
        return counted(
                to,
                home.frames()
                        .with(
                                frame ->
                                        session.trySend(
                                                ask(frame, to, id, ask, false), null, null)));
    }

    private Frame ask(Frame frame, RemoteTarget<?> to, long id, RemoteAsk<?> ask, boolean isLent) {
        return frame.begin(FrameType.ASK, home.contexts().current())
                .signed(to.number())
                .number(id)
                .limit(ask.leftNanos())
                .flag(ask.isOfWaitingActor())
                .flag(isLent)
                .message(ask.message(), addresses.ofQuestion(ask));
    }

    /** Waits for room within the limit. */
    Sent ask(RemoteTarget<?> to, long id, RemoteAsk<?> ask) {
        return counted(
                to,
                inRoom(
                        to,
                        mayWait(),
                        ask.leftNanos(),
                        isLent ->
                                send(
                                        frame -> ask(frame, to, id, ask, isLent),
                                        null,
                                        null,
                                        ask.leftNanos())));
    }

    /** Of an answer that the other node waits for, or a word about an actor. */
    Sent sendAtOnce(UnaryOperator<Frame> content) {
        return home.frames().with(frame -> session.sendAtOnce(content.apply(frame)));
    }

    /** A reply to the other node's ask that is over. */
    void reportLate(Object reply) {
        home.report(reply, "an ask of " + peer, DeadLetter.Reason.LATE_REPLY, null);
    }

    /** The bytes of a message of this session. */
    byte[] encode(Object message) {
        return home.frames()
                .with(frame -> frame.begin(FrameType.REPLY).message(message, addresses).content());
    }

    /** To an address of the other node that is no actor's. Never waits. */
    Sent tryTellTo(long id, Object message, Object to) {
        return home.frames()
                .with(frame -> session.trySend(tellTo(frame, id, message), message, to));
    }

    /** Waits for room, if that is possible here. */
    Sent tellTo(long id, Object message, Object to) {
        return send(frame -> tellTo(frame, id, message), message, to, Long.MAX_VALUE);
    }

    private Frame tellTo(Frame frame, long id, Object message) {
        return frame.begin(FrameType.TELL_TO, home.contexts().current())
                .number(id)
                .message(message, addresses);
    }

    // ---------------------------------------------------------------- receiving, on the cord

    @Override
    public void frame(byte type, WireInput content) {
        served.frame(type, content);
    }

    @Override
    public void ack(Output to) {
        sizes.write(to);
    }

    @Override
    public void acked(WireInput from, boolean isAll) {
        sizes.read(from, isAll);
    }

    @Override
    public void beat() {
        windows.beat();
        served.beat();
        if (beats++ % BEATS_OF_STATISTICS == 0) {
            NodeEvents.statistics(home.self(), this);
        }
    }

    @Override
    public void over(String reason, List<Lost> lost) {
        why = reason;
        NodeEvents.ended(home.self(), this, lost.size());
        whenOver.accept(this); // first: whoever hears of the end finds no session
        step(memberships::over);
        ExitReason unreachable = new ExitReason.Unreachable(peer.id().name());
        afterGroups(() -> watches.over(unreachable));
        afterGroups(() -> peer.isOver(this));
        step(() -> links.over(unreachable));
        step(() -> asks.failAll(peer));
        step(questions::over);
        step(windows::over);
        step(sizes::over);
        step(served::over);
        step(() -> home.entities().over(this));
        for (Lost each : lost) {
            step(() -> home.report(each.message(), each.to(), DeadLetter.Reason.UNREACHABLE, null));
        }
    }

    /** News of a last end: those that hear of it find the actor in no group. On the cord. */
    void afterGroups(Runnable news) {
        memberships.then(() -> step(news));
    }

    /** Code of the program may run in it: it must not wait, and its failure is its own. */
    private void step(Runnable code) {
        try {
            Waits.asNoFiber(code);
        } catch (RuntimeException broken) {
            LOG.warn("{}: a part of its end failed", this, broken);
        }
    }

    /** Why it is over; null while it is not. On the cord. */
    public @Nullable String why() {
        return why;
    }

    @Override
    public String toString() {
        return session.toString();
    }
}
