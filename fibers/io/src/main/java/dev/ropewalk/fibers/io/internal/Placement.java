package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * On which cord the next client is served: on one that has the fewest, in turn where several have
 * as few. Connections differ in how long they stay, so that a turn alone would let one cord have
 * the long ones.
 *
 * <p>Confined to the listener's cord.
 */
public final class Placement {
    private final List<Place> places = new ArrayList<>();

    /** Where the search begins, so that equals take turns. */
    private int next;

    /** Over these. */
    public Placement(List<Cord> cords) {
        cords.forEach(each -> places.add(new Place(each)));
    }

    /** A cord and its clients. */
    public static final class Place {
        public final Cord cord;

        /** Whose fiber has not ended. */
        private int clients;

        /** Of all of them; confined to the cord, and null before the first client is there. */
        private @Nullable SilenceLimit silence;

        private Place(Cord cord) {
            this.cord = cord;
        }

        /** On the cord. */
        public SilenceLimit silence(long limitNs) {
            SilenceLimit of = silence;
            if (of == null) {
                of = new SilenceLimit(limitNs);
                silence = of;
            }
            return of;
        }

        /** One of them has ended. */
        public void left() {
            clients--;
        }
    }

    /** Counts one more client there; null if all cords have ended. */
    public @Nullable Place take() {
        Place fewest = null;
        int index = 0;
        for (int i = 0; i < places.size(); i++) {
            int at = (next + i) % places.size();
            Place each = places.get(at);
            if (each.cord.isAlive() && (fewest == null || each.clients < fewest.clients)) {
                fewest = each;
                index = at;
            }
        }
        if (fewest != null) {
            fewest.clients++;
            next = (index + 1) % places.size();
        }
        return fewest;
    }

    /** For tests, and the end. */
    public void checkInvariants() {
        for (Place each : places) {
            if (each.clients < 0) {
                throw new IllegalStateException(each.cord + ": clients=" + each.clients + " < 0");
            }
        }
    }
}
