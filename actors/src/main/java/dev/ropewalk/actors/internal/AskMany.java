package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.spi.AskStage;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Asks to several actors at once, over their stages. */
public final class AskMany {
    private static final Object DONE = new Object();

    private AskMany() {}

    /** See {@link ActorRef#askAll}. */
    public static <M, R> List<R> all(
            Collection<ActorRef<M>> actors,
            Function<Recipient<R>, ? extends M> message,
            Duration limit) {
        Waits.switchpoint();
        List<CompletionStage<R>> asks = askEach(actors, message, limit);
        WaitCell over = new WaitCell();
        AtomicInteger left = new AtomicInteger(asks.size());
        if (asks.isEmpty()) {
            return List.of();
        }
        for (CompletionStage<R> ask : asks) {
            ask.whenComplete(
                    (_, failure) -> {
                        if (failure != null) {
                            over.give(failure);
                        } else if (left.decrementAndGet() == 0) {
                            over.give(DONE);
                        }
                    });
        }
        boolean isAnswered = false;
        try {
            await(over, limit, actors);
            isAnswered = true;
        } finally {
            if (!isAnswered) {
                giveUp(asks);
            }
        }
        return asks.stream().map(ask -> ask.toCompletableFuture().resultNow()).toList();
    }

    /** See {@link ActorRef#askFirst}. */
    public static <M, R> R first(
            Collection<ActorRef<M>> actors,
            Function<Recipient<R>, ? extends M> message,
            Duration limit) {
        if (actors.isEmpty()) {
            throw new IllegalArgumentException("there is no actor to ask");
        }
        Waits.switchpoint();
        List<CompletionStage<R>> asks = askEach(actors, message, limit);
        WaitCell over = new WaitCell();
        AtomicInteger left = new AtomicInteger(asks.size());
        for (CompletionStage<R> ask : asks) {
            ask.whenComplete(
                    (_, failure) -> {
                        if (failure == null) {
                            over.give(ask);
                        } else if (left.decrementAndGet() == 0) {
                            over.give(withOthers(failure, asks));
                        }
                    });
        }
        Object first = null;
        try {
            first = await(over, limit, actors);
        } finally {
            if (first == null) {
                giveUp(asks);
            }
        }
        lose(asks);
        for (CompletionStage<R> ask : asks) {
            if (ask == first) {
                return ask.toCompletableFuture().resultNow();
            }
        }
        throw new IllegalStateException("the first reply of " + actors + " is " + first);
    }

    /** The same, as a stage; never waits. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is the one that is returned, watched
    public static <M, R> CompletionStage<R> firstLater(
            Collection<ActorRef<M>> actors,
            Function<Recipient<R>, ? extends M> message,
            Duration limit) {
        List<CompletionStage<R>> asks = askEach(actors, message, limit);
        CompletableFuture<R> first = new CompletableFuture<>();
        AtomicInteger left = new AtomicInteger(asks.size());
        for (CompletionStage<R> ask : asks) {
            ask.whenComplete(
                    (reply, failure) -> {
                        if (failure == null) {
                            if (first.complete(reply)) {
                                lose(asks);
                            }
                        } else if (left.decrementAndGet() == 0) {
                            first.completeExceptionally(withOthers(failure, asks));
                        }
                    });
        }
        first.whenComplete(
                (_, _) -> {
                    if (first.isCancelled()) {
                        giveUp(asks);
                    }
                });
        return first;
    }

    private static <R> Throwable withOthers(Throwable last, List<CompletionStage<R>> asks) {
        for (CompletionStage<R> ask : asks) {
            Throwable other = ask.toCompletableFuture().exceptionNow();
            if (other != last) {
                last.addSuppressed(other);
            }
        }
        return last;
    }

    private static <M, R> List<CompletionStage<R>> askEach(
            Collection<ActorRef<M>> actors,
            Function<Recipient<R>, ? extends M> message,
            Duration limit) {
        Objects.requireNonNull(message, "message");
        checkOthers(actors);
        List<CompletionStage<R>> asks = new ArrayList<>(actors.size());
        boolean isAsked = false;
        try {
            for (ActorRef<M> actor : actors) {
                asks.add(actor.askLater(message, limit));
            }
            isAsked = true;
        } finally {
            if (!isAsked) {
                giveUp(asks);
            }
        }
        return asks;
    }

    private static void checkOthers(Collection<? extends ActorRef<?>> actors) {
        Incarnation<?> caller = Caller.incarnation();
        if (caller == null) {
            return;
        }
        for (ActorRef<?> actor : actors) {
            if (actor.target() == caller.cell()) {
                throw AskCycles.toItself(caller.cell());
            }
        }
    }

    /** A reply that comes from now on is dropped, and nothing is kept for it. */
    private static void lose(List<? extends CompletionStage<?>> asks) {
        for (CompletionStage<?> ask : asks) {
            if (ask instanceof AskStage stage) {
                stage.lose();
                ask.toCompletableFuture().cancel(false);
            }
        }
    }

    /** A reply that comes from now on is a dead letter. */
    private static void giveUp(List<? extends CompletionStage<?>> asks) {
        asks.forEach(ask -> ask.toCompletableFuture().cancel(false));
    }

    private static @Nullable Object await(
            WaitCell over, Duration limit, Collection<? extends ActorRef<?>> actors) {
        Object result = over.await("replies of " + actors, Waits.nanos(limit));
        if (result == Waits.TIMED_OUT) {
            throw new AskTimeoutException("no reply within " + limit + " of some of " + actors);
        }
        if (result instanceof RuntimeException failure) {
            throw failure;
        }
        return result;
    }
}
