package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.LinkPeer;
import dev.ropewalk.actors.spi.Target;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Where an address leads to that came home when its actor was over. */
final class GoneTarget<M> extends Target<M> {
    private final Home home;
    private final long number;
    private final ActorRef<M> ref;

    private GoneTarget(Home home, String parentPath, String name, long number) {
        this.home = home;
        this.number = number;
        this.ref = ActorRef.to(parentPath, name, number, this);
    }

    static ActorRef<?> address(Home home, String parentPath, String name, long number) {
        return new GoneTarget<>(home, parentPath, name, number).ref;
    }

    @Override
    public LinkPeer link(ActorRef<?> actor, LinkPeer end) {
        return RemoteLinks.none(end, new ExitReason.NoActor());
    }

    private String text() {
        return ref.toString();
    }

    @Override
    public void tell(M message) {
        if (!Calls.holds(ref, message)) {
            home.report(message, text(), DeadLetter.Reason.ENDED, null);
        }
    }

    @Override
    public TellResult tryTell(M message) {
        return Calls.holds(ref, message) ? TellResult.ACCEPTED : TellResult.ENDED;
    }

    @Override
    public void fail(Throwable failure) {
        if (!Calls.holdsFailure(ref, failure)) {
            home.report(failure, text(), DeadLetter.Reason.FAILURE, failure);
        }
    }

    @Override
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        throw ended();
    }

    private AskFailedException ended() {
        return new AskFailedException(
                Calls.callerName() + " asked " + text() + " and gets no reply: it has ended", null);
    }

    @Override
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        return CompletableFuture.failedStage(ended());
    }

    @Override
    public void stop() {
        // It has ended.
    }

    @Override
    public void terminate() {
        // It has ended.
    }

    @Override
    public void kill() {
        // It has ended.
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        return true;
    }

    @Override
    public void watch(DownListener listener, boolean ofEach) {
        listener.down(new Down(ref, new ExitReason.NoActor()));
    }

    @Override
    public void unwatch(DownListener listener) {
        // It was told at once.
    }

    @Override
    public MailboxSnapshot mailbox() {
        return new MailboxSnapshot(0, Integer.MAX_VALUE, List.of());
    }

    @Override
    public boolean report(DeadLetter letter) {
        home.system().report(letter);
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GoneTarget<?> gone && number == gone.number;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return text();
    }
}
