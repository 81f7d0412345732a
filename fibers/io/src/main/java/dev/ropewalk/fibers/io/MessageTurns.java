package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.io.internal.SilenceLimit;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Function;

/**
 * The fiber of a connection that is served by messages: each message is a turn, and between two
 * turns there is no stack (rules F3 and I2).
 *
 * <pre>
 *   OPENING -> IDLE   the first turn has opened the connection, and no message is here
 *   IDLE    -> READY  the queue has something to take, or the limit on silence has passed
 *   READY   -> TURN   the cord runs the fiber
 *   TURN    -> TURN   the next message is here, and the fiber may go on
 *   TURN    -> READY  the next message is here, and the turn has been long enough
 *   TURN    -> IDLE   nothing is here
 *   any     -> ENDED  the end, a failure, or the fiber is ended: cleanUp
 * </pre>
 *
 * These are states of the fiber itself: it is IDLE where it waits between its turns, so that {@link
 * #ready} need not know the state: the kernel refuses to resume a fiber that runs or is to run, and
 * each turn looks into the queue before it goes.
 *
 * <p>The queue owns the messages until a turn takes one. A turn that receives by itself stands in
 * the queue's line of receivers, which come first: so {@link #ready} is told only of what none of
 * them takes.
 *
 * <p>Confined to the cord of the connection.
 */
final class MessageTurns<M> extends SilenceLimit.Watched implements Handler, MessageQueue.Taker {
    private static final Object NEXT = "the next message";

    private final Serving.Client client;
    private final Function<? super TcpConnection, ? extends @Nullable MessageConnection<M>> opening;
    private final MessageService<M> service;

    // Of the first turn, which opens the connection.

    @SuppressWarnings("NullAway.Init")
    private Fiber<?> fiber;

    @SuppressWarnings("NullAway.Init")
    private MessageQueue<M> queue;

    /** Null before it was made. */
    private @Nullable ClientHandler<M> handler;

    /** The limit on silence has passed while it was idle, and nothing has come since then. */
    private boolean isSilent;

    /** The input has ended in order, or this side has closed the connection. */
    private boolean isOver;

    MessageTurns(
            Serving.Client client,
            Function<? super TcpConnection, ? extends @Nullable MessageConnection<M>> opening,
            MessageService<M> service) {
        this.client = client;
        this.opening = opening;
        this.service = service;
    }

    @Override
    public Object handle(@Nullable Object value) throws Exception {
        ClientHandler<M> handles = value == START ? open() : handler;
        if (handles == null) {
            isOver = true;
            return END;
        }
        for (Object next = queue.take(); next != null; next = queue.take()) {
            isSilent = false;
            if (queue.isEndInOrder(next)) {
                isOver = true;
                return END;
            }
            handles.handle(queue.message(next));
            if (Waits.isTurnOver() && queue.isReady()) {
                return NEXT;
            }
        }
        if (isSilent) {
            throw queue.silent();
        }
        client.silence(queue.limitNs()).begin(this);
        return WAIT;
    }

    /** Null if it is no client of this service. */
    private @Nullable ClientHandler<M> open() throws Exception {
        MessageConnection<M> messages = opening.apply(client.arrival.openElsewhere());
        if (messages == null) {
            return null;
        }
        fiber = Fiber.current();
        queue = messages.in;
        ClientHandler<M> made =
                Objects.requireNonNull(service.open(messages), "the service returned null");
        handler = made;
        queue.taker(this);
        return made;
    }

    /** By Netty's side, and by fibers of the cord that close the connection. */
    @Override
    public void ready() {
        Waits.resumeHandlerHere(fiber.cord(), fiber, NEXT);
    }

    /** As no fiber. */
    @Override
    protected void silent() {
        isSilent |= Waits.resumeHandler(fiber, NEXT);
    }

    @Override
    public Object waitsFor() {
        return queue;
    }

    @Override
    public void cleanUp(Fiber<?> ended, @Nullable Throwable failure) throws Exception {
        TcpConnection connection = client.arrival.connection();
        if (connection == null) {
            return;
        }
        client.isGone = !connection.isOpen();
        boolean isInOrder = false;
        try {
            ClientHandler<M> told = handler;
            if (told != null) {
                boolean wasOpen = connection.isOpen();
                end(told, connection, failure);
                isInOrder = wasOpen && !connection.isOpen();
            }
            isInOrder |= failure == null && isOver;
        } finally {
            client.over(connection, isInOrder);
        }
    }

    /** A second failure is told by itself, because the first one decides how it is logged. */
    private static void end(
            ClientHandler<?> told, TcpConnection connection, @Nullable Throwable failure)
            throws Exception {
        try {
            told.end(failure);
        } catch (Exception second) {
            Waits.throwIfSignal(second);
            if (failure == null) {
                throw second;
            }
            if (connection.hasCaused(second)) {
                TcpListener.LOG.debug("the end of {} could not be told", connection, second);
            } else {
                TcpListener.LOG.error("the end of {} failed", connection, second);
            }
        }
    }

    /** The last word, also of a fiber that was abandoned, which has cleaned up nothing. */
    @Override
    public boolean onEnd(Fiber<?> ended, @Nullable Throwable failure) {
        TcpConnection connection = client.arrival.connection();
        if (connection == null || !connection.cord().isCurrent()) {
            return false;
        }
        if (queue != null) {
            client.silence(queue.limitNs()).end(this);
        }
        if (connection.isOpen()) {
            connection.reset();
        } else {
            connection.close(); // releases what no turn has taken
        }
        return false;
    }

    @Override
    public String toString() {
        return "messages of " + client.arrival;
    }
}
