package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.actors.cluster.internal.wire.Failures;
import dev.ropewalk.actors.spi.Calls;

import java.util.Objects;

/** An address of another node that is no actor's: an adapter, or that of an ask. */
final class OtherRecipient<R> implements Recipient<R> {
    private final Home home;
    private final Conversation of;
    private final long number;

    OtherRecipient(Home home, Conversation of, long number) {
        this.home = home;
        this.of = of;
        this.number = number;
    }

    @Override
    public void tell(R message) {
        Objects.requireNonNull(message, "message");
        if (Calls.holds(this, message)) {
            return;
        }
        switch (of.tellTo(number, message, this)) {
            case YES -> {}
            case FULL -> home.report(message, this, DeadLetter.Reason.REFUSED, null);
            case OVER -> home.report(message, this, DeadLetter.Reason.UNREACHABLE, null);
        }
    }

    @Override
    public TellResult tryTell(R message) {
        Objects.requireNonNull(message, "message");
        if (Calls.holds(this, message)) {
            return TellResult.ACCEPTED;
        }
        return switch (of.tryTellTo(number, message, this)) {
            case YES -> TellResult.ACCEPTED;
            case FULL -> TellResult.FULL;
            case OVER -> TellResult.ENDED;
        };
    }

    @Override
    public void fail(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        if (Calls.holdsFailure(this, failure)) {
            return;
        }
        Sent sent =
                of.sendAtOnce(
                        frame -> {
                            frame.begin(FrameType.FAIL_TO).number(number);
                            Failures.write(frame.out(), failure);
                            return frame;
                        });
        if (sent == Sent.OVER) {
            home.report(failure, this, DeadLetter.Reason.UNREACHABLE, failure);
        }
    }

    @Override
    public String toString() {
        return "an address of " + of.peer();
    }
}
