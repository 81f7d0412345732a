package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.ref.RoutedAsk;
import dev.ropewalk.actors.spi.AskLimit;
import dev.ropewalk.actors.spi.AskStage;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.OpenAsk;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * An ask of an entity. The asker makes its question before the actor is known; on the cord of the
 * actor another ask stands behind this one, so what the actor's end and its mailbox do to it are
 * those of any ask. The limit is served on the asker's side too, because the other cord may not go
 * on.
 */
final class EntityAsk<R> implements Recipient<R>, OpenAsk, RoutedAsk.Asked<R> {
    private static final int LONGEST_PATH = 1_000;

    // as in the text of any ask
    private static final String NO_REPLY = " and gets no reply: ";
    private static final String MESSAGE = "; message: ";

    private final ActorRef<?> entity;
    private final long limitNs;
    private final long beganNs = Waits.nanoTime();
    private final String asker = Calls.callerName();
    private final Stage stage = new Stage();

    private @Nullable Object message;

    /** The asker's on the way to another node; null if it has none. */
    private @Nullable String context;

    /** The asker's within this process; null if it has none. */
    private @Nullable Object contextHere;

    /** Whether its asker is an actor that waits: then it may be one of a circle. */
    private boolean isOfWaitingActor;

    /** The ask behind this one, and whose; null before. */
    private volatile @Nullable Bound bound;

    /** The actor whose end it waits for, to go to the next one; null otherwise. */
    private volatile @Nullable ActorRef<?> heldFor;

    /** Null while it is not on its way through a session. */
    private volatile @Nullable RoutedAsk<R> onItsWay;

    private record Bound(Recipient<Object> ask, ActorRef<?> actor) {}

    /** Completes with the reply, or a failure of asks. */
    private final class Stage extends CompletableFuture<R> implements AskStage {
        /** Null until it is passed on. */
        volatile @Nullable CompletionStage<?> behind;

        volatile boolean isLost;

        @Override
        public void lose() {
            isLost = true;
            if (behind instanceof AskStage ask) {
                ask.lose();
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the ask behind it is ended
    EntityAsk(ActorRef<?> entity, long limitNs) {
        this.entity = entity;
        this.limitNs = limitNs;
        stage.whenComplete((_, _) -> endBehind());
    }

    void made(Object question) {
        message = question;
    }

    /** Before it is sent. */
    void inContext(@Nullable String ofNode, @Nullable Object ofSystem) {
        context = ofNode;
        contextHere = ofSystem;
    }

    // ---------------------------------------------------------------- on its way to another node

    /** It is sent to another node, perhaps not for the first time. */
    void routed(RoutedAsk<R> next) {
        onItsWay = next;
        if (stage.isDone()) {
            next.close();
        }
    }

    @Override
    public Recipient<R> address() {
        return this;
    }

    @Override
    public @Nullable String context() {
        return context;
    }

    @Override
    public String asker() {
        return asker;
    }

    @Override
    public boolean take(R reply) {
        return stage.complete(reply) || stage.isLost;
    }

    @Override
    public boolean fails(AskFailedException failure) {
        return stage.completeExceptionally(failure) || stage.isLost;
    }

    @Override
    public AskFailedException failure(String why, @Nullable Throwable cause) {
        return new AskFailedException(asker + " asked " + entity + NO_REPLY + why + text(), cause);
    }

    @Override
    public long leftNs() {
        return limitNs == Long.MAX_VALUE
                ? limitNs
                : Math.max(0, limitNs - (Waits.nanoTime() - beganNs));
    }

    // ---------------------------------------------------------------- by its asker

    /** Sends it, and waits. */
    @SuppressWarnings("FutureReturnValueIgnored") // the cell is given
    R await(Runnable send) {
        WaitCell over = new WaitCell();
        stage.whenComplete((reply, failure) -> over.give(failure == null ? reply : failure));
        isOfWaitingActor = Calls.asks(this);
        try {
            send.run();
            return result(over.await(this, leftNs()));
        } finally {
            if (isOfWaitingActor) {
                Calls.asks(null);
            }
            stage.cancel(false);
        }
    }

    @SuppressWarnings("unchecked") // the stage completes with R and failures of asks
    private R result(@Nullable Object given) {
        if (given == Waits.TIMED_OUT) {
            throw timeout();
        }
        if (given instanceof AskException failure) {
            throw failure;
        }
        return (R) Objects.requireNonNull(given, "reply");
    }

    /** Sends it, and gives the stage out. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is the one that is given out
    CompletionStage<R> later(Runnable send) {
        if (limitNs != Long.MAX_VALUE) {
            AskLimit limit = AskLimit.after(leftNs(), this::limitPassed);
            stage.whenComplete(
                    (_, _) -> {
                        if (!stage.isLost) {
                            limit.cancel();
                        }
                    });
        }
        send.run();
        return stage;
    }

    private void limitPassed() {
        stage.completeExceptionally(timeout());
        RoutedAsk<R> routed = onItsWay;
        if (routed != null) {
            routed.close();
        }
    }

    // ---------------------------------------------------------------- on the cord of the actor

    /** Never waits. */
    @SuppressWarnings({"unchecked", "FutureReturnValueIgnored"}) // the actor is asked for R
    <M> void passOn(ActorRef<M> actor, M question, BooleanSupplier mayReply) {
        Function<Recipient<Object>, M> bind =
                to -> {
                    bound = new Bound(to, actor);
                    return question;
                };
        Duration left = Duration.ofNanos(leftNs());
        CompletionStage<Object> behind =
                Calls.inContext(actor, contextHere, () -> actor.askLater(bind, left));
        stage.behind = behind;
        if (stage.isLost) {
            stage.lose();
        }
        if (stage.isDone()) {
            endBehind();
        }
        behind.whenComplete(
                (reply, failure) -> {
                    if (failure == null && !mayReply.getAsBoolean()) {
                        failed("its node does not own it any more, or cannot tell", null);
                    } else if (failure == null) {
                        stage.complete((R) reply);
                    } else if (!(failure instanceof AskTimeoutException)) { // it has its own
                        Throwable cause = failure.getCause();
                        failed(cause == null ? why(failure) : Lines.of(cause), cause);
                    }
                });
        if (isOfWaitingActor) {
            endIfCircle();
        }
    }

    /** The reason of the other ask alone. */
    private static String why(Throwable failure) {
        String text = String.valueOf(failure.getMessage());
        int from = text.indexOf(NO_REPLY);
        int to = text.lastIndexOf(MESSAGE);
        return from >= 0 && to > from ? text.substring(from + NO_REPLY.length(), to) : text;
    }

    /** It waits for the end of an actor. On the cord of that. */
    void held(ActorRef<?> actor) {
        heldFor = actor;
        if (isOfWaitingActor) {
            endIfCircle();
        }
    }

    /** Nobody waits any more: a reply that comes from now on is a dead letter. */
    private void endBehind() {
        RoutedAsk<R> routed = onItsWay;
        if (routed != null && !stage.isLost) { // otherwise its reply, or the limit, closes it
            routed.close();
        }
        CompletionStage<?> behind = stage.behind;
        if (behind != null && !stage.isLost) {
            behind.toCompletableFuture().cancel(false);
        }
    }

    void failed(@Nullable String why, @Nullable Throwable cause) {
        stage.completeExceptionally(failure(String.valueOf(why), cause));
    }

    private AskTimeoutException timeout() {
        return new AskTimeoutException(
                asker
                        + " asked "
                        + entity
                        + " and got no reply within "
                        + limitNs / 1_000_000
                        + " ms"
                        + text());
    }

    private String text() {
        return MESSAGE + Lines.of(message); // its own text may fail
    }

    // ---------------------------------------------------------------- as one of a circle

    /**
     * Of the asks of a circle the one that reaches its actor last sees all others: each is
     * published before it is sent.
     */
    private void endIfCircle() {
        List<OpenAsk> path = new ArrayList<>();
        OpenAsk next = this;
        while (next != null && next.isOpen() && path.size() < LONGEST_PATH) {
            path.add(next);
            next = Calls.openAskOf(next.asked().target());
            if (next == this) {
                StringBuilder text = new StringBuilder(asked().toString());
                path.reversed().forEach(ask -> text.append(" <- ").append(ask.asked()));
                fails(Calls.circle(text.toString()));
                return;
            }
        }
    }

    /** The actor, as soon as it is known. */
    @Override
    public ActorRef<?> asked() {
        Bound to = bound;
        ActorRef<?> ending = heldFor;
        return to != null ? to.actor : ending != null ? ending : entity;
    }

    @Override
    public boolean isOpen() {
        return !stage.isDone();
    }

    @Override
    public boolean fails(AskCycleException circle) {
        return stage.completeExceptionally(circle);
    }

    // ---------------------------------------------------------------- as the address of the reply

    private Recipient<Object> bound() {
        Bound to = bound;
        if (to == null) {
            throw new IllegalStateException(
                    "a reply was told before the question was sent to "
                            + entity
                            + ": the function that makes the question must not reply");
        }
        return to.ask;
    }

    @Override
    public void tell(R reply) {
        bound().tell(Objects.requireNonNull(reply, "reply"));
    }

    @Override
    public TellResult tryTell(R reply) {
        return bound().tryTell(Objects.requireNonNull(reply, "reply"));
    }

    @Override
    public void fail(Throwable failure) {
        bound().fail(Objects.requireNonNull(failure, "failure"));
    }

    @Override
    public String toString() {
        return "the reply of " + entity;
    }
}
