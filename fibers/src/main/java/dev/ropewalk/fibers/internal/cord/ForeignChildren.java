package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The fibers of a cord whose parents are on other cords: they end with the cord too. An array in
 * which each knows its place, so that to come and to go costs no hash and no object; confined to
 * the cord.
 */
public final class ForeignChildren {
    /** The place of a fiber that is no foreign child. */
    public static final int NOWHERE = -1;

    private final ArrayList<FiberImpl<?>> all = new ArrayList<>();

    boolean isEmpty() {
        return all.isEmpty();
    }

    /**
     * Enters one that is no foreign child.
     *
     * @throws IllegalStateException if it is one: it would have two places, and leave one
     */
    void add(FiberImpl<?> child) {
        if (child.foreignIndex != NOWHERE) {
            throw new IllegalStateException(
                    child
                            + " is a foreign child of "
                            + child.cord
                            + " already, at place "
                            + child.foreignIndex
                            + " of "
                            + all.size());
        }
        child.foreignIndex = all.size();
        all.add(child);
    }

    /** The last one takes its place. */
    void remove(FiberImpl<?> child) {
        int index = child.foreignIndex;
        child.foreignIndex = NOWHERE;
        FiberImpl<?> last = all.removeLast();
        if (last != child) {
            all.set(index, last);
            last.foreignIndex = index;
        }
    }

    /** See {@link FiberFamily#dropStacksBelow}. */
    void dropStacks() {
        for (int i = 0; i < all.size(); i++) {
            FiberImpl<?> child = all.get(i);
            child.dropStack();
            Abandonment.dropStacksBelow(child);
        }
    }

    /** As they are now, because calls on them may end them. */
    List<FiberImpl<?>> copy() {
        return List.copyOf(all);
    }

    void checkInvariants() {
        for (int i = 0; i < all.size(); i++) {
            @Nullable FiberImpl<?> child = all.get(i);
            if (child.foreignIndex != i) {
                throw new IllegalStateException(
                        "place=" + child.foreignIndex + " != " + i + " of foreign child " + child);
            }
        }
    }
}
