package dev.ropewalk.actors;

import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A supervisor's children in start order, each with its latest incarnation: a list linked through
 * the children themselves, confined to the supervisor's cord. A child keeps its place across
 * restarts.
 */
final class ChildCells {
    private @Nullable ActorCell<?> oldest;
    private @Nullable ActorCell<?> youngest;

    /** The next incarnation of a child, which comes to the end of the list if it is new. */
    void put(ActorCell<?> child, Fiber<?> incarnation) {
        if (child.incarnation == null) {
            child.olderSibling = youngest;
            if (youngest == null) {
                oldest = child;
            } else {
                youngest.youngerSibling = child;
            }
            youngest = child;
        }
        child.incarnation = incarnation;
    }

    /** No effect on a child that is not in the list. */
    void remove(ActorCell<?> child) {
        if (child.incarnation == null) {
            return;
        }
        ActorCell<?> older = child.olderSibling;
        ActorCell<?> younger = child.youngerSibling;
        if (older == null) {
            oldest = younger;
        } else {
            older.youngerSibling = younger;
        }
        if (younger == null) {
            youngest = older;
        } else {
            younger.olderSibling = older;
        }
        child.olderSibling = null;
        child.youngerSibling = null;
        child.incarnation = null;
    }

    /** The fiber of a child of this list. */
    static Fiber<?> incarnation(ActorCell<?> child) {
        return Objects.requireNonNull(child.incarnation, "incarnation");
    }

    /** Takes all out, the oldest first. */
    List<ActorCell<?>> takeAll() {
        List<ActorCell<?>> all = new ArrayList<>();
        for (ActorCell<?> child = oldest; child != null; child = oldest) {
            all.add(child);
            remove(child);
        }
        return all;
    }

    @Nullable ActorCell<?> youngest() {
        return youngest;
    }

    void checkInvariants() {
        ActorCell<?> older = null;
        for (ActorCell<?> child = oldest; child != null; child = child.youngerSibling) {
            if (child.olderSibling != older || child.incarnation == null) {
                throw new IllegalStateException("broken link before " + child);
            }
            older = child;
        }
        if (older != youngest) {
            throw new IllegalStateException(
                    "youngest=" + youngest + " but the list ends at " + older);
        }
    }
}
