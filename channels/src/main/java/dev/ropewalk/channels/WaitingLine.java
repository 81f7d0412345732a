package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

/** Waiting senders or receivers, first in, first out; confined to the channel. */
final class WaitingLine<E> {
    private @Nullable Party<E> first;
    private @Nullable Party<E> last;

    boolean isEmpty() {
        return first == null;
    }

    void add(Party<E> party) {
        party.previous = last;
        party.isInLine = true;
        if (last == null) {
            first = party;
        } else {
            last.next = party;
        }
        last = party;
    }

    /** Takes the party out wherever it stands; no effect if it left already. */
    void remove(Party<E> party) {
        if (!party.isInLine) {
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
        party.isInLine = false;
    }

    /** Ends the wait of the first party that still waits; null if there is none. */
    @Nullable Party<E> claimFirst(Object result) {
        for (Party<E> party = first; party != null; party = first) {
            remove(party);
            if (party.claim(result)) {
                return party;
            }
        }
        return null;
    }

    void checkInvariants() {
        Party<E> before = null;
        for (Party<E> party = first; party != null; party = party.next) {
            if (party.previous != before || !party.isInLine) {
                throw new IllegalStateException("broken link at " + party);
            }
            before = party;
        }
        if (before != last) {
            throw new IllegalStateException("last=" + last + " but the line ends at " + before);
        }
    }
}
