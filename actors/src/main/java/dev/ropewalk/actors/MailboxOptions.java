package dev.ropewalk.actors;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * How many messages an actor's mailbox holds, and the rule for messages beyond that; immutable.
 * Given to {@link Actor#mailbox}.
 *
 * <p>A bounded mailbox counts the messages that wait, queued or on their way from another cord, and
 * not the one that is being handled. A call that ends the actor needs no room and is never dropped:
 * {@link ActorRef#stop} keeps its place in the order. Messages without a sender need no room
 * either: those of a timer, a monitor, a link or a pipe.
 *
 * <p>A message that a selective receive has passed over still takes its room. So an actor whose
 * mailbox is full of messages that it does not receive at present never gets the one that it waits
 * for, if its senders wait for room: give it a mailbox large enough for the messages that it passes
 * over, or one without a bound. Two actors that wait for room in each other's mailboxes wait for
 * ever; give one of them another rule.
 */
public final class MailboxOptions {
    /** How many messages may be postponed unless the options say otherwise. */
    public static final int POSTPONED = 1_000;

    private static final MailboxOptions UNBOUNDED =
            new MailboxOptions(0, null, POSTPONED, Overflow.DROP_NEW);

    private final int capacity;

    /** Null if there is no bound. */
    private final @Nullable Overflow overflow;

    private final int postponed;
    private final Overflow postponedOverflow;

    private MailboxOptions(
            int capacity, @Nullable Overflow overflow, int postponed, Overflow postponedOverflow) {
        this.capacity = capacity;
        this.overflow = overflow;
        this.postponed = postponed;
        this.postponedOverflow = postponedOverflow;
    }

    /** {@return the default: senders never wait, and growth is logged from a million on} */
    public static MailboxOptions unbounded() {
        return UNBOUNDED;
    }

    /**
     * {@return a mailbox for that many messages, for whose room senders wait}
     *
     * @param capacity how many messages may wait, at least 1
     * @throws IllegalArgumentException if it is less
     */
    public static MailboxOptions bounded(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "capacity="
                            + capacity
                            + " < 1; a mailbox holds at least one message. To wait until a message"
                            + " was handled, ask for a reply");
        }
        return new MailboxOptions(capacity, Overflow.SUSPEND, POSTPONED, Overflow.DROP_NEW);
    }

    /**
     * {@return the same with another rule for messages that find no room}
     *
     * @param rule the rule
     * @throws IllegalStateException if there is no bound
     */
    public MailboxOptions withOverflow(Overflow rule) {
        Objects.requireNonNull(rule, "rule");
        if (overflow == null) {
            throw new IllegalStateException(
                    "an unbounded mailbox has no overflow=" + rule + "; begin with bounded(n)");
        }
        return new MailboxOptions(capacity, rule, postponed, postponedOverflow);
    }

    /**
     * {@return the same with another bound on the messages that a state {@linkplain
     * ActorContext#postpone postpones}, and another rule for messages beyond it} Unless it is set
     * the bound is {@value #POSTPONED}, and the rule {@link Overflow#DROP_NEW}. Messages of timers,
     * monitors, links and pipes count, and no rule drops those of timers, monitors and links.
     *
     * @param most how many messages may be postponed, 0 or more
     * @param rule {@link Overflow#DROP_NEW}: a message that finds as many postponed becomes a
     *     {@link DeadLetter}; {@link Overflow#DROP_OLD}: the oldest postponed one does; {@link
     *     Overflow#FAIL}: the actor fails on the message, and all that it has postponed are dead
     *     letters, because a restart that brought them back would fail again
     * @throws IllegalArgumentException if the bound is negative, or the rule is {@link
     *     Overflow#SUSPEND}: whatever told the message waits for it no longer
     */
    public MailboxOptions withPostponed(int most, Overflow rule) {
        Objects.requireNonNull(rule, "rule");
        if (most < 0) {
            throw new IllegalArgumentException("most=" + most + " < 0; 0 has none postponed");
        }
        if (rule == Overflow.SUSPEND) {
            throw new IllegalArgumentException(
                    "rule=SUSPEND: what told a postponed message waits for it no longer; use"
                            + " DROP_NEW, DROP_OLD or FAIL");
        }
        return new MailboxOptions(capacity, overflow, most, rule);
    }

    /** {@return whether there is a bound} */
    public boolean isBounded() {
        return overflow != null;
    }

    /** {@return how many messages may wait; {@code Integer.MAX_VALUE} without a bound} */
    public int capacity() {
        return overflow == null ? Integer.MAX_VALUE : capacity;
    }

    /** {@return what happens to a message that finds no room; null without a bound} */
    public @Nullable Overflow overflow() {
        return overflow;
    }

    /** {@return how many messages may be postponed} */
    public int maxPostponed() {
        return postponed;
    }

    /** {@return what happens when one more is postponed} */
    public Overflow postponedOverflow() {
        return postponedOverflow;
    }

    @Override
    public String toString() {
        boolean isUsual = postponed == POSTPONED && postponedOverflow == Overflow.DROP_NEW;
        return (overflow == null ? "unbounded" : "bounded(" + capacity + ", " + overflow + ")")
                + (isUsual ? "" : " postponed(" + postponed + ", " + postponedOverflow + ")");
    }
}
