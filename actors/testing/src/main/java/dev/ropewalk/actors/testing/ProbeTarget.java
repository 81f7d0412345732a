package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.Caller;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.spi.AskLimit;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.Target;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Event;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** The target of a ref without an actor. For any thread. */
final class ProbeTarget<M> extends Target<M> {
    /** Takes what comes; must not wait, from any thread. */
    interface Sink {
        void told(Object message);

        void failed(Throwable failure);

        /** Somebody ends it; it is over when this returns true. */
        boolean ended(ExitReason reason);

        MailboxSnapshot mailbox();
    }

    /** By cord, so that a run that is replayed gives the same numbers. */
    private static final Map<Cord, AtomicLong> NUMBERS = new WeakHashMap<>();

    private static final AtomicLong OUTSIDE = new AtomicLong();

    final ActorRef<M> ref;
    private final Sink sink;
    private final Event over = Event.sharedManual();
    private final List<DownListener> listeners = new ArrayList<>();

    /** Null until it is over; guarded by this. */
    private @Nullable ExitReason reason;

    private ProbeTarget(String path, String name, @Nullable Cord here, Sink sink) {
        this.ref = ActorRef.to(path, name, nextNumber(here), this);
        this.sink = sink;
    }

    /** One by itself: its path tells on which cord it was made. */
    static <M> ProbeTarget<M> named(String parentPath, String name, Sink sink) {
        Cord here = Cord.currentOrNull();
        String path = here == null ? parentPath : parentPath + "@" + here.name();
        return new ProbeTarget<>(path, name, here, sink);
    }

    /** The actor of steps, or a probe of theirs, whichever cord they are made on. */
    static <M> ProbeTarget<M> ofSteps(String parentPath, String name, Sink sink) {
        return new ProbeTarget<>(parentPath, name, Cord.currentOrNull(), sink);
    }

    private static long nextNumber(@Nullable Cord here) {
        if (here == null) {
            return OUTSIDE.incrementAndGet();
        }
        synchronized (NUMBERS) {
            return NUMBERS.computeIfAbsent(here, _ -> new AtomicLong()).incrementAndGet();
        }
    }

    synchronized @Nullable ExitReason reason() {
        return reason;
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void tell(M message) {
        tryTell(message);
    }

    @Override
    public TellResult tryTell(M message) {
        return Calls.holds(ref, message) ? TellResult.ACCEPTED : send(message);
    }

    private TellResult send(M message) {
        if (reason() != null) {
            return TellResult.ENDED;
        }
        sink.told(message);
        if (Taps.onTells()) {
            Caller.sentTo(ref, message);
        }
        return TellResult.ACCEPTED;
    }

    @Override
    public void fail(Throwable failure) {
        if (reason() == null && !Calls.holdsFailure(ref, failure)) {
            sink.failed(failure);
        }
    }

    @Override
    public <R> R ask(Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        long limitNanos = Waits.nanos(limit);
        Waits.switchpoint(); // before the message is made: an exception means that none was sent
        Reply<R> reply = new Reply<>(ref);
        M made = Objects.requireNonNull(message.apply(reply), "message");
        if (send(made) == TellResult.ENDED) {
            throw over(made);
        }
        return reply.awaitReply(made, limitNanos);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the one that is returned is watched
    public <R> CompletionStage<R> askLater(
            Function<Recipient<R>, ? extends M> message, Duration limit) {
        Objects.requireNonNull(message, "message");
        long limitNanos = Waits.nanos(limit);
        CompletableFuture<R> stage = new CompletableFuture<>();
        M made = Objects.requireNonNull(message.apply(new Later<>(ref, stage)), "message");
        if (send(made) == TellResult.ENDED) {
            stage.completeExceptionally(over(made));
        } else if (limitNanos != Long.MAX_VALUE) {
            AskLimit begun =
                    AskLimit.after(
                            limitNanos,
                            () -> stage.completeExceptionally(late(ref, limitNanos, made)));
            stage.whenComplete((_, _) -> begun.cancel());
        }
        return stage;
    }

    private AskFailedException over(Object message) {
        return new AskFailedException(ref + " is over and gets no message: " + message, null);
    }

    private static AskTimeoutException late(ActorRef<?> asked, long limitNanos, Object message) {
        return new AskTimeoutException(
                asked
                        + " was asked and gave no reply within "
                        + Duration.ofNanos(limitNanos)
                        + "; message: "
                        + message
                        + "; a probe answers what Probe.answer tells it to");
    }

    private static AskFailedException failed(
            ActorRef<?> asked, Throwable cause, @Nullable Object message) {
        String what = message == null ? "" : "; message: " + message;
        return new AskFailedException(asked + " failed the ask: " + cause + what, cause);
    }

    // ---------------------------------------------------------------- its end

    @Override
    public void stop() {
        end(new ExitReason.Normal());
    }

    @Override
    public void terminate() {
        end(new ExitReason.Shutdown("it was terminated"));
    }

    @Override
    public void kill() {
        end(new ExitReason.Killed());
    }

    private void end(ExitReason why) {
        if (reason() == null && sink.ended(why)) {
            over(why);
        }
    }

    /** It is over from now on; no effect if it was before. */
    void over(ExitReason why) {
        List<DownListener> told;
        synchronized (this) {
            if (reason != null) {
                return;
            }
            reason = why;
            told = List.copyOf(listeners);
            listeners.clear();
        }
        over.signal();
        told.forEach(each -> each.down(new Down(ref, why)));
    }

    @Override
    public boolean awaitEnd(Duration limit) {
        return over.await(limit);
    }

    @Override
    public void watch(DownListener listener, boolean ofEach) {
        synchronized (this) {
            if (reason == null) {
                listeners.add(listener);
                return;
            }
        }
        listener.down(new Down(ref, new ExitReason.NoActor()));
    }

    @Override
    public synchronized void unwatch(DownListener listener) {
        listeners.remove(listener);
    }

    @Override
    public MailboxSnapshot mailbox() {
        return sink.mailbox();
    }

    @Override
    public String toString() {
        return ref.toString();
    }

    /** Where the reply of an ask goes that nobody waits for. */
    private record Later<R>(ActorRef<?> asked, CompletableFuture<R> stage) implements Recipient<R> {
        @Override
        public void tell(R reply) {
            stage.complete(Objects.requireNonNull(reply, "reply"));
        }

        @Override
        public TellResult tryTell(R reply) {
            boolean isTaken = stage.complete(Objects.requireNonNull(reply, "reply"));
            return isTaken ? TellResult.ACCEPTED : TellResult.ENDED;
        }

        @Override
        public void fail(Throwable failure) {
            Objects.requireNonNull(failure, "failure");
            stage.completeExceptionally(failed(asked, failure, null));
        }

        @Override
        public String toString() {
            return "the reply of " + asked;
        }
    }

    /** Where the reply of one ask goes. */
    private static final class Reply<R> extends WaitCell implements Recipient<R> {
        private record Failed(Throwable cause) {}

        private final ActorRef<?> asked;

        Reply(ActorRef<?> asked) {
            this.asked = asked;
        }

        @Override
        public void tell(R reply) {
            give(Objects.requireNonNull(reply, "reply"));
        }

        @Override
        public TellResult tryTell(R reply) {
            boolean isTaken = give(Objects.requireNonNull(reply, "reply"));
            return isTaken ? TellResult.ACCEPTED : TellResult.ENDED;
        }

        @Override
        public void fail(Throwable failure) {
            give(new Failed(Objects.requireNonNull(failure, "failure")));
        }

        @SuppressWarnings("unchecked") // given nothing but R and Failed
        R awaitReply(Object message, long limitNanos) {
            Object result = await(this, limitNanos);
            if (result == Waits.TIMED_OUT) {
                throw late(asked, limitNanos, message);
            }
            if (result instanceof Failed(Throwable cause)) {
                throw failed(asked, cause, message);
            }
            return (R) Objects.requireNonNull(result, "reply");
        }

        @Override
        public String toString() {
            return "the reply of " + asked;
        }
    }
}
