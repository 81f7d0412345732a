package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;

/**
 * The code of an actor whose tells leave when the message in hand has completed, see {@link
 * Committing#holding}. They are kept among the {@link Requests} of the message, so they go with
 * them if it fails, and keep their order with replies that wait for the same.
 *
 * <p>While any such code runs, {@link Taps#onTells} is true, so nobody else looks for it.
 *
 * <p>Of one incarnation; confined to its fiber, but for {@link #over}.
 */
public final class Holding {
    private final Requests<?> requests;
    private final DeadLetters deadLetters;

    /** How many calls of such code, each within the one before. */
    private int depth;

    /** The fiber was told to end: what still has to leave waits for no room. */
    private boolean isEnding;

    Holding(Requests<?> requests, DeadLetters deadLetters) {
        this.requests = requests;
        this.deadLetters = deadLetters;
    }

    public <T extends @Nullable Object> T run(Callable<T> code) throws Exception {
        if (depth++ == 0) {
            Taps.holdingBegins();
        }
        try {
            return code.call();
        } finally {
            if (--depth == 0) {
                Taps.holdingEnds();
            }
        }
    }

    /** Its fiber is over; one that was given up never leaves the code, nor runs again. */
    public void over() {
        if (depth > 0) {
            depth = 0;
            Taps.holdingEnds();
        }
    }

    public boolean isOn() {
        return depth > 0;
    }

    public <M> void keep(Recipient<M> to, M message) {
        requests.afterwards(() -> send(to, message));
    }

    public void keepFailure(Recipient<?> to, Throwable failure) {
        requests.afterwards(() -> to.fail(failure));
    }

    /**
     * The message in hand has completed, so nothing that a single tell does may keep others back,
     * or fail the actor (rule A8).
     */
    private <M> void send(Recipient<M> to, M message) {
        if (isEnding) {
            sendNow(to, message);
            return;
        }
        try {
            to.tell(message);
        } catch (RuntimeException | Error failure) {
            if (Waits.isSignal(failure)) {
                isEnding = true;
                sendNow(to, message); // it was raised before anything was sent
                throw failure;
            }
            if (failure instanceof Error) {
                throw failure;
            }
            boolean isFull = failure instanceof MailboxFullException;
            report(
                    to,
                    message,
                    isFull ? DeadLetter.Reason.REFUSED : DeadLetter.Reason.FAILED,
                    failure);
        }
    }

    /** Never waits. */
    private <M> void sendNow(Recipient<M> to, M message) {
        try {
            TellResult result = to.tryTell(message);
            if (result != TellResult.ACCEPTED) {
                boolean isFull = result == TellResult.FULL;
                report(
                        to,
                        message,
                        isFull ? DeadLetter.Reason.REFUSED : DeadLetter.Reason.ENDED,
                        null);
            }
        } catch (RuntimeException failure) {
            report(to, message, DeadLetter.Reason.FAILED, failure);
        }
    }

    private void report(
            Recipient<?> to, Object message, DeadLetter.Reason reason, @Nullable Throwable cause) {
        deadLetters.report(new DeadLetter(message, to.toString(), reason, cause));
    }
}
