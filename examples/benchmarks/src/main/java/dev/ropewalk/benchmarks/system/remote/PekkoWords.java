package dev.ropewalk.benchmarks.system.remote;

import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.benchmarks.system.remote.Words.Note;

import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.serialization.JSerializer;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/** The words of {@link Words} with addresses of Pekko, and how Pekko puts them into bytes. */
final class PekkoWords {
    /** What the far actor gets. */
    sealed interface Word {}

    record Told(Note note) implements Word {}

    /** An answer is a note alone. */
    record Question(Note note, ActorRef<Note> replyTo) implements Word {
        static Question of(long value, ActorRef<Note> replyTo) {
            return new Question(Note.of(value), replyTo);
        }
    }

    record Total(ActorRef<Note> replyTo) implements Word {}

    private PekkoWords() {}

    /** Made by Pekko, by its name in the settings; a Kryo for each thread. */
    public static final class Bytes extends JSerializer {
        private static final int ID = 4_711;
        private static final byte TOLD = 1;
        private static final byte NOTE = 2;
        private static final byte QUESTION = 3;
        private static final byte TOTAL = 4;
        private static final Note NOTHING = new Note(0, new byte[0]);

        private final ThreadLocal<Kryos> kryos = ThreadLocal.withInitial(Kryos::new);
        private final ActorRefResolver addresses;

        public Bytes(ExtendedActorSystem system) {
            addresses = ActorRefResolver.get(Adapter.toTyped(system));
        }

        @Override
        public int identifier() {
            return ID;
        }

        @Override
        public boolean includeManifest() {
            return false;
        }

        @Override
        public byte[] toBinary(Object word) {
            return switch (word) {
                case Told(Note note) -> bytes(TOLD, note, null);
                case Note note -> bytes(NOTE, note, null);
                case Question(Note note, var replyTo) -> bytes(QUESTION, note, replyTo);
                case Total(var replyTo) -> bytes(TOTAL, NOTHING, replyTo);
                default -> throw new IllegalArgumentException("no word: " + word);
            };
        }

        /** A byte that says what it is, one for the length of the address, that, and the note. */
        private byte[] bytes(byte type, Note note, @Nullable ActorRef<?> replyTo) {
            Output written = kryos.get().write(note);
            byte[] address =
                    replyTo == null
                            ? new byte[0]
                            : addresses
                                    .toSerializationFormat(replyTo)
                                    .getBytes(StandardCharsets.ISO_8859_1);
            int noteAt = 2 + address.length;
            byte[] all = new byte[noteAt + written.position()];
            all[0] = type;
            all[1] = (byte) address.length;
            System.arraycopy(address, 0, all, 2, address.length);
            System.arraycopy(written.getBuffer(), 0, all, noteAt, written.position());
            return all;
        }

        @Override
        public Object fromBinaryJava(byte[] bytes, @Nullable Class<?> manifest) {
            int length = bytes[1] & 0xFF;
            int noteAt = 2 + length;
            Note note = kryos.get().read(bytes, noteAt, bytes.length - noteAt);
            return switch (bytes[0]) {
                case TOLD -> new Told(note);
                case NOTE -> note;
                case QUESTION -> new Question(note, address(bytes, length));
                default -> new Total(address(bytes, length));
            };
        }

        private ActorRef<Note> address(byte[] bytes, int length) {
            return addresses.resolveActorRef(
                    new String(bytes, 2, length, StandardCharsets.ISO_8859_1));
        }
    }
}
