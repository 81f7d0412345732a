package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.fibers.spi.WaitCell;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The room that the other node has lent to this one in the bounded mailboxes of its actors (rule
 * A3): a message to such an actor takes a permit before it leaves, so it always finds room there,
 * and its sender waits here, or is refused here. The other side is {@link Lending}.
 *
 * <p>A window is there while it has permits, senders that wait, or a question that is open:
 *
 * <pre>
 *   ROOM(n)         n senders want room that was not asked for yet
 *   LEND(g, r)      g permits are lent, more than wanted if there is plenty; r are refused, because
 *                   senders of that actor do not wait
 *   UNUSED(n)       permits that were not used for a beat go back
 * </pre>
 *
 * Invariants: a sender waits only while there is no permit; room was asked for as many as wait, or
 * for {@link #MAX_ASKED}. A sender that comes while others wait waits behind them. For any thread.
 */
final class Windows {
    /** More permits for one actor are a fault of the other node. */
    private static final int MAX_LENT = 1 << 20;

    /** Of one actor at a time; senders beyond are asked for later. */
    static final int MAX_ASKED = 1_024;

    private final Conversation of;

    // ---- guarded by this object's monitor

    private final Map<Long, Window> byNumber = new HashMap<>();
    private boolean isOver;

    private static final class Window {
        /** In their order; one that leaves is not sought among the others. */
        private final LinkedHashSet<WaitCell> senders = new LinkedHashSet<>();

        private int permits;

        /** Half of what was lent last: then more is wanted. */
        private int low;

        /** The open questions. */
        private int asked;

        private boolean isUsed;

        boolean isIdle() {
            return permits == 0 && asked == 0 && senders.isEmpty();
        }
    }

    Windows(Conversation of) {
        this.of = of;
    }

    // ---------------------------------------------------------------- senders

    /**
     * Whether the mailbox is not known here: nothing was sent for a while. Then room is asked for,
     * and a message that may not wait leaves without a permit; its actor's node makes a dead letter
     * of it if there is no room.
     */
    synchronized boolean isUnknown(long number) {
        if (isOver || byNumber.containsKey(number)) {
            return false;
        }
        Window window = new Window();
        window.isUsed = true;
        byNumber.put(number, window);
        ask(number, window, 1);
        return true;
    }

    /**
     * Takes a permit. A switchpoint if it may wait.
     *
     * @return FULL if there is none, and the limit passed or senders of the actor do not wait
     */
    Sent take(RemoteTarget<?> to, boolean mayWait, long limitNanos) {
        long number = to.number();
        WaitCell sender;
        synchronized (this) {
            if (isOver) {
                return Sent.OVER;
            }
            Window window = byNumber.computeIfAbsent(number, _ -> new Window());
            window.isUsed = true;
            if (window.permits > 0) {
                window.permits--;
                if (window.permits < window.low && window.asked == 0) {
                    ask(number, window, 1);
                }
                return Sent.YES;
            }
            if (!mayWait) {
                if (window.asked == 0) {
                    ask(number, window, 1); // for the next one
                }
                return Sent.FULL;
            }
            sender = new WaitCell();
            window.senders.add(sender);
            askForAll(number, window);
        }
        Object given = null;
        try {
            given = sender.await("room in the mailbox of " + to.ref(), limitNanos);
        } finally {
            if (!(given instanceof Sent)) {
                forget(number, sender);
            }
        }
        return given instanceof Sent sent ? sent : Sent.FULL;
    }

    /** It has left by its limit or its end. */
    private synchronized void forget(long number, WaitCell sender) {
        Window window = byNumber.get(number);
        if (window != null) {
            window.senders.remove(sender);
        }
    }

    /** A permit that was taken is not used. */
    void giveBack(long number) {
        List<WaitCell> served;
        synchronized (this) {
            if (isOver) {
                return;
            }
            Window window = byNumber.computeIfAbsent(number, _ -> new Window());
            window.permits++;
            served = serve(window);
        }
        served.forEach(WaitCell::wake);
    }

    private void askForAll(long number, Window window) {
        int missing = Math.min(window.senders.size(), MAX_ASKED) - window.asked;
        if (missing > 0) {
            ask(number, window, missing);
        }
    }

    private void ask(long number, Window window, int count) {
        window.asked += count;
        of.sendAtOnce(frame -> frame.begin(FrameType.ROOM).signed(number).number(count));
    }

    private static List<WaitCell> serve(Window window) {
        List<WaitCell> served = new ArrayList<>();
        while (window.permits > 0 && !window.senders.isEmpty()) {
            WaitCell next = window.senders.removeFirst();
            if (next.claim(Sent.YES)) {
                window.permits--;
                served.add(next);
            }
        }
        return served;
    }

    // ---------------------------------------------------------------- the other node

    /** It lends. On the cord. */
    void lent(WireInput from) {
        long number = from.readVarLong(false);
        int granted = from.readVarInt(true);
        int refused = from.readVarInt(true);
        int answered = from.readVarInt(true);
        List<WaitCell> served;
        synchronized (this) {
            if (isOver) {
                return;
            }
            Window window = byNumber.get(number);
            if (window == null
                    || granted < 0
                    || granted > MAX_LENT - window.permits
                    || refused < 0
                    || answered < 0
                    || answered > window.asked) {
                throw new KryoException(
                        "room for granted="
                                + granted
                                + " refused="
                                + refused
                                + " messages is lent, and not wanted");
            }
            window.asked -= answered;
            window.permits += granted;
            window.low = granted / 2;
            served = serve(window);
            for (int i = 0; i < refused && !window.senders.isEmpty(); i++) {
                WaitCell next = window.senders.removeFirst();
                if (next.claim(Sent.FULL)) {
                    served.add(next);
                }
            }
            askForAll(number, window);
        }
        served.forEach(WaitCell::wake);
    }

    /** Permits that were not used since the last one go back. On the cord. */
    void beat() {
        synchronized (this) {
            Iterator<Map.Entry<Long, Window>> all = byNumber.entrySet().iterator();
            while (all.hasNext()) {
                Map.Entry<Long, Window> each = all.next();
                Window window = each.getValue();
                if (!window.isUsed && window.permits > 0) {
                    int unused = window.permits;
                    window.permits = 0;
                    of.sendAtOnce(
                            frame ->
                                    frame.begin(FrameType.UNUSED)
                                            .signed(each.getKey())
                                            .number(unused));
                }
                window.isUsed = false;
                if (window.isIdle()) {
                    all.remove();
                }
            }
        }
    }

    synchronized int size() {
        return byNumber.size();
    }

    /** The session has ended. */
    void over() {
        List<WaitCell> left = new ArrayList<>();
        synchronized (this) {
            isOver = true;
            byNumber.values().forEach(each -> left.addAll(each.senders));
            byNumber.clear();
        }
        left.forEach(each -> each.give(Sent.OVER));
    }

    synchronized void checkInvariants() {
        byNumber.forEach(
                (number, window) -> {
                    if (window.permits < 0
                            || (window.permits > 0 && !window.senders.isEmpty())
                            || Math.min(window.senders.size(), MAX_ASKED) > window.asked) {
                        throw new IllegalStateException(
                                "actor #"
                                        + number
                                        + ": permits="
                                        + window.permits
                                        + " waiting="
                                        + window.senders.size()
                                        + " asked="
                                        + window.asked);
                    }
                });
    }
}
