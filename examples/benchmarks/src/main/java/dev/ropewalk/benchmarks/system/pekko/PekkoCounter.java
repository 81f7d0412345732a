package dev.ropewalk.benchmarks.system.pekko;

import dev.ropewalk.benchmarks.measure.Sharing;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** A Pekko actor that adds up and tells its total when asked. */
final class PekkoCounter {
    /** What a counter gets. */
    sealed interface Message {}

    /** Adds to the total. From whose thread it comes is for {@link Sharing}. */
    record Add(long value, int from) implements Message {
        Add(long value) {
            this(value, Sharing.here());
        }
    }

    /** Asks for the total. */
    record Get(ActorRef<Total> replyTo) implements Message {}

    /** Replies to {@link Get}. */
    record Total(long value) {}

    private long total;

    private PekkoCounter() {}

    static Behavior<Message> create() {
        return Behaviors.setup(context -> Behaviors.receiveMessage(new PekkoCounter()::onMessage));
    }

    private Behavior<Message> onMessage(Message message) {
        switch (message) {
            case Add(long value, int from) -> {
                Sharing.received(from);
                total += value;
            }
            case Get(ActorRef<Total> replyTo) -> replyTo.tell(new Total(total));
        }
        return Behaviors.same();
    }
}
