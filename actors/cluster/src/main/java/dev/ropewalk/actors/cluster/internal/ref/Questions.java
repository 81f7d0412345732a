package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.Session;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The questions of this node to the other one itself: where an actor is, and what its mailbox
 * holds.
 */
public final class Questions {
    private static final long LOOK_LIMIT_NS = Duration.ofSeconds(5).toNanos();

    /** Given when the session ends first. */
    private static final Object OVER = new Object();

    /** Given when there is no such actor. */
    private static final Object NONE = new Object();

    private final Conversation of;
    private final Map<Long, WaitCell> open = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong();

    Questions(Conversation of) {
        this.of = of;
    }

    /** The outcome of a search. */
    public sealed interface Found {
        /** The address of the actor. */
        record Actor(Recipient<?> address) implements Found {}

        /** No actor is there. */
        record Nobody() implements Found {}

        /** The session has ended. */
        record Unreachable() implements Found {}

        /** The limit passed. */
        record Late() implements Found {}
    }

    /** A switchpoint. */
    public Found find(String path, long limitNanos) {
        Object given =
                ask(
                        limitNanos,
                        "the address of " + path,
                        id ->
                                of.sendAtOnce(
                                        frame -> {
                                            frame.begin(FrameType.FIND).number(id);
                                            Text.write(frame.out(), path);
                                            return frame;
                                        }));
        if (given == Waits.TIMED_OUT) {
            return new Found.Late();
        }
        if (given == NONE) {
            return new Found.Nobody();
        }
        return given instanceof Recipient<?> actor
                ? new Found.Actor(actor)
                : new Found.Unreachable();
    }

    /** Null if no answer came. A switchpoint. */
    @Nullable MailboxSnapshot look(long number) {
        Object given =
                ask(
                        LOOK_LIMIT_NS,
                        "a look at a mailbox",
                        id ->
                                of.sendAtOnce(
                                        frame ->
                                                frame.begin(FrameType.LOOK)
                                                        .number(id)
                                                        .signed(number)));
        return given instanceof MailboxSnapshot seen ? seen : null;
    }

    @FunctionalInterface
    private interface Sending {
        Session.Sent send(long id);
    }

    private @Nullable Object ask(long limitNanos, String what, Sending sending) {
        long id = next.incrementAndGet();
        WaitCell answer = new WaitCell();
        open.put(id, answer);
        try {
            return sending.send(id) == Session.Sent.OVER ? OVER : answer.await(what, limitNanos);
        } finally {
            open.remove(id);
        }
    }

    private void answer(long id, Object answer) {
        WaitCell waiting = open.remove(id);
        if (waiting != null) {
            waiting.give(answer);
        }
    }

    /** The other node has looked for an actor. */
    void found(WireInput from, Addresses addresses) {
        long id = from.readVarLong(true);
        answer(id, from.readBoolean() ? addresses.read(from) : NONE);
    }

    /** The other node has looked at a mailbox. */
    void seen(WireInput from) {
        long id = from.readVarLong(true);
        if (!from.readBoolean()) {
            answer(id, NONE);
            return;
        }
        int queued = from.readVarInt(true);
        int capacity = from.readVarInt(true);
        int shown = from.readSize(1);
        List<Object> oldest = new ArrayList<>();
        for (int i = 0; i < shown; i++) {
            oldest.add(Text.readSome(from));
        }
        answer(id, new MailboxSnapshot(queued, capacity, oldest));
    }

    /** The session has ended. */
    void over() {
        for (Long id : List.copyOf(open.keySet())) {
            answer(id, OVER);
        }
    }
}
