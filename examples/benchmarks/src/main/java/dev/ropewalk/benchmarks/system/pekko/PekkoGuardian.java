package dev.ropewalk.benchmarks.system.pekko;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.ChildFailed;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/** The first actor of the system: each run is a child of it, and its actors end with that child. */
final class PekkoGuardian {
    /** What it gets. */
    sealed interface Message {}

    /**
     * Starts a run.
     *
     * @param program makes the program's first actor, which sends its answer to the given one
     * @param answer gets the answer, or why there is none
     * @param ended opens when all actors of the run have ended
     */
    record Start(
            Function<ActorRef<Answer>, Behavior<?>> program,
            CompletableFuture<Long> answer,
            CountDownLatch ended)
            implements Message {}

    /** All actors of a run have ended. */
    private record Ended(Start start) implements Message {}

    /** A program's answer. */
    record Answer(long value) {}

    private PekkoGuardian() {}

    static Behavior<Message> create() {
        return Behaviors.setup(
                context ->
                        Behaviors.receiveMessageWithSame(
                                message -> {
                                    switch (message) {
                                        case Start start ->
                                                context.watchWith(
                                                        context.spawnAnonymous(run(start)),
                                                        new Ended(start));
                                        case Ended(Start start) -> end(start);
                                    }
                                }));
    }

    private static void end(Start start) {
        start.answer().completeExceptionally(new IllegalStateException("ended without an answer"));
        start.ended().countDown();
    }

    private static Behavior<Answer> run(Start start) {
        return Behaviors.setup(
                context -> {
                    context.watch(context.spawnAnonymous(start.program().apply(context.getSelf())));
                    return Behaviors.receive(Answer.class)
                            .onMessage(
                                    Answer.class,
                                    answer -> {
                                        start.answer().complete(answer.value());
                                        return Behaviors.stopped();
                                    })
                            .onSignal(
                                    ChildFailed.class,
                                    failed -> {
                                        start.answer().completeExceptionally(failed.getCause());
                                        return Behaviors.stopped();
                                    })
                            .build();
                });
    }
}
