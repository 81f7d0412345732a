package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** What comes to a supervisor, in order. */
sealed interface SupervisorEvent {
    /** How far an incarnation came. */
    enum Phase {
        /** It had no turn: its cord has ended, or it was ended before. */
        NEVER_RAN,
        /** It failed in the first start of its actor. */
        FIRST_START,
        RAN
    }

    /** Take this as a child and start it; {@code start} is answered when it is up. */
    record Take(Child child, @Nullable Start start) implements SupervisorEvent {
        @Override
        public void refused() {
            String why = "its supervisor has ended";
            child.what.end(new ExitReason.Shutdown(why));
            if (start != null) {
                start.failed(why, null);
            }
        }
    }

    /** End the child, and do not start it again. */
    record Remove(Child child) implements SupervisorEvent {
        @Override
        public void refused() {
            // It ended with the supervisor.
        }
    }

    /** An incarnation of the child is over. */
    record Ended(Child child, Fiber<?> fiber, Phase phase, ExitReason reason)
            implements SupervisorEvent {
        @Override
        public void refused() {
            child.what.end(reason);
        }
    }

    /** Let the children come to the end of their mailboxes, then end. */
    record Drain() implements SupervisorEvent {
        @Override
        public void refused() {
            // Already ended.
        }
    }

    /** Say which actors have not ended. */
    record Tell(WaitCell answer) implements SupervisorEvent {
        @Override
        public void refused() {
            answer.give(List.of());
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
}
