package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The entities that messages of a session came for lately, found by their bytes on the wire: to
 * read a name of two texts, and to look up its address, takes longer than all the rest of a
 * message. One place for each name, which a later name with the same place takes. Confined to the
 * cord.
 */
final class LateNames {
    private static final int PLACES = 1_024;

    /** A longer one is read each time, so that the memory is bounded. */
    private static final int MAX_BYTES = 128;

    private static final int LAST_BYTES = 8;

    /** Made by the first name. */
    private Known @Nullable [] places;

    /** A name that has come, and where it leads here. */
    static final class Known {
        private final byte[] bytes;
        private final EntityName name;
        private @Nullable ActorRef<?> here;

        private Known(byte[] bytes, EntityName name) {
            this.bytes = bytes;
            this.name = name;
        }

        EntityName name() {
            return name;
        }

        /** The address of this process's entity; null before it is asked for. */
        @Nullable ActorRef<?> here() {
            return here;
        }

        void here(ActorRef<?> address) {
            here = address;
        }
    }

    Known read(WireInput from) {
        int begin = from.position();
        Text.skip(from);
        Text.skip(from);
        int end = from.position();
        byte[] buffer = from.getBuffer();
        if (end - begin > MAX_BYTES) {
            return new Known(new byte[0], name(from, begin));
        }
        if (places == null) {
            places = new Known[PLACES];
        }
        int place = place(buffer, begin, end);
        Known there = places[place];
        if (there == null
                || !Arrays.equals(buffer, begin, end, there.bytes, 0, there.bytes.length)) {
            there = new Known(Arrays.copyOfRange(buffer, begin, end), name(from, begin));
            places[place] = there;
        }
        return there;
    }

    private static EntityName name(WireInput from, int begin) {
        from.setPosition(begin);
        return Addresses.entityName(from);
    }

    /** Of the last bytes, in which keys differ. */
    private static int place(byte[] buffer, int begin, int end) {
        int hash = end - begin;
        for (int i = Math.max(begin, end - LAST_BYTES); i < end; i++) {
            hash = 31 * hash + buffer[i];
        }
        return (hash ^ hash >>> 16) & PLACES - 1;
    }
}
