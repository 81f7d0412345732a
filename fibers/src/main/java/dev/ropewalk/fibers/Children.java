package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * A fiber's children, in the order they were entered: a list linked through the children
 * themselves, confined to the parent's cord (rule F7).
 */
final class Children {
    private @Nullable Fiber<?> first;
    private @Nullable Fiber<?> last;

    boolean isEmpty() {
        return first == null;
    }

    @Nullable Fiber<?> first() {
        return first;
    }

    void add(Fiber<?> child) {
        child.isIn = this;
        child.previousSibling = last;
        if (last == null) {
            first = child;
        } else {
            last.nextSibling = child;
        }
        last = child;
    }

    /** False, and no effect, if the child is not in this list: taken out already, or on its way. */
    boolean remove(Fiber<?> child) {
        if (child.isIn != this) {
            return false;
        }
        child.isIn = null;
        Fiber<?> before = child.previousSibling;
        Fiber<?> after = child.nextSibling;
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
        Fiber<?> before = null;
        for (Fiber<?> child = first; child != null; child = child.nextSibling) {
            if (child.previousSibling != before) {
                throw new IllegalStateException("broken link before " + child);
            }
            before = child;
        }
        if (before != last) {
            throw new IllegalStateException("last=" + last + " but the list ends at " + before);
        }
    }
}
