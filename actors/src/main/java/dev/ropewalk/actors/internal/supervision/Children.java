package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.supervision.Strategy;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * A supervisor's children in start order: a list linked through the children themselves, confined
 * to the supervisor's cord. A child keeps its place across restarts.
 */
final class Children {
    private @Nullable Child oldest;
    private @Nullable Child youngest;
    private int size;

    /** At the end of the list; it stands in none. */
    void add(Child child) {
        child.older = youngest;
        if (youngest == null) {
            oldest = child;
        } else {
            youngest.younger = child;
        }
        youngest = child;
        size++;
    }

    /** The other one takes its place. */
    void replace(Child child, Child other) {
        Child before = child.older;
        Child after = child.younger;
        other.older = before;
        other.younger = after;
        if (before == null) {
            oldest = other;
        } else {
            before.younger = other;
        }
        if (after == null) {
            youngest = other;
        } else {
            after.older = other;
        }
        child.older = null;
        child.younger = null;
    }

    /** It stands in this list. */
    void remove(Child child) {
        Child before = child.older;
        Child after = child.younger;
        if (before == null) {
            oldest = after;
        } else {
            before.younger = after;
        }
        if (after == null) {
            youngest = before;
        } else {
            after.older = before;
        }
        child.older = null;
        child.younger = null;
        size--;
    }

    /** The oldest first. */
    List<Child> toList() {
        List<Child> all = new ArrayList<>(size);
        for (Child child = oldest; child != null; child = child.younger) {
            all.add(child);
        }
        return all;
    }

    /**
     * The oldest first of those that are started again with this one; without those that are to end
     * for themselves.
     */
    List<Child> groupOf(Child failed, Strategy strategy) {
        List<Child> mayComeAgain = toList();
        mayComeAgain.removeIf(
                child ->
                        !(child.isAlive() || child.state() == Child.State.DOWN)
                                || child.departure() != null);
        return strategy.groupOf(failed, mayComeAgain);
    }

    @Nullable Child youngest() {
        return youngest;
    }

    int size() {
        return size;
    }

    void checkInvariants() {
        Child before = null;
        int count = 0;
        for (Child child = oldest; child != null; child = child.younger) {
            if (child.older != before || child.state() == Child.State.GONE) {
                throw new IllegalStateException("broken link before " + child);
            }
            before = child;
            count++;
        }
        if (before != youngest || count != size) {
            throw new IllegalStateException(
                    "youngest="
                            + youngest
                            + " size="
                            + size
                            + " but the list ends at "
                            + before
                            + " after "
                            + count);
        }
    }
}
