package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.InContext;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Handler;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * One ask: the message on its way, and a one-shot place for the reply. Exactly one of reply,
 * failure, end of the actor, time limit and termination of the asker takes effect; the place
 * decides.
 *
 * <p>A question that is queued belongs to the mailbox, and survives a restart. One that was taken
 * and not answered belongs to the incarnation ({@link OpenAsks}), and fails with it.
 */
abstract sealed class Ask<M, R> extends Envelope implements Recipient<R>
        permits AwaitedAsk, LaterAsk {
    /** Given when no reply can come. */
    record Failed(String why, @Nullable Throwable cause) {}

    private final ActorCell<M> target;

    /** An {@link ActorCell}, or the fiber or thread that asks. */
    private final Object asker;

    /** When the asker gives up, on the clock of {@link Waits#nanoTime}. */
    final long deadlineNs;

    /** A taker of dead letters asks: no taker gets what becomes of it. */
    private boolean isOfTaker;

    /** Or the message and its context. */
    private @Nullable Object message;

    /** Links of the target's open asks; confined to the target's cord. */
    @Nullable Ask<?, ?> previous;

    @Nullable Ask<?, ?> next;

    Ask(ActorCell<M> target, long limitNanos, @Nullable Incarnation<?> caller) {
        this.target = target;
        this.asker = caller == null ? whoAsks() : caller.cell();
        this.deadlineNs =
                limitNanos == Long.MAX_VALUE
                        ? Long.MAX_VALUE
                        : Waits.nanoTime() + Math.min(limitNanos, Long.MAX_VALUE / 2);
    }

    /** Takes the reply or a {@link Failed}, from any thread; false if it is over. */
    abstract boolean take(Object result);

    /** A hint: somebody may still reply. */
    public abstract boolean isOpen();

    /** Whether a reply that comes too late is a dead letter. */
    boolean isReportedLate() {
        return true;
    }

    /** How long the asker still waits: what the asked actor asks others for it waits no longer. */
    long leftNanos() {
        return deadlineNs == Long.MAX_VALUE
                ? Long.MAX_VALUE
                : Math.max(0, deadlineNs - Waits.nanoTime());
    }

    void setMessage(M made) {
        message = Taps.onTells() ? seen(made) : made;
    }

    private Object seen(M made) {
        isOfTaker = DeadLetters.areTakenHere();
        Object context = target.core().contextHere();
        return context == null ? made : new InContext(made, isOfTaker, context);
    }

    @Override
    public Object open() {
        Object made = made();
        if (made == null) {
            throw new IllegalStateException("the ask of " + asker() + " has no message yet");
        }
        return made;
    }

    /** Not any envelope is opened: a reply address may itself be the message. */
    private @Nullable Object made() {
        return message instanceof InContext told ? told.open() : message;
    }

    @Override
    public @Nullable Object context() {
        return message instanceof InContext told ? told.context() : null;
    }

    @Override
    public Object content() {
        return open();
    }

    @Override
    protected boolean isOfTaker() {
        return isOfTaker;
    }

    @Override
    public void tell(R reply) {
        Objects.requireNonNull(reply, "reply");
        if (Taps.onTells() && Caller.holds(this, reply)) {
            return;
        }
        give(reply, reply, DeadLetter.Reason.LATE_REPLY, null);
        if (Taps.onTells()) {
            Caller.sentTo(asker instanceof ActorCell<?> actor ? actor.ref() : asker, reply);
        }
    }

    @Override
    public TellResult tryTell(R reply) {
        Objects.requireNonNull(reply, "reply");
        if (Taps.onTells() && Caller.holds(this, reply)) {
            return TellResult.ACCEPTED;
        }
        boolean taken = take(reply);
        target.answered(this);
        if (taken && Taps.onTells()) {
            Caller.sentTo(asker instanceof ActorCell<?> actor ? actor.ref() : asker, reply);
        }
        return taken ? TellResult.ACCEPTED : TellResult.ENDED;
    }

    @Override
    public void fail(Throwable failure) {
        Objects.requireNonNull(failure, "failure");
        if (Taps.onTells() && Caller.holdsFailure(this, failure)) {
            return;
        }
        Failed given = new Failed("it failed the ask: " + Lines.of(failure), failure);
        give(given, failure, DeadLetter.Reason.FAILURE, failure);
    }

    private void give(
            Object result, Object letter, DeadLetter.Reason late, @Nullable Throwable cause) {
        boolean taken = take(result);
        target.answered(this);
        if (!taken && isReportedLate()) {
            target.deadLetters().report(new DeadLetter(letter, asker(), late, cause), isOfTaker);
        }
    }

    /** No reply can come; no effect if one has. */
    void noReply(String why, @Nullable Throwable cause) {
        take(new Failed(why, cause));
    }

    /** The taps of the actor that asks hear of it. */
    void isSent() {
        if (Taps.onTells()) {
            Caller.sentTo(target.ref(), open());
        }
    }

    ActorCell<M> target() {
        return target;
    }

    /** The actor whose last hooks call; otherwise the fiber or the thread. */
    private static Object whoAsks() {
        Fiber<?> fiber = Fiber.currentOrNull();
        @Nullable Handler handler = fiber == null ? null : Waits.handler(fiber);
        if (handler instanceof EndHooks.LateRun<?> hooks) {
            return hooks.cell();
        }
        return fiber == null ? Thread.currentThread() : fiber;
    }

    /**
     * On the target's cord; true if the target is down until the asker has ended, which is told.
     */
    boolean endInVain() {
        ActorCell<?> actor = askingActor();
        boolean isInVain = actor != null && target.isDownUntilEndOf(actor);
        if (isInVain) {
            noReply("it is down, and starts again only when the asker has ended", null);
        }
        return isInVain;
    }

    /** Null if it is none. */
    @Nullable ActorCell<?> askingActor() {
        return asker instanceof ActorCell<?> actor ? actor : null;
    }

    private String asker() {
        return (asker instanceof ActorCell<?> actor ? actor.ref() : asker).toString();
    }

    AskFailedException failure(Failed failed) {
        return new AskFailedException(
                asker()
                        + " asked "
                        + target.ref()
                        + " and gets no reply: "
                        + failed.why()
                        + "; message: "
                        + Lines.of(made()), // its text is the asker's, and this may be the asked
                failed.cause());
    }

    AskTimeoutException timeout(long limitNanos) {
        return new AskTimeoutException(
                asker()
                        + " asked "
                        + target.ref()
                        + " and got no reply within "
                        + limitNanos / 1_000_000
                        + " ms; message: "
                        + Lines.of(made()));
    }

    @Override
    public String toString() {
        return "the reply of " + target.ref();
    }
}
