package dev.ropewalk.actors.internal.mailbox;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Messages by their priority, the highest first, and those of one priority in the order of their
 * arrival. Nothing moves across a stop, a DOWN or a trapped exit: each of them closes a section,
 * and the priority counts within a section only. An item that is put back comes before all others.
 *
 * <p>A selective receive looks at the messages in the order in which they would be received. The
 * messages that it does not take stay where they are, so it costs a look at each; a mailbox by
 * arrival keeps them by their class instead. To look at what is new only, it keeps a set of that
 * while it waits.
 *
 * <p>Everything in it is an envelope or a stop, so it is equal to itself only.
 *
 * <p>Rejected: a heap with a number for each message. It has no order to look through, and a
 * program has few priorities.
 */
public final class RankedMailbox extends Mailbox {
    /** The items that came between two barriers. */
    private static final class Section {
        /** By priority, the highest first; no queue is empty. */
        final TreeMap<Integer, ArrayDeque<Object>> levels =
                new TreeMap<>(Comparator.reverseOrder());

        /** The item that closes it; null while it is open. */
        @Nullable Object barrier;
    }

    /** The items that were put back. */
    private final ArrayDeque<Object> front = new ArrayDeque<>();

    /** The last one is open. */
    private final ArrayDeque<Section> sections = new ArrayDeque<>();

    private int size;

    /** The items that came since a selective receive looked at all; null if none waits. */
    private @Nullable Set<Object> news;

    public RankedMailbox(Object owner, int maxQueued) {
        super(owner, maxQueued);
        sections.add(new Section());
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    void add(Object item) {
        if (item instanceof Placed placed) {
            placed.arrival = arrived();
        } else if (item instanceof Envelope.Adapted<?> adapted) {
            adapted.arrival = arrived();
        }
        Section open = sections.getLast();
        if (Envelope.isBarrier(item)) {
            open.barrier = item;
            sections.addLast(new Section());
        } else {
            open.levels
                    .computeIfAbsent(Placed.priority(item), _ -> new ArrayDeque<>())
                    .addLast(item);
        }
        if (news != null) {
            news.add(item);
        }
        added(item);
    }

    @Override
    public void addFirst(Object item) {
        front.addFirst(item);
        added(item);
    }

    private void added(Object item) {
        size++;
        noteAdded(item);
        if (size >= REPORT_FROM && Integer.bitCount(size) == 1) {
            reportGrowth(size, "holds");
        }
    }

    @Override
    public @Nullable Object poll() {
        news = null;
        Object item = pollAny();
        while (item != null && hasExempt() && Envelope.isVoid(item)) {
            noteVoid(1);
            item = pollAny();
        }
        return noteTaken(item);
    }

    private @Nullable Object pollAny() {
        Object item = front.pollFirst();
        Section first = firstInUse();
        if (item == null && !first.levels.isEmpty()) {
            ArrayDeque<Object> highest = first.levels.firstEntry().getValue();
            item = highest.removeFirst();
            if (highest.isEmpty()) {
                first.levels.pollFirstEntry();
            }
        } else if (item == null && first.barrier != null) {
            item = first.barrier;
            sections.removeFirst();
        }
        size -= item == null ? 0 : 1;
        return item;
    }

    /** Those that are empty, and whose barrier was received ahead of them, are over. */
    private Section firstInUse() {
        Section first = sections.getFirst();
        while (first.levels.isEmpty() && first.barrier == null && sections.size() > 1) {
            sections.removeFirst();
            first = sections.getFirst();
        }
        return first;
    }

    /** The oldest of the lowest priority, behind as many barriers as there are. */
    @Override
    public Object displaced() {
        for (Section section : (Iterable<Section>) sections::descendingIterator) {
            for (ArrayDeque<Object> level : section.levels.descendingMap().values()) {
                for (Object item : level) {
                    if (!Envelope.isExempt(item)) {
                        take(item);
                        return item;
                    }
                }
            }
        }
        throw new IllegalStateException("nothing to displace in " + this);
    }

    // ---------------------------------------------------------------- selective receive

    @Override
    public @Nullable Object poll(Class<?> type) {
        Object item = poll((Object queued) -> PassedOver.fits(type, queued));
        news = null;
        return item;
    }

    @Override
    public @Nullable Object poll(Predicate<Object> wanted) {
        news = Collections.newSetFromMap(new IdentityHashMap<>());
        Object item = first(inOrder(), wanted);
        return item == null ? pollNew(wanted) : item;
    }

    /** Also what the user's code tells the actor while it is asked. */
    @Override
    public @Nullable Object pollNew(Predicate<Object> wanted) {
        Set<Object> came = news;
        if (came == null) {
            return poll(wanted); // the receive began before this mailbox was there
        }
        Object item = null;
        while (item == null && !came.isEmpty()) {
            Set<Object> unseen = came;
            came = Collections.newSetFromMap(new IdentityHashMap<>());
            news = came;
            item = first(inOrder().stream().filter(unseen::contains).toList(), wanted);
        }
        return item;
    }

    @Override
    public void remove(Placed.Renewable item) {
        take(item);
    }

    /** Takes out the first that passes. The user's code that is asked may add and displace some. */
    private @Nullable Object first(List<Object> items, Predicate<Object> wanted) {
        for (Object item : items) {
            if (hasExempt() && Envelope.isVoid(item)) {
                if (take(item)) {
                    noteVoid(1);
                }
            } else if (wanted.test(item) && take(item)) {
                news = null; // the wait is over
                return noteTaken(item);
            }
        }
        return null;
    }

    /** As they would be received. */
    private List<Object> inOrder() {
        List<Object> items = new ArrayList<>(size);
        items.addAll(front);
        for (Section section : sections) {
            section.levels.values().forEach(items::addAll);
            if (section.barrier != null) {
                items.add(section.barrier);
            }
        }
        return items;
    }

    /** False if it is not there any more. */
    private boolean take(Object item) {
        boolean isRemoved = front.remove(item) || removeFromSections(item);
        size -= isRemoved ? 1 : 0;
        return isRemoved;
    }

    private boolean removeFromSections(Object item) {
        boolean isBarrier = Envelope.isBarrier(item);
        boolean isRemoved = false;
        for (Section section : sections) {
            if (isBarrier ? section.barrier == item : removeFrom(section, item)) {
                if (isBarrier) {
                    section.barrier = null; // what stood behind it stays behind
                }
                isRemoved = true;
                break;
            }
        }
        if (isRemoved) {
            dropEmpty();
        }
        return isRemoved;
    }

    /** Otherwise a section would be left of each DOWN that a selective receive took. */
    private void dropEmpty() {
        Section open = sections.getLast();
        sections.removeIf(each -> each != open && each.levels.isEmpty() && each.barrier == null);
    }

    private static boolean removeFrom(Section section, Object item) {
        Integer priority = Placed.priority(item);
        ArrayDeque<Object> level = section.levels.get(priority);
        boolean isRemoved = level != null && level.remove(item);
        if (isRemoved && Objects.requireNonNull(level).isEmpty()) {
            section.levels.remove(priority);
        }
        return isRemoved;
    }

    // ---------------------------------------------------------------- looking

    int sections() {
        return sections.size();
    }

    @Override
    long oldestNumber() {
        long oldest = arrived();
        for (Object item : inOrder()) {
            oldest = Math.min(oldest, arrival(item));
        }
        return oldest;
    }

    /** Those that were put back, and stops, have none. */
    private static long arrival(Object item) {
        return switch (item) {
            case Placed placed -> placed.arrival;
            case Envelope.Adapted<?> adapted -> adapted.arrival;
            default -> Long.MAX_VALUE;
        };
    }

    @Override
    int stops() {
        return (int) inOrder().stream().filter(item -> item == Stop.STOP).count();
    }

    @Override
    void addContents(List<Object> contents, int max) {
        for (Object item : inOrder()) {
            if (contents.size() == max) {
                return;
            }
            if (item != Stop.STOP) {
                contents.add(Envelope.content(item));
            }
        }
    }

    @Override
    int checkAndCountExempt() {
        List<Object> items = inOrder();
        if (items.size() != size) {
            throw new IllegalStateException("size=" + size + " != " + items.size() + " in " + this);
        }
        for (Section section : sections) {
            if (section.levels.values().stream().anyMatch(ArrayDeque::isEmpty)) {
                throw new IllegalStateException("an empty level in " + this);
            }
        }
        if (sections.getLast().barrier != null) {
            throw new IllegalStateException("the last section is closed in " + this);
        }
        return (int) items.stream().filter(Envelope::isExempt).count();
    }
}
