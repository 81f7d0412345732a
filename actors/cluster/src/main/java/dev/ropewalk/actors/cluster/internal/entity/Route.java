package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.ref.EntityWords.InContext;
import dev.ropewalk.actors.spi.Calls;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** The way of words to the entities of a kind. For any thread. */
public interface Route<M> {
    /** The name of the kind. */
    String kind();

    /** Of the supervisor that starts them, wherever they run. */
    String path();

    /** Whose senders they are. */
    ActorSystem system();

    /** Waits for room if there is a bound on the way, and the caller may wait. */
    void tell(EntityTarget<M> to, Object item);

    /** Never waits. */
    TellResult tryTell(EntityTarget<M> to, Object item);

    /**
     * Sends a question. A failure is one of the ask.
     *
     * @param mayWait for room
     */
    void ask(EntityTarget<M> to, Question<M, ?> question, boolean mayWait);

    /**
     * Runs the code with the actor that the key has now, null if it has none. Never waits.
     *
     * @param whenOver runs instead if nobody can tell
     */
    void with(EntityTarget<M> to, Consumer<? super @Nullable ActorRef<?>> code, Runnable whenOver);

    /**
     * The actor of the key ends; the next message starts another one. Never waits.
     *
     * @param how it is told
     */
    void end(EntityTarget<M> to, Consumer<ActorRef<?>> how);

    /**
     * {@return a message, a letter or a question with the contexts of its sender, who calls} It may
     * come back, and leaves by another thread then, so it takes them with it.
     *
     * @param ofNode the context on the way to another node; null if there is none
     */
    default Object inContext(Object item, @Nullable String ofNode) {
        Object ofSystem = Calls.contextHere(system());
        if (item instanceof Letter || (ofNode == null && ofSystem == null)) {
            return item;
        }
        if (item instanceof Question<?, ?> question) {
            question.ask().inContext(ofNode, ofSystem);
            return item;
        }
        return new InContext(item, ofNode, ofSystem);
    }

    /** The name of an entity for reports. */
    default String nameOf(String key) {
        return path() + "/" + EntityNames.name(key);
    }

    /** Nobody takes it: a message, or a {@link Question}. */
    default void refuse(
            String key, Object item, DeadLetter.Reason reason, @Nullable Throwable cause) {
        if (item instanceof Letter) {
            return; // it comes again
        }
        Object message = InContext.message(item);
        if (item instanceof Question<?, ?>(EntityAsk<?> ask, Object asked)) {
            message = asked;
            ask.failed(cause == null ? text(reason) : String.valueOf(cause.getMessage()), cause);
        }
        system().report(new DeadLetter(message, nameOf(key), reason, cause));
    }

    private static String text(DeadLetter.Reason reason) {
        return reason == DeadLetter.Reason.ENDED ? "its entities have been closed" : "" + reason;
    }
}
