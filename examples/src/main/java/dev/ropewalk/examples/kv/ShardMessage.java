package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.Recipient;

import java.util.List;

/** What a shard is told. */
sealed interface ShardMessage {
    /** Commands for its keys; as many replies, in order. */
    record Execute(List<Words> commands, Recipient<List<Reply>> replyTo) implements ShardMessage {}

    /** Time to remove what has expired, and what the log has of keys that are no more. */
    record Sweep() implements ShardMessage {}

    /** The log has failed: what it did not write is to be forgotten here too. */
    record LogLost() implements ShardMessage {}

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
