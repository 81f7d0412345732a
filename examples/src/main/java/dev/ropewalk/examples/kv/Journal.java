package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.fibers.supervision.BackOff;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What a shard tells its log, and how it takes back what the log has not written. Confined to the
 * shard.
 *
 * <p>Changes are collected with what undoes them, and sent together. Until the log has written them
 * they are kept: if it refuses them, they are undone, the last one first, and the shard is again
 * what its log is, without reading that.
 */
final class Journal {
    private static final Duration REPLAY_LIMIT = Duration.ofMinutes(1);

    /** Between two tries of a rewrite. */
    private static final BackOff BACK_OFF =
            BackOff.doubling(Duration.ofSeconds(1), Duration.ofSeconds(30));

    /** How a rewrite goes. */
    private enum Rewrite {
        /** None goes on. */
        NONE,
        RUNNING,

        /** The last one failed, and the next one has to wait. */
        RESTING
    }

    private final ActorContext<ShardMessage> context;
    private final ActorRef<ShardLog.Message> log;
    private final Keyspace keys;
    private final long minGrowthBytes;

    /** What was sent and, as far as is known, not written; in order. */
    private final Deque<Change> unwritten = new ArrayDeque<>();

    private List<Words> next = new ArrayList<>();
    private Undo undo = new Undo();

    /** Of the log: it refuses what follows from commands that it has not written. */
    private int life;

    private long bytes;
    private long bytesWhenCompact;

    private Rewrite rewrite = Rewrite.NONE;
    private boolean isRewriteDemanded;
    private long bytesBeforeRewrite;
    private long bytesWhenRewritten;
    private Duration rest = BACK_OFF.first();

    /**
     * Of a shard that begins.
     *
     * @param minGrowthBytes the log is not rewritten before it has grown by that
     */
    Journal(
            ActorContext<ShardMessage> context,
            ActorRef<ShardLog.Message> log,
            Keyspace keys,
            long minGrowthBytes) {
        this.context = context;
        this.log = log;
        this.keys = keys;
        this.minGrowthBytes = minGrowthBytes;
    }

    /** What was sent together. The log writes it all, or nothing of it. */
    private final class Change implements ShardLog.Outcome {
        private final ActorRef<ShardMessage> shard = context.self();
        private final List<Words> commands;
        private final Undo undo;
        private final ShardMessage.@Nullable Execute asked;
        private final List<Reply> replies;
        private volatile boolean isWritten;

        Change(
                List<Words> commands,
                Undo undo,
                ShardMessage.@Nullable Execute asked,
                List<Reply> replies) {
            this.commands = commands;
            this.undo = undo;
            this.asked = asked;
            this.replies = replies;
        }

        @Override
        public void written() {
            isWritten = true;
            if (asked != null) {
                asked.replyTo().tell(replies);
            }
        }

        @Override
        public void refused(int nextLife, @Nullable String why) {
            shard.tell(new ShardMessage.Refused(nextLife, why, asked));
        }

        long bytes() {
            return commands.stream().mapToLong(Words::encodedBytes).sum();
        }
    }

    // ---------------------------------------------------------------- reading

    /** The next page of the log; waits. */
    ShardLog.Page read() {
        long at = bytes;
        ShardLog.Page page =
                log.ask(replyTo -> new ShardLog.Message.Read(at, replyTo), REPLAY_LIMIT);
        life = page.life();
        bytes = page.next();
        return page;
    }

    /** All is read: what changes from now on is to be logged. */
    void begin() {
        log.tell(new ShardLog.Message.Attach(context.self()));
        keys.undoBy(undo);
        keys.whenExpired(key -> add(Words.of("DEL", key)));
    }

    // ---------------------------------------------------------------- writing

    /** A change that goes with the next ones. */
    void add(Words change) {
        next.add(change);
    }

    /** Sends what was added, if there is anything. */
    void send() {
        send(null, List.of());
    }

    /** Sends what was added; the log answers when it has written that. */
    void send(ShardMessage.@Nullable Execute asked, List<Reply> replies) {
        forgetWritten();
        if (next.isEmpty()) {
            return;
        }
        Change change = new Change(next, undo, asked, replies);
        next = new ArrayList<>();
        undo = new Undo();
        keys.undoBy(undo);
        unwritten.add(change);
        bytes += change.bytes();
        log.tell(new ShardLog.Message.Append(life, change.commands, change));
    }

    private void forgetWritten() {
        for (Change first = unwritten.peek();
                first != null && first.isWritten;
                first = unwritten.peek()) {
            unwritten.remove();
        }
    }

    /** Undoes what the log has not written, if it has not heard of that yet. */
    boolean rollBack(int newLife) {
        if (newLife <= life) {
            return false;
        }
        life = newLife;
        forgetWritten();
        keys.undoBy(null);
        undo.run();
        for (Change last = unwritten.pollLast(); last != null; last = unwritten.pollLast()) {
            last.undo.run();
            bytes -= last.bytes();
        }
        next = new ArrayList<>();
        undo = new Undo();
        keys.undoBy(undo);
        return true;
    }

    /** Nobody knows what became of them. */
    void abandon() {
        forgetWritten();
        for (Change each : unwritten) {
            if (each.asked != null) {
                each.asked.replyTo().fail(new IllegalStateException("the log has failed"));
            }
        }
    }

    long bytes() {
        return bytes;
    }

    void save(ShardMessage.Save asked) {
        log.tell(new ShardLog.Message.Save(asked.replyTo()));
    }

    // ---------------------------------------------------------------- rewriting

    /** So many bytes would do. */
    void needs(long fewest) {
        bytesWhenCompact = fewest;
    }

    /** Although it has not grown. */
    void demandRewrite() {
        isRewriteDemanded = true;
    }

    boolean isRewriteDue() {
        return rewrite == Rewrite.NONE
                && (isRewriteDemanded || bytes > 2 * bytesWhenCompact + minGrowthBytes);
    }

    /** Puts these in the place of all that the log has; they make what the shard has now. */
    void rewrite(List<Words> snapshot) {
        rewrite = Rewrite.RUNNING;
        bytesBeforeRewrite = bytes;
        bytesWhenRewritten = snapshot.stream().mapToLong(Words::encodedBytes).sum();
        log.tell(new ShardLog.Message.Replace(life, snapshot, new RewriteEnd()));
    }

    /** For the log. */
    private final class RewriteEnd implements ShardLog.Outcome {
        private final ActorRef<ShardMessage> shard = context.self();

        @Override
        public void written() {
            shard.tell(new ShardMessage.Rewritten(Journal.this, true));
        }

        @Override
        public void refused(int nextLife, @Nullable String why) {
            shard.tell(new ShardMessage.Rewritten(Journal.this, false));
        }
    }

    void rewritten(boolean isDone) {
        if (isDone) {
            rewrite = Rewrite.NONE;
            isRewriteDemanded = false;
            rest = BACK_OFF.first();
            bytesWhenCompact = bytesWhenRewritten;
            bytes += bytesWhenRewritten - bytesBeforeRewrite;
        } else {
            rewrite = Rewrite.RESTING;
            isRewriteDemanded = true; // also one that began with the shard
            context.timers().once(rest, new ShardMessage.RewriteAgain());
            Duration longer = rest.multipliedBy((long) BACK_OFF.factor());
            rest = longer.compareTo(BACK_OFF.max()) < 0 ? longer : BACK_OFF.max();
        }
    }

    void restIsOver() {
        rewrite = Rewrite.NONE;
    }
}
