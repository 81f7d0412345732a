package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.VoidBlock;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Event;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An address for tests that keeps what it is told until the test expects it. It stands for an actor
 * ({@link #ref}), and for the place where a reply goes, because it is a {@link Recipient}.
 *
 * {@snippet file="dev/ropewalk/actors/testing/ActorTestingSnippetsTest.java" region="probe"}
 *
 * <p>An expectation waits for what has not come yet, {@link #LIMIT} at most, or what {@link
 * #withLimit} or {@link #within} say; the time is that of the caller's cord, so in a {@link
 * dev.ropewalk.fibers.testing.TestCord} it is virtual. A message or failure that came and was not
 * expected fails the test by an {@link AssertionError} that names what was expected, what came in
 * its place, and what is queued behind it.
 *
 * <p>Tell, fail and all methods of {@link #ref} work from any thread. The expectations are for one
 * fiber or plain thread at a time, and are switchpoints if a fiber calls them.
 *
 * <p>A probe has no fiber and no supervisor: it can be monitored, but not linked to, and what it is
 * told after its end is not kept.
 *
 * @param <M> the type of the messages
 */
public final class Probe<M> implements Recipient<M> {
    /** How long an expectation waits when nothing else is said. */
    public static final Duration LIMIT = Duration.ofSeconds(3);

    /** How many messages a probe keeps; a further one fails its teller. */
    public static final int CAPACITY = 1_000_000;

    /** How many of the queued messages an error shows. */
    private static final int SHOWN = 20;

    private final String name;
    private final ProbeTarget<M> target;
    private final ConcurrentLinkedQueue<Object> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();

    /** Signalled after each addition; one caller expects at a time, so none is missed. */
    private final Event arrived = Event.shared();

    private final Map<ActorRef<?>, Watch> watches = new HashMap<>();
    private final Recorder recorder;

    private volatile @Nullable Consumer<? super M> answer;
    private Duration limit;

    /** By the clock of the caller; null outside of {@link #within}. */
    private @Nullable Long deadlineNs;

    /** Sees what comes before the test does. */
    interface Recorder {
        /** A recorder that keeps nothing. */
        Recorder NONE = new Recorder() {};

        default void told(ActorRef<?> probe, Object message) {}

        default void failed(ActorRef<?> probe, Throwable failure) {}

        default void ended(ActorRef<?> probe, ExitReason reason) {}
    }

    /** A failure that was told in place of a message. */
    private record Failure(Throwable cause) {
        @Override
        public String toString() {
            return "failure " + cause;
        }
    }

    /** The end of an actor that the probe watches. */
    private static final class Watch {
        volatile @Nullable Down down;
    }

    private Probe(@Nullable String stepsPath, String name, Duration limit, Recorder recorder) {
        this.name = Objects.requireNonNull(name, "name");
        this.limit = limit;
        this.recorder = recorder;
        Keeping keeping = new Keeping();
        this.target =
                stepsPath == null
                        ? ProbeTarget.named("probes", name, keeping)
                        : ProbeTarget.ofSteps(stepsPath, name, keeping);
    }

    /**
     * {@return a probe}
     *
     * @param <M> the type of the messages
     * @param name stands in errors, and is the name of its {@link #ref}
     */
    public static <M> Probe<M> named(String name) {
        return new Probe<>(null, name, LIMIT, Recorder.NONE);
    }

    /** One that also tells the recorder, and whose expectations do not wait. */
    static <M> Probe<M> recorded(String parentPath, String name, Recorder recorder) {
        return new Probe<>(parentPath, name, Duration.ZERO, recorder);
    }

    /**
     * Has the expectations of this probe wait that long.
     *
     * @param most 0 or more; 0 takes what is there after one turn of the cord
     * @return this probe
     * @throws IllegalArgumentException if it is negative or longer than 292 years
     */
    public Probe<M> withLimit(Duration most) {
        Waits.nanos(most);
        limit = most;
        return this;
    }

    /**
     * Has the code run for each message that comes from now on, at once and on the thread of the
     * teller: so the probe can reply to an ask by itself. The message is kept all the same.
     *
     * @param code must not wait; what it throws is thrown to the teller
     * @return this probe
     */
    public Probe<M> answer(Consumer<? super M> code) {
        answer = Objects.requireNonNull(code, "code");
        return this;
    }

    // ---------------------------------------------------------------- its address

    /** {@return the probe as the address of an actor} */
    public ActorRef<M> ref() {
        return target.ref;
    }

    /**
     * Keeps the message for an expectation.
     *
     * @throws MailboxFullException if {@value #CAPACITY} wait already
     */
    @Override
    public void tell(M message) {
        target.tell(Objects.requireNonNull(message, "message"));
    }

    /**
     * Keeps the message for an expectation, unless somebody has ended the probe.
     *
     * @throws MailboxFullException if {@value #CAPACITY} wait already
     */
    @Override
    public TellResult tryTell(M message) {
        return target.tryTell(Objects.requireNonNull(message, "message"));
    }

    /**
     * Keeps the failure for {@link #expectFailure}.
     *
     * @throws MailboxFullException if {@value #CAPACITY} messages wait already
     */
    @Override
    public void fail(Throwable failure) {
        target.fail(Objects.requireNonNull(failure, "failure"));
    }

    /** {@return why somebody ended the probe by its {@link #ref}; null if nobody did} */
    public @Nullable ExitReason endReason() {
        return target.reason();
    }

    // ---------------------------------------------------------------- expecting

    /**
     * Takes the next message, whatever it is.
     *
     * @return the message
     * @throws AssertionError if none comes within the limit
     */
    public M next() {
        return expect("any message", _ -> true);
    }

    /**
     * Takes the next message, which is to be equal to the one given.
     *
     * @param message what is expected
     * @return the message that came
     * @throws AssertionError if another one comes, or none within the limit
     */
    public M expect(M message) {
        return expect(String.valueOf(Objects.requireNonNull(message, "message")), message::equals);
    }

    /**
     * Takes the next message, which is to be of the type.
     *
     * @param <T> the type
     * @param type the type, or one above it
     * @return the message
     * @throws AssertionError if one of another type comes, or none within the limit
     */
    public <T extends M> T expect(Class<T> type) {
        return type.cast(expect("a message of " + type.getName(), type::isInstance));
    }

    /**
     * Takes the next message, which is to pass the test.
     *
     * @param wanted the test; it must not wait
     * @return the message
     * @throws AssertionError if one that does not pass comes, or none within the limit
     */
    public M expect(Predicate<? super M> wanted) {
        return expect("a message that passes the test", wanted);
    }

    /**
     * Takes the next message, which is to pass the test.
     *
     * @param what says in the error what is expected
     * @param wanted the test; it must not wait
     * @return the message
     * @throws AssertionError if one that does not pass comes, or none within the limit
     */
    @SuppressWarnings("unchecked") // what is no failure was told as M
    public M expect(String what, Predicate<? super M> wanted) {
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(wanted, "wanted");
        Object came = take(what, until(limit), List.of());
        if (came instanceof Failure || !wanted.test((M) came)) {
            throw unexpected(what, came, List.of());
        }
        return (M) came;
    }

    /**
     * Takes the next message, which is to be a failure that was told in place of one.
     *
     * @param <T> the type of the failure
     * @param type the type, or one above it
     * @return the failure
     * @throws AssertionError if a message or another failure comes, or none within the limit
     */
    public <T extends Throwable> T expectFailure(Class<T> type) {
        String what = "a failure of " + type.getName();
        Object came = take(what, until(limit), List.of());
        if (came instanceof Failure(Throwable cause) && type.isInstance(cause)) {
            return type.cast(cause);
        }
        throw unexpected(what, came, List.of());
    }

    /**
     * Waits for the time, in which nothing is to come, and nothing is to be queued.
     *
     * @param time how long; 0 is one turn of the cord, and on a plain thread does not wait
     * @throws AssertionError if something comes, as soon as it does
     * @throws IllegalArgumentException if the time is negative
     */
    public void expectNone(Duration time) {
        Object came = poll(until(time));
        if (came != null) {
            throw unexpected("no message for " + time, came, List.of());
        }
    }

    /**
     * Takes messages until one passes the test; the others are taken too, and left out.
     *
     * @param most how long to wait in all
     * @param wanted the test; it must not wait
     * @return the message that passes
     * @throws AssertionError if none comes within the limit; it names those that were left out
     * @throws IllegalArgumentException if the limit is negative
     */
    @SuppressWarnings("unchecked") // what is no failure was told as M
    public M fish(Duration most, Predicate<? super M> wanted) {
        Objects.requireNonNull(wanted, "wanted");
        List<Object> leftOut = new ArrayList<>();
        long untilNs = until(most);
        while (true) {
            Object came = take("a message that passes the test", untilNs, leftOut);
            if (!(came instanceof Failure) && wanted.test((M) came)) {
                return (M) came;
            }
            leftOut.add(came);
        }
    }

    /**
     * Takes messages until one is of the type; the others are taken too, and left out.
     *
     * @param <T> the type
     * @param most how long to wait in all
     * @param type the type, or one above it
     * @return the message
     * @throws AssertionError if none comes within the limit; it names those that were left out
     * @throws IllegalArgumentException if the limit is negative
     */
    public <T extends M> T fish(Duration most, Class<T> type) {
        return type.cast(fish(most, (M message) -> type.isInstance(message)));
    }

    /**
     * Runs the body, whose expectations of this probe have the limit together, in place of one
     * each.
     *
     * @param <X> what the body throws
     * @param most for all of the body; inside another one the shorter counts
     * @param body what is run
     * @throws X if the body throws it
     * @throws AssertionError if the body takes longer
     * @throws IllegalArgumentException if the limit is negative
     */
    public <X extends Exception> void within(Duration most, VoidBlock<X> body) throws X {
        long beganNs = Waits.nanoTime();
        long mostNs = Waits.nanos(most);
        Long outer = deadlineNs;
        long until = beganNs + mostNs;
        deadlineNs = outer == null || until - outer < 0 ? until : outer;
        try {
            body.run();
        } finally {
            deadlineNs = outer;
        }
        long tookNs = Waits.nanoTime() - beganNs;
        if (tookNs > mostNs) {
            throw new AssertionError(
                    this + ": the body took " + Duration.ofNanos(tookNs) + ", not within " + most);
        }
    }

    // ---------------------------------------------------------------- the ends of actors

    /**
     * Watches the actor from now on, so that a later {@link #expectDown} gets the reason of its
     * end. No effect if the probe watches it already.
     *
     * @param actor any actor
     */
    public void watch(ActorRef<?> actor) {
        watched(actor);
    }

    private Watch watched(ActorRef<?> actor) {
        Watch known = watches.get(Objects.requireNonNull(actor, "actor"));
        if (known != null) {
            return known;
        }
        Watch watch = new Watch();
        watches.put(actor, watch);
        actor.target()
                .watch(
                        down -> {
                            watch.down = down;
                            arrived.signal();
                        },
                        false);
        return watch;
    }

    /**
     * Waits until the actor is over and will not be started again. Its earlier messages to this
     * probe stay queued. If the actor was over before the probe watched it, the reason is {@link
     * ExitReason.NoActor}.
     *
     * @param actor any actor
     * @return the actor and the reason
     * @throws AssertionError if it is not over within the limit
     */
    public Down expectDown(ActorRef<?> actor) {
        Watch watch = watched(actor);
        long untilNs = until(limit);
        while (true) {
            Down down = watch.down;
            if (down != null) {
                watches.remove(actor);
                return down;
            }
            if (!await(untilNs) && watch.down == null) {
                throw new AssertionError(
                        this
                                + ": expected the end of "
                                + actor
                                + ", but it is not over; "
                                + queuedText());
            }
        }
    }

    // ---------------------------------------------------------------- the queue

    /** {@return what has come and was not taken, the oldest first; a copy} */
    public List<Object> queued() {
        return List.copyOf(queue);
    }

    /** By the clock of the caller. */
    private long until(Duration most) {
        long until = Waits.nanoTime() + Waits.nanos(most);
        Long block = deadlineNs;
        return block != null && block - until < 0 ? block : until;
    }

    private Object take(String what, long untilNs, List<Object> leftOut) {
        Object came = poll(untilNs);
        if (came == null) {
            String others = leftOut.isEmpty() ? "" : "; left out: " + shown(leftOut);
            throw new AssertionError(
                    this + ": expected " + what + ", but no message came in time" + others);
        }
        return came;
    }

    /** Null if nothing comes. */
    private @Nullable Object poll(long untilNs) {
        while (true) {
            Object came = queue.poll();
            if (came != null) {
                queued.decrementAndGet();
                return came;
            }
            if (!await(untilNs) && queue.isEmpty()) {
                return null;
            }
        }
    }

    /** False if it was in vain. */
    private boolean await(long untilNs) {
        long leftNs = untilNs - Waits.nanoTime();
        if (leftNs <= 0 && Fiber.currentOrNull() == null) {
            return false;
        }
        return arrived.await(Duration.ofNanos(Math.max(0, leftNs)));
    }

    private AssertionError unexpected(String what, Object came, List<Object> leftOut) {
        String others = leftOut.isEmpty() ? "" : "; left out: " + shown(leftOut);
        AssertionError error =
                new AssertionError(
                        this
                                + ": expected "
                                + what
                                + ", but came "
                                + came
                                + "; "
                                + queuedText()
                                + others);
        if (came instanceof Failure(Throwable cause)) {
            error.initCause(cause);
        }
        return error;
    }

    private String queuedText() {
        List<Object> now = queued();
        return now.isEmpty() ? "nothing is queued" : "queued: " + shown(now);
    }

    private static String shown(List<Object> all) {
        return all.size() <= SHOWN
                ? all.toString()
                : all.subList(0, SHOWN) + " and " + (all.size() - SHOWN) + " more";
    }

    @Override
    public String toString() {
        return "probe " + name;
    }

    /** The side of those that tell; for any thread. */
    private final class Keeping implements ProbeTarget.Sink {
        @Override
        @SuppressWarnings("unchecked") // told as M
        public void told(Object message) {
            recorder.told(ref(), message);
            keep(message);
            Consumer<? super M> replies = answer;
            if (replies != null) {
                replies.accept((M) message);
            }
        }

        @Override
        public void failed(Throwable failure) {
            recorder.failed(ref(), failure);
            keep(new Failure(failure));
        }

        private void keep(Object item) {
            if (queued.incrementAndGet() > CAPACITY) {
                queued.decrementAndGet();
                throw new MailboxFullException(
                        Probe.this
                                + " keeps "
                                + CAPACITY
                                + " messages and has no room for "
                                + item);
            }
            queue.add(item);
            arrived.signal();
        }

        @Override
        public boolean ended(ExitReason reason) {
            recorder.ended(ref(), reason);
            return true;
        }

        @Override
        public MailboxSnapshot mailbox() {
            List<Object> now = queued();
            int shown = Math.min(now.size(), MailboxSnapshot.SHOWN);
            return new MailboxSnapshot(now.size(), CAPACITY, now.subList(0, shown));
        }
    }
}
