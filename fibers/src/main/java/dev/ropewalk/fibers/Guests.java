package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The fibers of a cord whose parents are on other cords: they end with the cord too. An array in
 * which each knows its place, so that to come and to go costs no hash and no object; confined to
 * the cord.
 */
final class Guests {
    /** The place of a fiber that is no guest. */
    static final int NOWHERE = -1;

    private final ArrayList<Fiber<?>> all = new ArrayList<>();

    boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * Enters one that is no guest.
     *
     * @throws IllegalStateException if it is one: it would have two places, and leave one
     */
    void add(Fiber<?> guest) {
        if (guest.guestIndex != NOWHERE) {
            throw new IllegalStateException(
                    guest
                            + " is a guest of "
                            + guest.cord
                            + " already, at place "
                            + guest.guestIndex
                            + " of "
                            + all.size());
        }
        guest.guestIndex = all.size();
        all.add(guest);
    }

    /** The last one takes its place. */
    void remove(Fiber<?> guest) {
        int index = guest.guestIndex;
        guest.guestIndex = NOWHERE;
        Fiber<?> last = all.removeLast();
        if (last != guest) {
            all.set(index, last);
            last.guestIndex = index;
        }
    }

    /** See {@link FiberFamily#dropStacksBelow}. */
    void dropStacks() {
        for (int i = 0; i < all.size(); i++) {
            Fiber<?> guest = all.get(i);
            guest.dropStack();
            guest.dropStacksBelow();
        }
    }

    /** As they are now; what is done to them may end them. */
    List<Fiber<?>> copy() {
        return List.copyOf(all);
    }

    void checkInvariants() {
        for (int i = 0; i < all.size(); i++) {
            @Nullable Fiber<?> guest = all.get(i);
            if (guest.guestIndex != i) {
                throw new IllegalStateException(
                        "place=" + guest.guestIndex + " != " + i + " of guest " + guest);
            }
        }
    }
}
