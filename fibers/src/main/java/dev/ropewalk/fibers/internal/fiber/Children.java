package dev.ropewalk.fibers.internal.fiber;

import org.jspecify.annotations.Nullable;

/**
 * A fiber's children, in the order they were entered: a list linked through the children
 * themselves, confined to the parent's cord (rule F7).
 */
public final class Children {
    final FiberImpl<?> parent;
    private @Nullable FiberImpl<?> first;
    private @Nullable FiberImpl<?> last;

    /** The members that the parent's new fibers join at the moment; null if they join none. */
    public @Nullable ScopeMembers keeper;

    Children(FiberImpl<?> parent) {
        this.parent = parent;
    }

    boolean isEmpty() {
        return first == null;
    }

    @Nullable FiberImpl<?> first() {
        return first;
    }

    /**
     * Enters a child that is in no list: a second entry would break both.
     *
     * @throws IllegalStateException if it is in one
     */
    public void add(FiberImpl<?> child) {
        if (child.isIn != null) {
            throw secondEntry(child, child.isIn);
        }
        child.isIn = this;
        child.previousSibling = last;
        if (last == null) {
            first = child;
        } else {
            last.nextSibling = child;
        }
        last = child;
    }

    private IllegalStateException secondEntry(FiberImpl<?> child, Children isIn) {
        return new IllegalStateException(
                child
                        + " cannot be entered below "
                        + parent
                        + ": it is among the children of "
                        + isIn.parent
                        + " and must be taken out first");
    }

    /**
     * Takes the first child out, null if the list is empty: a loop over this comes to its end
     * whatever state the list is in.
     */
    @Nullable FiberImpl<?> poll() {
        FiberImpl<?> child = first;
        if (child != null) {
            first = child.nextSibling;
            if (first == null) {
                last = null;
            } else {
                first.previousSibling = null;
            }
            child.isIn = null;
            child.previousSibling = null;
            child.nextSibling = null;
        }
        return child;
    }

    /** False, and no effect, if the child is not in this list: taken out already, or on its way. */
    public boolean remove(FiberImpl<?> child) {
        if (child.isIn != this) {
            return false;
        }
        child.isIn = null;
        FiberImpl<?> before = child.previousSibling;
        FiberImpl<?> after = child.nextSibling;
        if (before == null) {
            first = after;
        } else {
            before.nextSibling = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previousSibling = before;
        }
        child.previousSibling = null;
        child.nextSibling = null;
        return true;
    }

    void checkInvariants() {
        FiberImpl<?> before = null;
        for (FiberImpl<?> child = first; child != null; child = child.nextSibling) {
            if (child.isIn != this || child.previousSibling != before) {
                throw new IllegalStateException("broken link before " + child + " below " + parent);
            }
            before = child;
        }
        if (before != last) {
            throw new IllegalStateException("last=" + last + " but the list ends at " + before);
        }
    }
}
