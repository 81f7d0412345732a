package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/**
 * Parties that wait, first in, first out; all of it inside the guard.
 *
 * <p>A party that gave up may still stand in its line for a moment; who meets it there finds its
 * wait over and takes the next.
 *
 * @param <E> what a party brings, or wants
 */
public final class WaitingLine<E> {
    private @Nullable Party<E> first;
    private @Nullable Party<E> last;

    /** An empty line. */
    public WaitingLine() {}

    /** {@return whether nobody stands here} */
    public boolean isEmpty() {
        return first == null;
    }

    /** {@return who stands here longest, though perhaps having given up; null if nobody} */
    public @Nullable Party<E> first() {
        return first;
    }

    /**
     * Puts the party at the end of the line.
     *
     * @param party stands in no line
     */
    public void add(Party<E> party) {
        party.line = this;
        party.previous = last;
        if (last == null) {
            first = party;
        } else {
            last.next = party;
        }
        last = party;
    }

    /**
     * Takes the party out wherever it stands; no effect if it does not stand here.
     *
     * @param party whom to take out
     */
    public void remove(Party<E> party) {
        if (party.line != this) {
            return;
        }
        Party<E> before = party.previous;
        Party<E> after = party.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        party.previous = null;
        party.next = null;
        party.line = null;
    }

    /**
     * Ends the wait of the first party that still waits, and takes it out. The caller wakes it when
     * it has left the guard.
     *
     * @param result what the party's wait returns
     * @return the party; null if nobody waits
     */
    public @Nullable Party<E> claimFirst(Object result) {
        for (Party<E> party = first; party != null; party = first) {
            remove(party);
            if (party.claim(result)) {
                return party;
            }
        }
        return null;
    }

    /** {@return how many stand here; counts them one by one} */
    public int size() {
        int size = 0;
        for (Party<E> party = first; party != null; party = party.next) {
            size++;
        }
        return size;
    }

    /** Fails if the links are broken; for tests. */
    public void checkInvariants() {
        Party<E> before = null;
        for (Party<E> party = first; party != null; party = party.next) {
            if (party.previous != before || party.line != this) {
                throw new IllegalStateException("broken link at " + party);
            }
            before = party;
        }
        if (before != last) {
            throw new IllegalStateException("last=" + last + " but the line ends at " + before);
        }
    }
}
