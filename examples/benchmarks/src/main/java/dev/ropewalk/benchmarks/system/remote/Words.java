package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.Protocol;
import dev.ropewalk.benchmarks.scenario.Sizes;

/** The messages between the nodes, the same for all systems. */
final class Words {
    static final Protocol PROTOCOL = Protocol.of(Word.class, Note.class);

    /** What an actor of Ropewalk's other node gets. */
    sealed interface Word {}

    /** A number to be added; also the reply to a question. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Note(long value, byte[] payload) implements Word {
        static Note of(long value) {
            return new Note(value, new byte[Sizes.PAYLOAD]);
        }
    }

    /** Is answered with its number. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Question(long value, byte[] payload, Recipient<Note> replyTo) implements Word {
        static Question of(long value, Recipient<Note> replyTo) {
            return new Question(value, new byte[Sizes.PAYLOAD], replyTo);
        }
    }

    /** Asks for the sum of the notes, which begins anew then. */
    record Total(Recipient<Note> replyTo) implements Word {}

    private Words() {}
}
