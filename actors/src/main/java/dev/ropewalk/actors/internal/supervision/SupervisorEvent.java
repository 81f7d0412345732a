package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** The events that come to a supervisor, in order. */
public sealed interface SupervisorEvent {
    /** How far an incarnation came. */
    enum Phase {
        /** It had no turn: its cord has ended, or it was ended before. */
        NEVER_RAN,
        /** It failed in the first start of its actor. */
        FIRST_START,
        RAN,
        /** It was no incarnation: what a kept state had left to do was done. */
        STATE_ENDED
    }

    /** Take this as a child and start it; {@code start} is answered when it is up. */
    record Take(Child child, @Nullable Start start) implements SupervisorEvent {
        @Override
        public void refused() {
            child.supervisor().releaseName(child);
            refuse("its supervisor has ended");
        }

        void refuse(String why) {
            child.what.end(new ExitReason.Shutdown(why));
            if (start != null) {
                start.failed(why, null);
            }
        }
    }

    /** The start of an incarnation, of which the supervisor wants to know, is done. */
    record Started(Start start) implements SupervisorEvent {
        @Override
        public void refused() {
            // It ends with the supervisor.
        }
    }

    /**
     * An incarnation of the child is over; an actor that failed says what it was doing. {@code
     * start} is answered if it never was up. Its state may be kept, with end hooks that are left to
     * run if no other one follows; and its mailbox may be at its end, because nothing was queued
     * before a stop.
     */
    record Ended(
            Child child,
            Fiber<?> fiber,
            Phase phase,
            ExitReason reason,
            @Nullable FailureReport report,
            @Nullable Start start,
            boolean isStateLeft,
            boolean isAtEnd)
            implements SupervisorEvent {
        @Override
        public void refused() {
            child.what.end(reason);
            failStart();
        }

        /** Of what says nothing of itself: a supervisor, or what a kept state had left to do. */
        public Ended(
                Child child,
                Fiber<?> fiber,
                Phase phase,
                ExitReason reason,
                @Nullable Start start,
                boolean isStateLeft) {
            this(child, fiber, phase, reason, null, start, isStateLeft, false);
        }

        /** After the supervisor has forgotten the child: its name is free then. */
        void failStart() {
            if (start != null) {
                start.failed(reason);
            }
        }
    }

    /** The child could not be spun: try again, unless a stop came before. */
    record TryAgain(Child child) implements SupervisorEvent {
        @Override
        public void refused() {
            // It ended with the supervisor.
        }
    }

    /** A back-off is over. */
    record DelayOver() implements SupervisorEvent {
        @Override
        public void refused() {
            // It ended with the supervisor.
        }
    }

    /** The start takes as long as one may, unless it is done. */
    record StartLimit(Start start) implements SupervisorEvent {
        @Override
        public void refused() {
            // It ended with the supervisor.
        }
    }

    /** The child was asked to stop, and should have ended by now. */
    record StopLimit(Child child, Fiber<?> fiber) implements SupervisorEvent {
        @Override
        public void refused() {
            // It ended with the supervisor.
        }
    }

    /**
     * End what started, and do not start it again: it was not up in time, or its starter has ended.
     * The answer, if one is wanted, is null when that holds, or says why it had not begun.
     */
    record GiveUp(Start start, @Nullable WaitCell answer) implements SupervisorEvent {
        @Override
        public void refused() {
            if (answer != null) {
                answer.give(null);
            }
        }
    }

    /** End the child of this name; the answer is null, or an exception. */
    record StopChild(String id, WaitCell answer) implements SupervisorEvent {
        @Override
        public void refused() {
            answer.give(ended());
        }
    }

    /** Start the stopped child of this name. */
    record RestartChild(String id, Start start) implements SupervisorEvent {
        @Override
        public void refused() {
            start.failed("its supervisor has ended", null);
        }
    }

    /** Forget the stopped child of this name; the answer as of {@link StopChild}. */
    record RemoveChild(String id, WaitCell answer) implements SupervisorEvent {
        @Override
        public void refused() {
            answer.give(ended());
        }
    }

    /** Say which children there are. */
    record Tell(WaitCell answer) implements SupervisorEvent {
        @Override
        public void refused() {
            answer.give(List.of());
        }
    }

    /** Let the children come to the end of their mailboxes, then end. */
    record Drain() implements SupervisorEvent {
        @Override
        public void refused() {
            // Already ended.
        }
    }

    /** End the children in reverse order, then yourself. */
    record StopAll() implements SupervisorEvent {
        @Override
        public void refused() {
            // Already ended.
        }
    }

    /** The supervisor has ended and will not see this. */
    void refused();

    /** {@return whether a fiber or thread waits until the supervisor has done it} */
    default boolean isAwaited() {
        return switch (this) {
            case Take take -> take.start() != null;
            case GiveUp giveUp -> giveUp.answer() != null;
            case StopChild _, RestartChild _, RemoveChild _ -> true;
            default -> false;
        };
    }

    /**
     * {@return whether this is void once that incarnation is over} A stop is done then, a back-off
     * is over with what it delayed, and all children that are down are started in order.
     */
    default boolean isOfOneIncarnation() {
        return this instanceof StopAll || this instanceof DelayOver || this instanceof TryAgain;
    }

    /** {@return whether this would begin that start} */
    default boolean isOf(Start begun) {
        return switch (this) {
            case Take take -> take.start() == begun;
            case RestartChild restart -> restart.start() == begun;
            default -> false;
        };
    }

    private static IllegalArgumentException ended() {
        return new IllegalArgumentException("its supervisor has ended, and has no children");
    }
}
