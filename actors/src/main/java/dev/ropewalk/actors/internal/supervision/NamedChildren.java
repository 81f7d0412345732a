package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.supervision.ChildInfo;
import dev.ropewalk.actors.supervision.Strategy;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A supervisor's children, in start order and by name. A name is taken before its child is one, by
 * any thread, and is free when the child stands in no list; the list is confined to the
 * supervisor's cord.
 */
final class NamedChildren {
    private final SupervisorHost host;

    /** Of the supervisor. */
    private final String path;

    private final Children inOrder = new Children();

    /** Of which a program may have the name; written and read from anywhere. */
    private final ConcurrentHashMap<String, Supervised> names = new ConcurrentHashMap<>();

    NamedChildren(SupervisorHost host, String path) {
        this.host = host;
        this.path = path;
    }

    // ---------------------------------------------------------------- from any thread

    /** Before it is a child. */
    void reserve(Supervised child) {
        host.checkOpen(child);
        child.child().hasName = true;
        Supervised other = names.putIfAbsent(child.name(), child);
        if (other != null) {
            throw new IllegalArgumentException(
                    "the name "
                            + path
                            + "/"
                            + child.name()
                            + " is taken by "
                            + other
                            + (other.child().state() == Child.State.STOPPED
                                    ? ", which is STOPPED; restart or remove that one"
                                    : "; give another name, or none"));
        }
    }

    /** It did not become a child, or is none any more. */
    void release(Child child) {
        if (child.hasName) { // very many actors have none of their own
            names.remove(child.what.name(), child.what);
        }
    }

    /** {@return what is below this path, null if there is nothing} */
    @Nullable Supervised lookUp(String below) {
        int slash = below.indexOf('/');
        if (slash < 0) {
            return names.get(below);
        }
        Supervised first = names.get(below.substring(0, slash));
        return first == null ? null : first.lookUp(below.substring(slash + 1));
    }

    // ---------------------------------------------------------------- on the cord

    void add(Child child) {
        inOrder.add(child);
    }

    /** The other one has its place, and its name. */
    void replace(Child child, Child anew) {
        inOrder.replace(child, anew);
        anew.hasName = true;
        names.put(anew.what.name(), anew.what);
        child.state(child.state(), Child.State.GONE);
    }

    /** It stands in no list from now on. */
    void remove(Child child) {
        inOrder.remove(child);
        release(child);
        child.state(child.state(), Child.State.GONE);
    }

    /** The child of this name; null if there is none, or it is not taken yet. */
    @Nullable Child find(String id, OrderedStart order) {
        Supervised named = names.get(id);
        if (named == null) {
            return null;
        }
        Child child = named.child();
        return child.state() == Child.State.NEW && !order.contains(child) ? null : child;
    }

    IllegalArgumentException unknown(String id) {
        List<String> known = toList().stream().map(child -> child.what.name()).toList();
        return new IllegalArgumentException(
                "supervisor " + path + " has no child " + id + "; its children: " + known);
    }

    IllegalStateException notStopped(Child child, String what) {
        return new IllegalStateException(
                child
                        + " of "
                        + path
                        + " is not stopped, so it cannot be "
                        + what
                        + "; stop it first");
    }

    /** The oldest first. */
    List<Child> toList() {
        return inOrder.toList();
    }

    List<ChildInfo> infos() {
        return toList().stream().map(Child::info).toList();
    }

    /** See {@link Children#groupOf}. */
    List<Child> groupOf(Child failed, Strategy strategy) {
        return inOrder.groupOf(failed, strategy);
    }

    Children inOrder() {
        return inOrder;
    }

    @Nullable Child youngest() {
        return inOrder.youngest();
    }

    int size() {
        return inOrder.size();
    }

    void checkInvariants() {
        inOrder.checkInvariants();
        for (Child child : toList()) {
            Supervised named = names.get(child.what.name());
            boolean isNamed = child.spec != null;
            if (isNamed && named != child.what) {
                throw new IllegalStateException(
                        child + " of " + path + " lost its name to " + named);
            }
        }
    }
}
