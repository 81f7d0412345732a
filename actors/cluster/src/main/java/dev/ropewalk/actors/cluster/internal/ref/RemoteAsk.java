package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.UnreachableException;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * An ask of an actor of another node, on the asker's side. Exactly one of reply, failure, end of
 * the session, limit and termination of the asker takes effect.
 */
abstract sealed class RemoteAsk<R> implements Recipient<R>
        permits AwaitedRemoteAsk, LaterRemoteAsk, RoutedAsk {
    final Home home;
    final ActorRef<?> target;
    final long limitNanos;

    private final long beganNs = Waits.nanoTime();
    private final String asker;
    private @Nullable Object message;

    /** In its session; 0 before. */
    private long id;

    RemoteAsk(Home home, ActorRef<?> target, long limitNanos) {
        this(home, target, limitNanos, Calls.callerName());
    }

    RemoteAsk(Home home, ActorRef<?> target, long limitNanos, String asker) {
        this.home = home;
        this.target = target;
        this.limitNanos = limitNanos;
        this.asker = asker;
    }

    /** The address for the reply, as the question has it. */
    Recipient<?> address() {
        return this;
    }

    /** The rest of the limit. */
    long leftNanos() {
        return limitNanos == Long.MAX_VALUE
                ? limitNanos
                : Math.max(0, limitNanos - (Waits.nanoTime() - beganNs));
    }

    void id(long given) {
        id = given;
    }

    long id() {
        return id;
    }

    void made(Object question) {
        message = question;
    }

    Object message() {
        return Objects.requireNonNull(message, "message");
    }

    /** Whether its asker, an actor, waits: then it may be one of a circle. */
    boolean isOfWaitingActor() {
        return false;
    }

    /** From any thread; false if it is over. */
    abstract boolean take(R reply);

    /** From any thread; false if it is over. */
    abstract boolean fails(AskFailedException failure);

    /** Whether the end of its session is its failure. */
    boolean failsWithSession() {
        return true;
    }

    @Override
    public void tell(R reply) {
        Objects.requireNonNull(reply, "reply");
        if (!Calls.holds(this, reply) && !take(reply)) {
            home.report(reply, asker, DeadLetter.Reason.LATE_REPLY, null);
        }
    }

    @Override
    public TellResult tryTell(R reply) {
        Objects.requireNonNull(reply, "reply");
        return Calls.holds(this, reply) || take(reply) ? TellResult.ACCEPTED : TellResult.ENDED;
    }

    @Override
    public void fail(Throwable failure) {
        if (Calls.holdsFailure(this, failure)) {
            return;
        }
        if (!fails(failed("it failed the ask: " + failure, failure))) {
            home.report(failure, asker, DeadLetter.Reason.FAILURE, failure);
        }
    }

    AskFailedException failed(String why, @Nullable Throwable cause) {
        return new AskFailedException(
                asker + " asked " + target + " and gets no reply: " + why + text(), cause);
    }

    AskFailedException unreachable(Peer peer) {
        return failed(
                "node " + peer.id().name() + " cannot be reached",
                new UnreachableException(peer + " has no session with " + home.self()));
    }

    AskTimeoutException timeout() {
        return new AskTimeoutException(
                asker
                        + " asked "
                        + target
                        + " and got no reply within "
                        + limitNanos / 1_000_000
                        + " ms"
                        + text());
    }

    private String text() {
        return "; message: " + Lines.of(message); // its own text may fail
    }

    @Override
    public String toString() {
        return "the reply of " + target;
    }
}
