package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Fiber;

import java.util.ArrayDeque;
import java.util.List;

/**
 * The resources of a {@link ResourcePool}, and how many of its places are taken. All of it inside
 * the guard.
 *
 * <p>Each resource takes a place from before it is made until after it was closed, so no more than
 * {@code max} are ever open:
 *
 * <pre>
 *   places = idle + orphans + lent + making + closing &lt;= max
 *   made   = idle + orphans + lent          + closing + closed
 * </pre>
 */
final class PoolState<R> {
    private final int max;

    /** The last one given back is lent first. */
    private final ArrayDeque<R> idle = new ArrayDeque<>();

    private final ArrayDeque<Orphan<R>> orphans = new ArrayDeque<>();
    private int lent;
    private int making;
    private int closing;
    private long made;
    private long closed;
    private boolean isClosed;

    /** The resource of a borrower that ended. */
    record Orphan<R>(R resource, Fiber<?> borrower) {}

    PoolState(int max) {
        this.max = max;
    }

    boolean canServe() {
        return !idle.isEmpty() || !orphans.isEmpty() || places() < max;
    }

    long places() {
        return (long) idle.size() + orphans.size() + lent + making + closing;
    }

    void serve(Loan<R> loan) {
        R kept = idle.pollFirst();
        Orphan<R> orphan = kept == null ? orphans.pollFirst() : null;
        if (kept != null) {
            lent++;
            loan.resource = kept;
            loan.state = Loan.State.LENT;
        } else if (orphan != null) {
            closing++;
            loan.orphan = orphan;
            loan.state = Loan.State.CLEARING;
        } else {
            making++;
            loan.state = Loan.State.MAKING;
        }
    }

    boolean cleared(Loan<R> loan) {
        closing--;
        closed++;
        making++;
        loan.state = Loan.State.MAKING;
        return true;
    }

    boolean refuse(Loan<R> loan) {
        making--;
        loan.state = Loan.State.REFUSED;
        return true;
    }

    /** False if the pool was closed meanwhile. */
    boolean begin(Loan<R> loan, R resource) {
        making--;
        made++;
        if (isClosed) {
            closing++;
            loan.state = Loan.State.REFUSED;
            return false;
        }
        lent++;
        loan.resource = resource;
        loan.state = Loan.State.LENT;
        return true;
    }

    /** False if there is nothing to do: it was discarded, and is closed by try-with-resources. */
    boolean end(Loan<R> loan, Loan.State to, String operation, List<R> toClose) {
        if (loan.state == Loan.State.DISCARDED && to == Loan.State.RETURNED) {
            return false;
        }
        R resource = loan.resource;
        if (loan.state != Loan.State.LENT || resource == null) {
            throw loan.misused(operation);
        }
        lent--;
        loan.resource = null;
        loan.state = to;
        if (isClosed || to == Loan.State.DISCARDED) {
            closing++;
            toClose.add(resource);
        } else {
            idle.addFirst(resource);
        }
        return true;
    }

    boolean lose(Loan<R> loan, Fiber<?> dead, List<R> toClose) {
        Orphan<R> orphan = loan.orphan;
        R resource = loan.resource;
        switch (loan.state) {
            case CLEARING -> {
                closing--;
                if (orphan == null) {
                    closed++; // abandoned while it closed it
                }
            }
            case MAKING -> making--;
            case LENT -> {
                lent--;
                orphan = resource == null ? null : new Orphan<>(resource, dead);
            }
            default -> {
                return false;
            }
        }
        loan.orphan = null;
        loan.resource = null;
        loan.state = Loan.State.LOST;
        if (orphan != null && isClosed) {
            closing++;
            toClose.add(orphan.resource());
        } else if (orphan != null) {
            orphans.add(orphan);
        }
        return true;
    }

    boolean closedOne() {
        closing--;
        closed++;
        return true;
    }

    /** Idle and orphaned resources are to be closed, and count as closing from now on. */
    void close(List<R> toClose, List<Orphan<R>> toClear) {
        isClosed = true;
        toClose.addAll(idle);
        idle.clear();
        toClear.addAll(orphans);
        orphans.clear();
        closing += toClose.size() + toClear.size();
    }

    boolean isClosed() {
        return isClosed;
    }

    int idle() {
        return idle.size();
    }

    int lent() {
        return lent;
    }

    long made() {
        return made;
    }

    long closed() {
        return closed;
    }

    void checkInvariants() {
        long open = (long) idle.size() + orphans.size() + lent + closing;
        boolean isNegative = lent < 0 || making < 0 || closing < 0;
        if (made != open + closed || places() > max || isNegative) {
            throw new IllegalStateException("made=" + made + " closed=" + closed + ": " + this);
        }
    }

    /** From any thread; only a hint. */
    @Override
    public String toString() {
        return (isClosed ? "closed, " : "")
                + lent
                + " lent, "
                + idle.size()
                + " idle, "
                + (making + closing + orphans.size())
                + " being made or closed"
                + (max == Integer.MAX_VALUE ? "" : " of " + max);
    }
}
