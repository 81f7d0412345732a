package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.routing.NoMembersException;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

/**
 * Of a message to many: one that refuses it keeps no other from it.
 *
 * <p>A full mailbox, and a router without members, is the recipient's affair: a dead letter says
 * so. Failures of a program's function, by which a router chooses or a probe answers, are mistakes:
 * the sender gets the first of them when all have been told, even if it is an {@code Error}. The
 * interrupt of a thread that waits for room is its own, and ends the telling, as the signals of
 * fibers do.
 */
public final class Refusals {
    private Refusals() {}

    /**
     * Takes what a tell has thrown.
     *
     * @param router what the dead letter names beside the actor; null for nothing
     * @param first what is to be thrown when all have been told, so far
     * @return the same, from now on
     */
    public static @Nullable Throwable add(
            @Nullable Throwable first,
            Throwable thrown,
            ActorRef<?> actor,
            Object message,
            @Nullable String router) {
        Waits.throwIfSignal(thrown);
        if (thrown instanceof WaitInterruptedException interrupted) {
            throw interrupted;
        }
        DeadLetter.Reason reason = reason(thrown);
        String name = router == null ? actor.toString() : actor + " by " + router;
        if (reason != null && isReported(actor, new DeadLetter(message, name, reason, thrown))) {
            return first;
        }
        if (first != null) {
            first.addSuppressed(thrown);
        }
        return first == null ? thrown : first;
    }

    /** All have been told. */
    public static void throwIfAny(@Nullable Throwable first) {
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
        if (first instanceof Error failure) {
            throw failure;
        }
    }

    /** Null if it is a mistake. */
    private static DeadLetter.@Nullable Reason reason(Throwable thrown) {
        if (thrown instanceof MailboxFullException) {
            return DeadLetter.Reason.REFUSED;
        }
        return thrown instanceof NoMembersException ? DeadLetter.Reason.NO_MEMBERS : null;
    }

    /** False if the actor has no system here. */
    private static boolean isReported(ActorRef<?> actor, DeadLetter letter) {
        if (actor.target() instanceof Routee<?> cell) {
            cell.deadLetters().report(letter);
            return true;
        }
        return actor.target().report(letter);
    }
}
