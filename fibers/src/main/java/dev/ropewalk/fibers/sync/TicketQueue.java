package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.spi.Exclusion;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives out tickets that are called one after the other, in the order in which they were taken: a
 * ticket is called when all earlier ones are done. So work that is done side by side can be brought
 * back into its order.
 *
 * <p>Everything done before {@link Ticket#done} happens before everything that follows the call of
 * the next ticket.
 */
public final class TicketQueue {
    /*
     * The tickets that are not done are a list through themselves, in the order of their numbers.
     * Invariant: the first of them is called, and no other.
     */
    private final Exclusion guard;
    private @Nullable Ticket first;
    private @Nullable Ticket last;
    private long taken;

    private TicketQueue(Exclusion guard) {
        this.guard = guard;
    }

    /** {@return a queue for fibers of any cord and plain threads} */
    public static TicketQueue shared() {
        return new TicketQueue(Exclusion.byLock());
    }

    /**
     * {@return a queue for the fibers of the current cord}
     *
     * @throws IllegalStateException if this thread is no cord
     */
    public static TicketQueue local() {
        return new TicketQueue(Exclusion.byCord("make it with TicketQueue.shared()"));
    }

    /**
     * Takes the next ticket. It is called at once if no earlier one is left. The current fiber, if
     * there is one, must see to it that the ticket is done. Never switches.
     *
     * @return the ticket
     * @throws WrongThreadException if the queue is local and another cord's
     */
    public Ticket take() {
        return take(1).getFirst();
    }

    /**
     * Takes the next tickets, without another caller's in between. Never switches.
     *
     * @param n how many
     * @return the tickets, in order
     * @throws IllegalArgumentException if n is less than 1
     * @throws WrongThreadException if the queue is local and another cord's
     */
    public List<Ticket> take(int n) {
        if (n < 1) {
            throw new IllegalArgumentException("n=" + n + " must be at least 1");
        }
        List<Ticket> tickets = new ArrayList<>(n);
        guard.enter(this);
        try {
            for (int i = 0; i < n; i++) {
                taken++;
                Ticket ticket = new Ticket(this, guard, taken);
                append(ticket);
                tickets.add(ticket);
            }
        } finally {
            guard.exit();
        }
        return tickets;
    }

    // ---------------------------------------------------------------- guarded

    private void append(Ticket ticket) {
        Ticket before = last;
        ticket.previous = before;
        last = ticket;
        if (before == null) {
            first = ticket;
            ticket.callFirst();
        } else {
            before.next = ticket;
        }
    }

    /** Takes out a ticket; returns the ticket that becomes the first by that, or null. */
    @Nullable Ticket remove(Ticket ticket) {
        Ticket before = ticket.previous;
        Ticket after = ticket.next;
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        ticket.previous = null;
        ticket.next = null;
        if (before != null) {
            before.next = after;
            return null;
        }
        first = after;
        return after;
    }

    /** For reports; only a hint. */
    String describeFirst() {
        Ticket called = first;
        return called == null ? "none is out" : "ticket " + called.number() + " is called";
    }

    /** Fails if its structures are broken; for tests. */
    void checkInvariants() {
        guard.enter(this);
        try {
            Ticket before = null;
            for (Ticket each = first; each != null; each = each.next) {
                each.checkInvariants(each == first);
                if (each.previous != before) {
                    throw new IllegalStateException("broken link at " + each);
                }
                before = each;
            }
            if (before != last) {
                throw new IllegalStateException("last=" + last + " but it ends at " + before);
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + " ticket queue @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}
