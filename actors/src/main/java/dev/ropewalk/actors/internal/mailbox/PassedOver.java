package dev.ropewalk.actors.internal.mailbox;

import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The messages of a mailbox that selective receives have passed over, oldest first, and the same by
 * their class, so that a receive by type looks at one message of each class and not at all of them.
 * Confined to the actor's cord.
 *
 * <p>Each message stands in two lists: that of all, and that of its class. Its number tells which
 * of two is older.
 */
public final class PassedOver {
    private static final class Node {
        final Object item;
        final long number;
        final Line line;

        /** Which it was of all that came to the mailbox. */
        final long arrival;

        boolean isRemoved;

        @Nullable Node older;
        @Nullable Node younger;

        @Nullable Node olderInLine;
        @Nullable Node youngerInLine;

        Node(Object item, long number, Line line, long arrival) {
            this.arrival = arrival;
            this.item = item;
            this.number = number;
            this.line = line;
        }
    }

    /** The messages of one class. */
    private static final class Line {
        final Class<?> type;
        @Nullable Node oldest;
        @Nullable Node youngest;

        Line(Class<?> type) {
            this.type = type;
        }
    }

    private final Map<Class<?>, Line> lines = new HashMap<>();
    private @Nullable Node oldest;
    private @Nullable Node youngest;
    private int size;
    private long lowest;
    private long highest;

    int size() {
        return size;
    }

    /** There is one. */
    long oldestNumber() {
        return oldest == null ? 0 : oldest.arrival;
    }

    /**
     * Whether a receive by type takes it; also a stop, wherever it stands, and what cannot be
     * opened: the actor then fails on it, as on any message.
     */
    public static boolean fits(Class<?> type, Object item) {
        if (item == Stop.STOP) {
            return true;
        }
        try {
            return type.isInstance(Envelope.open(item));
        } catch (Throwable broken) {
            return isBroken(broken);
        }
    }

    void add(Object item, long arrival) {
        Node node = new Node(item, ++highest, lineOf(item), arrival);
        node.older = youngest;
        if (youngest == null) {
            oldest = node;
        } else {
            youngest.younger = node;
        }
        youngest = node;
        Line line = node.line;
        node.olderInLine = line.youngest;
        if (line.youngest == null) {
            line.oldest = node;
        } else {
            line.youngest.youngerInLine = node;
        }
        line.youngest = node;
        size++;
    }

    void addFirst(Object item) {
        long arrival = oldest == null ? 0 : oldest.arrival;
        Node node = new Node(item, --lowest, lineOf(item), arrival);
        node.younger = oldest;
        if (oldest == null) {
            youngest = node;
        } else {
            oldest.older = node;
        }
        oldest = node;
        Line line = node.line;
        node.youngerInLine = line.oldest;
        if (line.oldest == null) {
            line.youngest = node;
        } else {
            line.oldest.olderInLine = node;
        }
        line.oldest = node;
        size++;
    }

    @Nullable Object poll() {
        return oldest == null ? null : remove(oldest);
    }

    /** The oldest of the type. */
    @Nullable Object poll(Class<?> type) {
        Node found = null;
        for (Line line : List.copyOf(lines.values())) {
            Node first = line.oldest;
            if (first == null) {
                continue; // emptied while the user's code looked at another one
            }
            if ((found == null || first.number < found.number) && fits(type, first.item)) {
                found = first;
            }
        }
        return found == null || found.isRemoved ? null : remove(found);
    }

    @Nullable Object poll(Predicate<Object> wanted) {
        // A message that the user's code tells its own actor may displace some of them.
        for (Node node : toList()) {
            if (!node.isRemoved && wanted.test(node.item) && !node.isRemoved) {
                return remove(node);
            }
        }
        return null;
    }

    /** Takes out what was revoked meanwhile; returns how many that were. */
    int removeVoid() {
        int before = size;
        for (Node node = oldest; node != null; node = node.younger) {
            if (Envelope.isVoid(node.item)) {
                remove(node);
            }
        }
        return before - size;
    }

    private List<Node> toList() {
        List<Node> all = new ArrayList<>(size);
        for (Node node = oldest; node != null; node = node.younger) {
            all.add(node);
        }
        return all;
    }

    private Line lineOf(Object item) {
        return lines.computeIfAbsent(typeOf(item), Line::new);
    }

    private static Class<?> typeOf(Object item) {
        try {
            return Envelope.open(item).getClass();
        } catch (Throwable broken) {
            isBroken(broken);
            return Envelope.class; // which each receive by type takes
        }
    }

    /** True, unless it is what ends the fiber, which goes on. */
    public static boolean isBroken(Throwable thrown) {
        Waits.throwIfSignal(thrown);
        return true;
    }

    private Object remove(Node node) {
        node.isRemoved = true;
        if (node.older == null) {
            oldest = node.younger;
        } else {
            node.older.younger = node.younger;
        }
        if (node.younger == null) {
            youngest = node.older;
        } else {
            node.younger.older = node.older;
        }
        Line line = node.line;
        if (node.olderInLine == null) {
            line.oldest = node.youngerInLine;
        } else {
            node.olderInLine.youngerInLine = node.youngerInLine;
        }
        if (node.youngerInLine == null) {
            line.youngest = node.olderInLine;
        } else {
            node.youngerInLine.olderInLine = node.olderInLine;
        }
        if (line.oldest == null) {
            lines.remove(line.type); // otherwise classes that never come again stay
        }
        size--;
        return node.item;
    }

    void addTo(List<Object> contents, int max) {
        for (Node node = oldest; node != null && contents.size() < max; node = node.younger) {
            if (node.item != Stop.STOP) {
                contents.add(Envelope.content(node.item));
            }
        }
    }

    /** One that was put back stands among them. */
    int stops() {
        int stops = 0;
        for (Node node = oldest; node != null; node = node.younger) {
            stops += node.item == Stop.STOP ? 1 : 0;
        }
        return stops;
    }

    /** Returns how many are exempt. */
    int checkInvariants() {
        int exempt = 0;
        int count = 0;
        for (Node node = oldest; node != null; node = node.younger) {
            if (node.younger != null
                    && (node.younger.older != node || node.younger.number <= node.number)) {
                throw new IllegalStateException("broken link behind " + node.item);
            }
            count++;
            exempt += Envelope.isExempt(node.item) ? 1 : 0;
        }
        int inLines = 0;
        for (Iterator<Line> i = lines.values().iterator(); i.hasNext(); ) {
            Line line = i.next();
            if (line.oldest == null) {
                throw new IllegalStateException("the line of " + line.type + " is empty");
            }
            for (Node node = line.oldest; node != null; node = node.youngerInLine) {
                inLines++;
            }
        }
        if (count != size || inLines != size) {
            throw new IllegalStateException(
                    "size=" + size + " but " + count + " in order and " + inLines + " by class");
        }
        return exempt;
    }
}
