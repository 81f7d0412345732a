package dev.ropewalk.actors.cluster.ratis;

import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** Something to be carried out by the log. Its fields are of the thread of {@link Requests}. */
final class Request {
    /** How it ended. */
    sealed interface Outcome {
        /**
         * It was carried out.
         *
         * @param number what it came to, as {@link Command} says
         */
        record Done(long number) implements Outcome {}

        /**
         * It may have been carried out, or may be later.
         *
         * @param cause the reason
         */
        record Unknown(Throwable cause) implements Outcome {}
    }

    enum State {
        WAITING,
        SENT,
        OVER
    }

    /** The same for each attempt, so that Ratis knows a repeated one. */
    final long callId = CallId.getAndIncrement();

    final ByteString command;

    /** Whether it cannot take effect twice. */
    final boolean isRepeatable;

    private final Consumer<Outcome> taker;

    long deadlineNs;
    int attempts;

    /** Attempts that a server may have taken. */
    int taken;

    @Nullable RaftPeerId sentTo;
    @Nullable Throwable lastProblem;
    private State state = State.WAITING;

    /**
     * A request.
     *
     * @param taker gets the outcome, once; must not wait
     */
    Request(ByteString command, boolean isRepeatable, Consumer<Outcome> taker) {
        this.command = command;
        this.isRepeatable = isRepeatable;
        this.taker = taker;
    }

    State state() {
        return state;
    }

    boolean isOver() {
        return state == State.OVER;
    }

    /**
     * <pre>
     *   WAITING -> SENT      a leader is known
     *   SENT -> WAITING      the attempt failed, and another one may follow
     *   SENT -> SENT         the leader is another one now
     *   any -> OVER          there is an outcome
     * </pre>
     */
    void state(State from, State to) {
        if (state != from) {
            throw new IllegalStateException(this + ": state=" + state + ", expected " + from);
        }
        state = to;
    }

    void give(Outcome outcome) {
        state(state, State.OVER);
        taker.accept(outcome);
    }

    @Override
    public String toString() {
        return "request " + callId + " (" + state + ", attempts=" + attempts + ")";
    }
}
