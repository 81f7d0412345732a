package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.Recipient;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** What a shard is told. */
sealed interface ShardMessage {
    /** Commands for its keys; as many replies, in order. */
    record Execute(List<Words> commands, Recipient<List<Reply>> replyTo) implements ShardMessage {}

    /** Time to remove what has expired, and what the log has of keys that are no more. */
    record Sweep() implements ShardMessage {}

    /** What has to do with the log. */
    sealed interface OfLog extends ShardMessage {}

    /** The log's actor has ended: nobody knows what it has written. */
    record LogLost() implements OfLog {}

    /**
     * The log has not written something: that, and all behind it, is to be undone.
     *
     * @param life of the log, which writes what names it
     * @param why null if only what came before it was refused: it may be tried again
     * @param asked what waits for an answer; null if nobody does
     */
    record Refused(int life, @Nullable String why, @Nullable Execute asked) implements OfLog {}

    /** The log is no good any more: what is here is to be put in its place. */
    record RewriteDue() implements OfLog {}

    /** Time to try again what failed. */
    record RewriteAgain() implements OfLog {}

    /** The end of a rewrite that a journal has begun. */
    record Rewritten(Journal journal, boolean isDone) implements OfLog {}

    /** What it has; for INFO. */
    record Describe(Recipient<Figures> replyTo) implements ShardMessage {}

    /** Make safe what was logged until now. */
    record Save(Recipient<Boolean> replyTo) implements ShardMessage {}

    /**
     * What a shard has.
     *
     * @param expiring how many of the keys will expire
     * @param logBytes how long its log is
     */
    record Figures(long keys, long expiring, long commands, long logBytes) {}
}
