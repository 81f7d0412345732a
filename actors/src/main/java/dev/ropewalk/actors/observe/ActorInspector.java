package dev.ropewalk.actors.observe;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.observe.Inspection;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Objects;

/**
 * Looks into one actor, and holds it; for people, tests and tools, from any thread. Immutable. Its
 * methods are the functions of the same names of Erlang's {@code sys}, but they do not go through
 * the mailbox: a busy actor answers too, unless it keeps its cord.
 *
 * <p>From elsewhere than the actor's cord each call is a switchpoint, because the cord is asked.
 */
public final class ActorInspector {
    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(5);

    private final ActorRef<?> actor;
    private final Inspection inspection;

    private ActorInspector(ActorRef<?> actor, Duration limit) {
        this.actor = actor;
        this.inspection = new Inspection(actor, Waits.nanos(limit));
    }

    /**
     * {@return an inspector of the actor, which waits for answers for five seconds at most}
     *
     * @param actor an actor of this process
     * @throws IllegalArgumentException if the address is that of a router, a probe or another
     *     target that is no actor
     */
    public static ActorInspector of(ActorRef<?> actor) {
        return new ActorInspector(Objects.requireNonNull(actor, "actor"), DEFAULT_LIMIT);
    }

    /**
     * {@return the same with another limit} Every call that asks the actor's cord throws a {@link
     * FiberTimeoutException} when the limit passes: a fiber keeps the cord.
     *
     * @param limit how long to wait for an answer at most
     */
    public ActorInspector within(Duration limit) {
        return new ActorInspector(actor, limit);
    }

    /**
     * {@return what the actor does now, without its own actors} The same as in {@link
     * dev.ropewalk.actors.ActorSystem#dump()}; also of one that has ended.
     *
     * @throws FiberTimeoutException if its cord does not answer
     */
    public ActorDump dump() {
        return inspection.dump();
    }

    /**
     * {@return what the actor does now, in few words} Unlike {@link #dump} it calls no code of the
     * program, such as the {@code toString} of a message, so it may be asked for each second. Also
     * of one that has ended.
     *
     * @throws FiberTimeoutException if its cord does not answer
     */
    public ActorActivity activity() {
        return inspection.activity();
    }

    /**
     * {@return its ties to other actors, its timers, and why it was started again} Like {@link
     * #activity} it calls no code of the program. Also of one that has ended, which has none. A
     * supervisor on another cord is asked, too, within as long again.
     *
     * @throws FiberTimeoutException if the actor's cord does not answer
     */
    public ActorDetails details() {
        return inspection.details();
    }

    /**
     * {@return the actor's state itself: of a request server its state, of a state machine the
     * behavior of the state, otherwise the behavior; null for loop style, and while there is none}
     * It is the actor's own object: look at it, and change nothing.
     *
     * @throws FiberTimeoutException if its cord does not answer
     * @throws IllegalStateException if it has ended
     */
    public @Nullable Object state() {
        return inspection.state();
    }

    /**
     * Lets the actor finish the message in hand and begin no other, until {@link #resume}, or until
     * it is started again. An actor that has not begun yet begins, and takes no message. Its
     * messages are kept. Signals work: it can be terminated and killed, and ends with its links and
     * its supervisor. A {@link ActorRef#stop} is a message in order and waits with them; {@link
     * dev.ropewalk.actors.ActorSystem#stop} tells it as one that did not end in time. Suspending
     * twice is harmless.
     *
     * @throws FiberTimeoutException if its cord does not answer; it may be suspended later all the
     *     same
     * @throws IllegalStateException if it has ended
     */
    public void suspend() {
        inspection.suspend();
    }

    /**
     * Lets the actor go on. No effect if it is not suspended.
     *
     * @throws FiberTimeoutException if its cord does not answer; it may be resumed later all the
     *     same
     * @throws IllegalStateException if it has ended
     */
    public void resume() {
        inspection.resume();
    }

    /**
     * Keeps the last messages that come to the actor and leave it, from now on. Messages that it
     * sends to channels and sockets are not among them.
     *
     * @param max how many events are held; older ones go
     * @return the trace, to be closed
     * @throws IllegalArgumentException if {@code max} is less than 1
     * @throws FiberTimeoutException if its cord does not answer
     * @throws IllegalStateException if it has ended
     */
    public ActorTrace trace(int max) {
        if (max < 1) {
            throw new IllegalArgumentException("max=" + max + " < 1; a trace holds an event");
        }
        return inspection.trace(max);
    }

    /**
     * Counts the messages that come to the actor and leave it, from now on.
     *
     * @return the counters, to be closed
     * @throws FiberTimeoutException if its cord does not answer
     * @throws IllegalStateException if it has ended
     */
    public ActorStatistics statistics() {
        return inspection.statistics(true);
    }

    /**
     * Counts the messages that come to the actor, from now on, and not those that leave it: {@link
     * ActorStatistics#out} stays 0. It costs this actor some 20 ns a message, and others a few;
     * {@link #statistics} has each tell of the process look for senders that are counted.
     *
     * @return the counter, to be closed
     * @throws FiberTimeoutException if its cord does not answer
     * @throws IllegalStateException if it has ended
     */
    public ActorStatistics countReceived() {
        return inspection.statistics(false);
    }

    @Override
    public String toString() {
        return inspection.toString();
    }
}
