package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.behavior.StateBehavior;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.actors.internal.observe.Redaction;
import dev.ropewalk.actors.internal.supervision.Restarts;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.spi.HasState;
import dev.ropewalk.fibers.internal.dump.ClassNames;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

/**
 * The view of an incarnation at one moment that others have: dumps, inspectors, and reports of
 * failures. The text of the program's own objects in it is redacted.
 *
 * @param behavior null before the first one
 * @param current the message in hand, or its envelope; null if there is none
 * @param tries how often that has been tried
 */
record Seen<M>(
        ActorCell<M> cell, @Nullable Behavior<M> behavior, @Nullable Object current, int tries) {
    /** Null if it has no name. */
    @Nullable String stateName() {
        return StateBehavior.nameOf(behavior);
    }

    /** The message in hand, as a line; null if there is none. */
    @Nullable String message() {
        Object message = content();
        return message == null ? null : Lines.of(redaction().shown(message));
    }

    /** The class of the message in hand, without its package; null if there is none. */
    @Nullable String messageType() {
        Object message = content();
        if (message == null) {
            return null;
        }
        String name = ClassNames.of(message.getClass());
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** A stop is no message. */
    private @Nullable Object content() {
        return current == null || current == Stop.STOP ? null : Envelope.content(current);
    }

    /** The object that a program would call its state. */
    @Nullable Object userState() {
        Behavior<M> own = behavior instanceof StateBehavior<M> named ? named.handler() : behavior;
        return own instanceof HasState holder ? holder.state() : own;
    }

    private Redaction redaction() {
        return cell.core().redaction;
    }

    /** It is over for that reason; null if that is no failure. Runs the program's redaction. */
    @Nullable FailureReport report(ExitReason reason) {
        Throwable failure = Restarts.failure(cell.ref(), reason);
        if (failure == null) {
            return null;
        }
        Object message = content();
        Object state = userState();
        @Nullable Object[] shown = new Object[2];
        Waits.asNoFiber(
                () -> {
                    shown[0] = redaction().shown(message);
                    shown[1] = redaction().shown(state);
                });
        return new FailureReport(
                cell.ref().path(),
                cell.ref().number(),
                cell.cord().name(),
                failure,
                shown[0],
                message == null ? 0 : tries,
                shown[1],
                stateName(),
                cell.mailboxNow().messages(),
                cell.restarts());
    }
}
