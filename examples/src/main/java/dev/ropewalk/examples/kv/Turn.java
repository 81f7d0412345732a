package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.blocking.Futures;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Commands of one client that came together: each shard is asked once for all that concerns it, and
 * the replies are in the order of the commands.
 *
 * <p>Confined to the fiber of the client.
 */
final class Turn {
    private static final Duration ASK_LIMIT = Duration.ofSeconds(30);

    private final List<ActorRef<ShardMessage>> shards;

    /** By shard; null where it is asked for nothing. */
    private final @Nullable List<Words>[] asked;

    private final @Nullable List<Reply>[] answers;

    /** In order; called when all shards have answered. */
    private final List<Supplier<Reply>> replies = new ArrayList<>();

    /** How many shards are asked. */
    private int count;

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of List<Words>
    Turn(List<ActorRef<ShardMessage>> shards) {
        this.shards = shards;
        this.asked = new List[shards.size()];
        this.answers = new List[shards.size()];
    }

    int size() {
        return replies.size();
    }

    /** Asks a shard; the reply is there when all are. */
    Supplier<Reply> ask(int shard, Words command) {
        List<Words> commands = asked[shard];
        if (commands == null) {
            commands = new ArrayList<>();
            asked[shard] = commands;
            count++;
        }
        int at = commands.size();
        commands.add(command);
        return () -> answer(shard, at);
    }

    private Reply answer(int shard, int at) {
        List<Reply> of = answers[shard];
        if (of == null) {
            throw new IllegalStateException("shard " + shard + " was not asked");
        }
        return of.get(at);
    }

    /** The next reply of all. */
    void reply(Supplier<Reply> next) {
        replies.add(next);
    }

    /** Asks the shards, and waits for their answers. */
    List<Reply> await() {
        if (count == 1) {
            askOne();
        } else if (count > 1) {
            askAll();
        }
        List<Reply> all = new ArrayList<>(replies.size());
        for (Supplier<Reply> each : replies) {
            all.add(each.get());
        }
        return all;
    }

    private void askOne() {
        for (int i = 0; i < asked.length; i++) {
            List<Words> commands = asked[i];
            if (commands != null) {
                try {
                    answers[i] =
                            shards.get(i)
                                    .ask(
                                            replyTo -> new ShardMessage.Execute(commands, replyTo),
                                            ASK_LIMIT);
                } catch (AskFailedException | AskTimeoutException failed) {
                    answers[i] = failed(commands);
                }
            }
        }
    }

    private void askAll() {
        List<@Nullable CompletionStage<List<Reply>>> stages = new ArrayList<>();
        for (int i = 0; i < asked.length; i++) {
            List<Words> commands = asked[i];
            stages.add(
                    commands == null
                            ? null
                            : shards.get(i)
                                    .<List<Reply>>askLater(
                                            replyTo -> new ShardMessage.Execute(commands, replyTo),
                                            ASK_LIMIT));
        }
        for (int i = 0; i < asked.length; i++) {
            List<Words> commands = asked[i];
            CompletionStage<List<Reply>> stage = stages.get(i);
            if (commands != null && stage != null) {
                try {
                    answers[i] = Futures.await(stage);
                } catch (FiberFailedException failed) {
                    answers[i] = failed(commands);
                }
            }
        }
    }

    /** It crashed on one of them, or is too slow: nobody knows which were carried out. */
    private static List<Reply> failed(List<Words> commands) {
        return Collections.nCopies(
                commands.size(), new Reply.Failure("ERR the shard failed, and is started again"));
    }
}
