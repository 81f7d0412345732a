package dev.ropewalk.actors;

import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

/** A message to a supervisor; it comes through its mailbox like any other. */
sealed interface SupervisorMessage {
    /** Take this actor as a child and start it. */
    record Start(ActorCell<?> child) implements SupervisorMessage {
        @Override
        public void refused() {
            child.endOnCord("its supervisor has ended");
        }
    }

    /** An incarnation of the child is over. */
    record Ended(ActorCell<?> child, Fiber<?> fiber, boolean started, @Nullable Throwable failure)
            implements SupervisorMessage {
        @Override
        public void refused() {
            child.endOnCord("its supervisor has ended");
        }
    }

    /** End the children in reverse order, then yourself. */
    record StopAll() implements SupervisorMessage {
        @Override
        public void refused() {
            // Already ended.
        }
    }

    /** The supervisor has ended and will not see this message. */
    void refused();
}
