package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.internal.behavior.HasState;
import dev.ropewalk.actors.internal.behavior.StateBehavior;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.actors.internal.observe.CrashReports;
import dev.ropewalk.actors.observe.CrashReport;
import dev.ropewalk.fibers.internal.dump.Lines;

import org.jspecify.annotations.Nullable;

/**
 * What others see of an incarnation at one moment: dumps, inspectors, and crash reports. Whatever
 * the program's own objects say in it is redacted.
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
        return message == null ? null : Lines.of(reports().shown(message));
    }

    /** A stop is no message. */
    private @Nullable Object content() {
        return current == null || current == Stop.STOP ? null : Envelope.content(current);
    }

    /** What a program would call its state. */
    @Nullable Object userState() {
        Behavior<M> own = behavior instanceof StateBehavior<M> named ? named.handler() : behavior;
        return own instanceof HasState holder ? holder.state() : own;
    }

    private CrashReports reports() {
        return cell.core().crashReports;
    }

    /** It has failed with it. Runs the program's code, if it takes crash reports. */
    void reportCrash(Throwable failure) {
        CrashReports reports = reports();
        if (!reports.areWanted()) {
            return;
        }
        Object message = content();
        reports.tell(
                new CrashReport(
                        cell.ref().path(),
                        cell.ref().number(),
                        cell.cord().name(),
                        failure,
                        reports.shown(message),
                        message == null ? 0 : tries,
                        reports.shown(userState()),
                        stateName(),
                        cell.mailboxNow().messages(),
                        cell.restarts()));
    }
}
