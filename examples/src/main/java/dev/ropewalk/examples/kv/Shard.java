package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Supervision;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The actor of a part of the keys: one command after the other, so none needs a lock.
 *
 * <p>A command that changes something is carried out and given to the log, which answers it when it
 * is safe. A read is answered at once, so it may show what is not safe yet. If the shard crashes,
 * or its log does, its next incarnation begins with what the log has; a shard without a log keeps
 * its keys, and what the crashed command had done to them.
 */
final class Shard implements Behavior<ShardMessage> {
    private static final Duration SWEEP = Duration.ofMillis(100);
    private static final int SWEPT_AT_ONCE = 1_000;
    private static final Duration REPLAY_LIMIT = Duration.ofMinutes(1);
    private static final int PIECE_WORDS = 1_000;

    private final Keyspace keys = new Keyspace();
    private final Commands commands;
    private final InstantSource clock;
    private final @Nullable Logged log;
    private long count;

    private Shard(InstantSource clock, @Nullable Logged log) {
        this.commands = new Commands(keys);
        this.clock = clock;
        this.log = log;
    }

    /** A shard whose keys end with the process. */
    static Actor<ShardMessage> inMemory(InstantSource clock) {
        return Actor.handler(
                        (ActorContext<ShardMessage> context) -> {
                            context.timers().fixedDelay(SWEEP, new ShardMessage.Sweep());
                            return new Shard(clock, null);
                        })
                .keepState();
    }

    /** A shard whose keys are those of a log, which nobody else appends to. */
    static Actor<ShardMessage> logged(ActorRef<ShardLog.Message> log, InstantSource clock) {
        return Actor.handler(
                (ActorContext<ShardMessage> context) -> {
                    context.timers().fixedDelay(SWEEP, new ShardMessage.Sweep());
                    context.monitorEach(log, _ -> new ShardMessage.LogLost());
                    Shard next = new Shard(clock, new Logged(log));
                    next.restore();
                    return next;
                });
    }

    /** How shards are supervised: a crash costs a few commands, so it is allowed often. */
    static Supervision rules() {
        return Supervision.oneForOne().intensity(1_000, Duration.ofSeconds(10)).spread();
    }

    // ---------------------------------------------------------------- the log

    /** The log, as an incarnation of the shard knows it. */
    private static final class Logged {
        private static final long MIN_GROWTH_BYTES = 64L * 1_024 * 1_024;

        final ActorRef<ShardLog.Message> actor;

        /** Of the log: it refuses what follows from commands that it has not written. */
        int life;

        long bytes;
        long bytesWhenCompact;

        Logged(ActorRef<ShardLog.Message> actor) {
            this.actor = actor;
        }

        void append(List<Words> changes, ShardLog.@Nullable Answer answer) {
            for (Words each : changes) {
                bytes += each.encodedBytes();
            }
            actor.tell(new ShardLog.Message.Append(life, changes, answer));
        }

        boolean hasGrown() {
            return bytes > 2 * bytesWhenCompact + MIN_GROWTH_BYTES;
        }

        void replace(List<Words> snapshot) {
            bytes = 0;
            for (Words each : snapshot) {
                bytes += each.encodedBytes();
            }
            bytesWhenCompact = bytes;
            actor.tell(new ShardLog.Message.Replace(life, snapshot));
        }
    }

    private void restore() {
        Logged from = log;
        if (from == null) {
            return;
        }
        keys.now(Long.MIN_VALUE); // what has expired by now may be there in the middle of the log
        for (boolean isLast = false; !isLast; ) {
            long at = from.bytes;
            ShardLog.Page page =
                    from.actor.ask(replyTo -> new ShardLog.Message.Read(at, replyTo), REPLAY_LIMIT);
            for (Words each : page.commands()) {
                replay(each);
            }
            from.life = page.life();
            from.bytes = page.next();
            isLast = page.isLast();
        }
        keys.now(clock.millis());
        // Otherwise a replay would add to what was there no more.
        keys.whenExpired(key -> from.append(List.of(Words.of("DEL", key)), null));
        List<Words> snapshot = snapshot();
        long wholeBytes = snapshot.stream().mapToLong(Words::encodedBytes).sum();
        if (wholeBytes < from.bytes / 2) {
            from.replace(snapshot);
        }
    }

    private void replay(Words logged) {
        try {
            commands.execute(logged);
        } catch (CommandException bad) {
            throw new IllegalStateException("the log has " + logged + ", which fails", bad);
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

    /** Not in one command: that would have more words than a log is read with. */
    private static void addPieces(String key, Map<String, byte[]> fields, List<Words> to) {
        List<Object> words = new ArrayList<>();
        for (Map.Entry<String, byte[]> each : fields.entrySet()) {
            if (words.isEmpty()) {
                words.addAll(List.of("HSET", key));
            }
            words.add(each.getKey());
            words.add(each.getValue());
            if (words.size() >= PIECE_WORDS) {
                to.add(Words.of(words.toArray()));
                words.clear();
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
            case ShardMessage.LogLost _ -> throw new IllegalStateException("its log has failed");
            case ShardMessage.Describe asked -> asked.replyTo().tell(figures());
            case ShardMessage.Save asked -> {
                if (log == null) {
                    asked.replyTo().tell(true);
                } else {
                    log.actor.tell(new ShardLog.Message.Save(asked.replyTo()));
                }
            }
        }
        return Behavior.same();
    }

    private void execute(ShardMessage.Execute asked) {
        List<Reply> replies = new ArrayList<>(asked.commands().size());
        List<Words> changes = new ArrayList<>();
        for (Words each : asked.commands()) {
            count++;
            try {
                Commands.Done done = commands.execute(each);
                replies.add(done.reply());
                if (done.logged() != null) {
                    changes.add(done.logged());
                }
            } catch (CommandException bad) {
                replies.add(Reply.failure(bad));
            }
        }
        if (log == null || changes.isEmpty()) {
            asked.replyTo().tell(replies);
        } else {
            log.append(changes, new ShardLog.Answer(replies, asked.replyTo()));
        }
    }

    private void sweep() {
        keys.sweep(SWEPT_AT_ONCE);
        if (log != null && log.hasGrown()) {
            log.replace(snapshot());
        }
    }

    private ShardMessage.Figures figures() {
        return new ShardMessage.Figures(
                keys.size(), keys.expiring(), count, log == null ? 0 : log.bytes);
    }
}
