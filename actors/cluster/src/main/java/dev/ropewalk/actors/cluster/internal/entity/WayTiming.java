package dev.ropewalk.actors.cluster.internal.entity;

import java.time.Duration;

/**
 * How soon a way tries again, and the questions on which order and safety rest. Not an option: a
 * test plants faults by another one.
 */
public class WayTiming {
    /** After the first message that came back. */
    Duration firstPause() {
        return Duration.ofMillis(10);
    }

    /** Pauses double up to that one, which is also that of a way whose owner is not reached. */
    Duration lastPause() {
        return Duration.ofMillis(500);
    }

    /** A session that is full is tried again after so long. */
    Duration roomPause() {
        return Duration.ofMillis(2);
    }

    /** Whether a way waits for the fence before it goes on. */
    boolean isFenced() {
        return true;
    }

    /** Whether messages that came back go before those that were told since. */
    boolean goesFirst() {
        return true;
    }

    /** Whether a node may answer what an owner of that epoch has handled. */
    boolean mayReply(Ownership of, int shard, long epoch) {
        return of.mayWork(shard) && of.epoch(shard) == epoch;
    }

    /** Whether what a durable function tells is held until its state is written. */
    boolean isHolding() {
        return true;
    }

    /** Whether a delivered message counts that has the number of one which came before. */
    boolean countsAgain() {
        return false;
    }

    /** Whether a node may write a state that an owner of that epoch has read. */
    boolean mayWrite(Ownership of, int shard, long epoch) {
        return of.mayWork(shard) && of.epoch(shard) == epoch;
    }
}
