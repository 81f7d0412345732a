package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.supervision.BackOff;

import org.jspecify.annotations.Nullable;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The actor of a part of the keys: one command after the other, so none needs a lock.
 *
 * <p>A command that changes something is carried out and given to the log, which answers it when it
 * is safe; if the log refuses it, it is undone, and told so. A read is answered at once, so it may
 * show what is not safe yet. If the shard crashes, or its log does, its next incarnation begins
 * with what the log has; a shard without a log keeps its keys, and what the crashed command had
 * done to them.
 */
final class Shard implements Behavior<ShardMessage> {
    private static final Duration SWEEP = Duration.ofMillis(100);
    private static final int SWEPT_AT_ONCE = 1_000;
    private static final int PIECE_WORDS = 1_000;
    private static final int PIECE_BYTES = 1 << 20;

    /** What the log has refused it would refuse again: so many sweeps are left out. */
    private static final int SWEEPS_LEFT_OUT = 10;

    private static final BackOff BACK_OFF =
            BackOff.doubling(Duration.ofMillis(1), Duration.ofSeconds(5));

    /** A log takes as long to read as it is; nobody waits for less than all of it. */
    private static final Duration START_LIMIT = Duration.ofDays(1);

    private final Keyspace keys;
    private final Commands commands;
    private final InstantSource clock;
    private final @Nullable Journal journal;
    private long count;
    private int sweepsToLeaveOut;

    private Shard(Keyspace keys, InstantSource clock, @Nullable Journal journal) {
        this.keys = keys;
        this.commands = new Commands(keys);
        this.clock = clock;
        this.journal = journal;
    }

    /** A shard whose keys end with the process. */
    static Actor<ShardMessage> inMemory(InstantSource clock) {
        return Actor.handler(
                        (ActorContext<ShardMessage> context) -> {
                            context.timers().fixedDelay(SWEEP, new ShardMessage.Sweep());
                            return new Shard(new Keyspace(), clock, null);
                        })
                .keepState();
    }

    /**
     * A shard whose keys are those of a log, which nobody else appends to.
     *
     * @param minGrowthBytes the log is not rewritten before it has grown by that
     */
    static Actor<ShardMessage> logged(
            ActorRef<ShardLog.Message> log, InstantSource clock, long minGrowthBytes) {
        return Actor.handler(
                (ActorContext<ShardMessage> context) -> {
                    context.timers().fixedDelay(SWEEP, new ShardMessage.Sweep());
                    context.monitorEach(log, _ -> new ShardMessage.LogLost());
                    Keyspace keys = new Keyspace();
                    Journal journal = new Journal(context, log, keys, minGrowthBytes);
                    Shard next = new Shard(keys, clock, journal);
                    next.restore(journal);
                    return next;
                });
    }

    /** How shards are supervised: a crash costs a few commands, so it is allowed often. */
    static Supervision rules() {
        return Supervision.oneForOne()
                .intensity(1_000, Duration.ofSeconds(10))
                .backOff(BACK_OFF)
                .startLimit(START_LIMIT)
                .spread();
    }

    // ---------------------------------------------------------------- the log

    private void restore(Journal from) {
        keys.now(Long.MIN_VALUE); // what has expired by now may be there in the middle of the log
        for (boolean isLast = false; !isLast; ) {
            long at = from.bytes();
            ShardLog.Page page = from.read();
            for (Words each : page.commands()) {
                replay(each, page.file(), at);
                at += each.encodedBytes();
            }
            isLast = page.isLast();
        }
        keys.now(clock.millis());
        from.begin();
        List<Words> snapshot = snapshot();
        long neededBytes = snapshot.stream().mapToLong(Words::encodedBytes).sum();
        from.needs(neededBytes);
        if (neededBytes < from.bytes() / 2) {
            from.rewrite(snapshot);
        }
    }

    private void replay(Words logged, Path file, long at) {
        try {
            commands.execute(logged);
        } catch (CommandException bad) {
            throw new UncheckedIOException(
                    LogException.damaged(
                            file, at, logged + " fail there: " + bad.getMessage(), bad));
        }
    }

    /** Commands that make what is there. */
    private List<Words> snapshot() {
        List<Words> all = new ArrayList<>();
        for (Keyspace.Entry each : keys.all()) {
            Map<String, byte[]> fields = each.fieldsIfHash();
            if (fields == null) {
                all.add(Words.of("SET", each.key, each.value()));
            } else {
                addPieces(each.key, fields, all);
            }
            if (each.expiresAtMs() >= 0) {
                all.add(Words.of("PEXPIREAT", each.key, each.expiresAtMs()));
            }
        }
        return all;
    }

    /** Not in one command: it would be longer than a log is read with, and than the memory. */
    private static void addPieces(String key, Map<String, byte[]> fields, List<Words> to) {
        List<Object> words = new ArrayList<>();
        int bytes = 0;
        for (Map.Entry<String, byte[]> each : fields.entrySet()) {
            if (words.isEmpty()) {
                words.addAll(List.of("HSET", key));
            }
            words.add(each.getKey());
            words.add(each.getValue());
            bytes += each.getKey().length() + each.getValue().length;
            if (words.size() >= PIECE_WORDS || bytes >= PIECE_BYTES) {
                to.add(Words.of(words.toArray()));
                words.clear();
                bytes = 0;
            }
        }
        if (!words.isEmpty()) {
            to.add(Words.of(words.toArray()));
        }
    }

    // ---------------------------------------------------------------- messages

    @Override
    public Behavior<ShardMessage> onMessage(ShardMessage message) {
        keys.now(clock.millis());
        switch (message) {
            case ShardMessage.Execute asked -> execute(asked);
            case ShardMessage.Sweep _ -> sweep();
            case ShardMessage.Describe asked -> asked.replyTo().tell(figures());
            case ShardMessage.Save asked -> {
                if (journal == null) {
                    asked.replyTo().tell(true);
                } else {
                    journal.save(asked);
                }
            }
            case ShardMessage.OfLog ofLog -> {
                if (journal != null) {
                    onLog(journal, ofLog);
                }
            }
        }
        return Behavior.same();
    }

    private void execute(ShardMessage.Execute asked) {
        List<Reply> replies = new ArrayList<>(asked.commands().size());
        boolean isChanged = false;
        for (Words each : asked.commands()) {
            count++;
            try {
                Commands.Done done = commands.execute(each);
                replies.add(done.reply());
                if (journal != null && done.logged() != null) {
                    journal.add(done.logged());
                    isChanged = true;
                }
            } catch (CommandException bad) {
                replies.add(Reply.failure(bad));
            }
        }
        if (journal != null && isChanged) {
            journal.send(asked, replies);
            rewriteIfDue(journal);
            return;
        }
        asked.replyTo().tell(replies);
        if (journal != null) {
            journal.send(); // what has expired
        }
    }

    private void sweep() {
        if (sweepsToLeaveOut > 0) {
            sweepsToLeaveOut--;
        } else {
            keys.sweep(SWEPT_AT_ONCE);
        }
        if (journal != null) {
            journal.send();
            rewriteIfDue(journal);
        }
    }

    private ShardMessage.Figures figures() {
        return new ShardMessage.Figures(
                keys.size(), keys.expiring(), count, journal == null ? 0 : journal.bytes());
    }

    // ---------------------------------------------------------------- what the log says

    private void onLog(Journal of, ShardMessage.OfLog message) {
        switch (message) {
            case ShardMessage.LogLost _ -> {
                of.abandon();
                throw new IllegalStateException("its log has failed");
            }
            case ShardMessage.Refused refused -> refused(of, refused);
            case ShardMessage.RewriteDue _ -> of.demandRewrite();
            case ShardMessage.RewriteAgain _ -> of.restIsOver();
            case ShardMessage.Rewritten end -> {
                if (end.journal() == of) {
                    of.rewritten(end.isDone());
                }
            }
        }
        rewriteIfDue(of);
    }

    private void refused(Journal of, ShardMessage.Refused refused) {
        if (of.rollBack(refused.life())) {
            sweepsToLeaveOut = SWEEPS_LEFT_OUT;
        }
        ShardMessage.Execute asked = refused.asked();
        if (asked == null) {
            return;
        }
        String why = refused.why();
        if (why == null) {
            execute(asked); // as if it came now: nothing of it was done, and nobody was answered
        } else {
            asked.replyTo().tell(answers(asked.commands(), why));
            of.send();
        }
    }

    /** Reads that came with writes are carried out again, on what is there without those. */
    private List<Reply> answers(List<Words> asked, String why) {
        List<Reply> replies = new ArrayList<>(asked.size());
        for (Words each : asked) {
            try {
                replies.add(
                        Commands.isWrite(each)
                                ? new Reply.Failure("MISCONF the log cannot be written: " + why)
                                : commands.execute(each).reply());
            } catch (CommandException bad) {
                replies.add(Reply.failure(bad));
            }
        }
        return replies;
    }

    /** At once behind what it is to contain, so that nothing of it is refused in between. */
    private void rewriteIfDue(Journal of) {
        if (of.isRewriteDue()) {
            of.send();
            of.rewrite(snapshot());
        }
    }
}
