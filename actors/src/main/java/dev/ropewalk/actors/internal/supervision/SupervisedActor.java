package dev.ropewalk.actors.internal.supervision;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.MailboxSnapshot;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** An actor as its supervisor sees it, and the supervisor of its own actors. */
public interface SupervisedActor<M> extends Supervised {
    ActorRef<M> ref();

    /** How long it may take to stop; for its own actors too. */
    Duration stopLimit();

    /** {@return what is in its mailbox; null if its cord does not answer within the limit} */
    @Nullable MailboxSnapshot mailbox(long limitNanos);

    /**
     * The supervisor of its own actors is over.
     *
     * @param isDrained whether they have ended by themselves, and not with it
     */
    void childrenOver(SupervisorCell below, boolean isDrained);
}
