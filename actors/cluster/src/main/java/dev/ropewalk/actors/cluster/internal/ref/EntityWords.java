package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.session.Frame;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.actors.cluster.internal.wire.Text;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * The words of this node to the entities of the other one, in one session: by kind and key, because
 * the sender knows no actor. For any thread.
 */
public final class EntityWords {
    private final Home home;
    private final Conversation of;
    private final Addresses addresses;
    private volatile boolean isRetired;

    EntityWords(Home home, Conversation of, Addresses addresses) {
        this.home = home;
        this.of = of;
        this.addresses = addresses;
    }

    /** Lets a frame into the session at a moment of its own; it is encoded before. */
    @FunctionalInterface
    public interface Gate {
        /**
         * Sends, or says that it was not sent.
         *
         * @param with the other end of the session
         */
        Sent through(Conversation with, Supplier<Sent> sending);
    }

    /**
     * A message to an entity with the contexts of its sender, which go with it to each owner that
     * it is sent to, and over each thread on the way. Made only where there is one of them.
     *
     * @param message of the program
     * @param ofNode its sender's context on the way to another node; null if it has none
     * @param ofSystem its sender's context within this process; null if it has none
     */
    public record InContext(Object message, @Nullable String ofNode, @Nullable Object ofSystem) {
        /** The message of an item that may have a context. */
        public static Object message(Object item) {
            return item instanceof InContext(Object message, _, _) ? message : item;
        }
    }

    /** Never waits. The message may be one {@link InContext}; another one has none. */
    public Sent tryTell(EntityName to, Object message, ActorRef<?> address, Gate gate) {
        return home.frames()
                .with(
                        frame -> {
                            Frame made = tellEntity(frame, to, message);
                            return gate.through(
                                    of, () -> of.session().trySend(made, message, address));
                        });
    }

    /** Waits for room. */
    public Sent tellAndWait(EntityName to, Object message, ActorRef<?> address) {
        Frame.Copy waits = home.frames().with(frame -> tellEntity(frame, to, message).copy());
        return of.session().send(waits, message, address, Long.MAX_VALUE);
    }

    private Frame tellEntity(Frame frame, EntityName to, Object message) {
        String context = message instanceof InContext sent ? sent.ofNode() : null;
        return entity(frame.begin(FrameType.TELL_ENTITY, context), to)
                .message(InContext.message(message), addresses);
    }

    private static Frame entity(Frame frame, EntityName to) {
        to.write(frame.out());
        return frame;
    }

    /** A word of the library, which is as small as a message. Never waits. */
    public Sent letter(
            EntityName to,
            Resent letter,
            Consumer<Output> content,
            ActorRef<?> address,
            Gate gate) {
        return home.frames()
                .with(
                        frame -> {
                            entity(frame.begin(FrameType.LETTER), to);
                            content.accept(frame.out());
                            return gate.through(
                                    of, () -> of.session().trySend(frame, letter, address));
                        });
    }

    /** Never waits. The ask is open from here on, and over if it was not sent. */
    public Sent tryAsk(EntityName to, RoutedAsk<?> ask, Gate gate) {
        return asked(
                ask,
                id ->
                        home.frames()
                                .with(
                                        frame -> {
                                            Frame made = ask(frame, to, id, ask);
                                            return gate.through(
                                                    of,
                                                    () -> of.session().trySend(made, null, null));
                                        }));
    }

    /** Waits for room within the limit. */
    public Sent askAndWait(EntityName to, RoutedAsk<?> ask) {
        return asked(
                ask,
                id -> {
                    Frame.Copy waits = home.frames().with(f -> ask(f, to, id, ask).copy());
                    return of.session().send(waits, null, null, ask.leftNanos());
                });
    }

    private Sent asked(RoutedAsk<?> ask, LongFunction<Sent> sending) {
        long id = of.asks().openLater(ask);
        ask.sentIn(of);
        boolean isSent = false;
        try {
            Sent sent = sending.apply(id);
            isSent = sent == Sent.YES;
            return sent;
        } finally {
            if (isSent) {
                ask.sent(of);
            } else {
                of.asks().close(id);
            }
        }
    }

    private Frame ask(Frame frame, EntityName to, long id, RoutedAsk<?> ask) {
        return entity(frame.begin(FrameType.ASK_ENTITY, ask.context()), to)
                .number(id)
                .limit(ask.leftNanos())
                .message(ask.message(), addresses.ofQuestion(ask));
    }

    /**
     * The other node answers behind all that it says of what was sent before. Of that shard it may
     * take messages again, if some have come back.
     */
    public Sent fence(long id, String kind, int shard) {
        return of.sendAtOnce(
                frame -> {
                    frame.begin(FrameType.FENCE).number(id).number(shard);
                    Text.write(frame.out(), kind);
                    return frame;
                });
    }

    /** This node has no entity any more; the other one answers as to a fence. */
    public Sent retire(long id) {
        return of.sendAtOnce(frame -> frame.begin(FrameType.RETIRED).number(id));
    }

    /** The other node takes no entity in this session any more. From any thread. */
    public boolean isRetired() {
        return isRetired;
    }

    void retires() {
        isRetired = true;
    }

    /** The parts that all addresses of this node share. */
    public Home home() {
        return home;
    }
}
