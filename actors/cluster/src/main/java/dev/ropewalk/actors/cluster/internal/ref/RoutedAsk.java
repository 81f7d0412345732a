package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.Recipient;

import org.jspecify.annotations.Nullable;

/**
 * An ask of an entity on its way through one session: it stands for the ask of the program, which
 * outlasts it if the question comes back.
 */
public final class RoutedAsk<R> extends RemoteAsk<R> {
    private final Asked<R> asked;

    /** Where it was sent; null before. */
    private volatile @Nullable Conversation sentIn;

    /** The session has taken it: it may be handled, also if the session ends. */
    private volatile boolean isSent;

    private volatile boolean isClosed;

    /**
     * The ask of the program.
     *
     * @param <R> the type of the reply
     */
    public interface Asked<R> {
        /** The address that the question has for the reply. */
        Recipient<R> address();

        /** The asker in words. */
        String asker();

        /** The context of the asker; null if it has none. */
        @Nullable String context();

        /** The time that is left. */
        long leftNs();

        /** From any thread; false if it is over. */
        boolean take(R reply);

        /** From any thread; false if it is over. */
        boolean fails(AskFailedException failure);

        /** The failure, in its words. */
        AskFailedException failure(String why, @Nullable Throwable cause);
    }

    /**
     * An ask on its way.
     *
     * @param entity the address that was asked
     */
    public RoutedAsk(Home home, ActorRef<?> entity, Asked<R> asked, Object question) {
        super(home, entity, asked.leftNs(), asked.asker());
        this.asked = asked;
        made(question);
    }

    void sentIn(Conversation of) {
        sentIn = of;
        if (isClosed) {
            of.asks().close(id());
        }
    }

    /** The session has taken it; and may be over by now. */
    void sent(Conversation of) {
        isSent = true;
        if (of.isOver() && of.asks().close(id()) != null) {
            fails(unreachable(of.peer()));
        }
    }

    /** Otherwise the caller hears that the session is over, and sends it to the next owner. */
    @Override
    boolean failsWithSession() {
        return isSent;
    }

    /** Nobody waits for it any more. From any thread, also before it is sent. */
    public void close() {
        isClosed = true;
        Conversation of = sentIn;
        if (of != null) {
            of.asks().close(id());
        }
    }

    public ActorRef<?> entity() {
        return target;
    }

    public Asked<R> asked() {
        return asked;
    }

    /** The question that was asked. */
    public Object question() {
        return message();
    }

    @Nullable String context() {
        return asked.context();
    }

    @Override
    Recipient<?> address() {
        return asked.address();
    }

    @Override
    boolean take(R reply) {
        return asked.take(reply);
    }

    @Override
    boolean fails(AskFailedException failure) {
        return asked.fails(failure);
    }

    @Override
    AskFailedException failed(String why, @Nullable Throwable cause) {
        return asked.failure(why, cause);
    }
}
