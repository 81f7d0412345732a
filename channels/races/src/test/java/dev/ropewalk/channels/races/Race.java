package dev.ropewalk.channels.races;

import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.ReceiveResult;
import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * What all races have: parties that wait for each other and then act at once, each a plain thread
 * or a fiber of a cord of its own. Which of them are fibers, and how much later one begins, differs
 * from sample to sample, by a number and not at random.
 *
 * <p>jcstress has two parties, its actors, because it leaves out a race with more of them than the
 * machine has CPUs; a third one is a fiber beside the first. An act that may wait has a limit, and
 * none may take as long: a wake-up that is lost shows as {@link #HUNG}, which no race allows.
 */
public abstract class Race {
    /** What an act answers if its limit passed where it must not. */
    protected static final String HUNG = "HUNG";

    protected static final int FIRST = 0;
    protected static final int SECOND = 1;
    protected static final int THIRD = 2;

    private static final String NONE = "none";
    private static final Duration PATIENT = Duration.ofSeconds(5);
    private static final Duration IMPATIENT = Duration.ofMillis(1);

    /** Around the time that a party takes to arrive; 0 is one turn. */
    private static final List<Duration> SHORT =
            List.of(
                    Duration.ZERO,
                    Duration.ofNanos(1_000),
                    Duration.ofNanos(20_000),
                    Duration.ofNanos(100_000));

    private static final int[] DELAYS = {0, 0, 5, 0, 40, 0, 200, 10};
    private static final int SPINS_BEFORE_YIELD = 200;

    private static final AtomicInteger SAMPLES = new AtomicInteger();
    private static final List<Cord> CORDS = List.of(cord("first"), cord("second"), cord("third"));

    /** One that hung is enough: the others then need not take as long. */
    private static volatile Duration limit = PATIENT;

    private final int sample = SAMPLES.getAndIncrement();
    private final Queue<Integer> undelivered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger missing;

    /**
     * One sample.
     *
     * @param parties how many meet
     */
    protected Race(int parties) {
        this.missing = new AtomicInteger(parties);
    }

    private static Cord cord(String name) {
        return Cord.start(
                CordOptions.named(name)
                        .withThreadFactory(
                                body -> Thread.ofPlatform().name(name).daemon().unstarted(body)));
    }

    // ---------------------------------------------------------------- parties

    /** Acts when all have come: in half of the samples this thread, otherwise a fiber. */
    protected final @Nullable Object act(int party, Callable<?> act) {
        if ((sample >> party & 1) == 0) {
            try {
                return together(party, act);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return actOnCord(party, act);
    }

    /** Acts when all have come, as a fiber. */
    protected final @Nullable Object actOnCord(int party, Callable<?> act) {
        return spin(party, act).await();
    }

    /** The third party, a fiber; the first one begins it, and awaits it after its own act. */
    protected final Fiber<@Nullable Object> beside(Callable<?> act) {
        return spin(THIRD, act);
    }

    private Fiber<@Nullable Object> spin(int party, Callable<?> act) {
        return CORDS.get(party).<@Nullable Object>spin("party", () -> together(party, act));
    }

    private @Nullable Object together(int party, Callable<?> act) throws Exception {
        missing.decrementAndGet();
        for (int i = 0; missing.get() > 0; i++) {
            if (i < SPINS_BEFORE_YIELD) {
                Thread.onSpinWait();
            } else {
                yieldCpu();
            }
        }
        hesitate(party);
        long limitNs = limit.toNanos();
        long sinceNs = Waits.nanoTime();
        Object result = act.call();
        // What was given without a wake-up is found when the limit passes.
        return Waits.nanoTime() - sinceNs < limitNs ? result : hung();
    }

    /** For as long as it is this party's turn to be late. */
    protected final void hesitate(int party) {
        for (int left = DELAYS[(sample >> 2) * (party + 3) & 7]; left > 0; left--) {
            Thread.onSpinWait();
        }
    }

    /** Not the fiber but the thread gives way: the party that is awaited may need this CPU. */
    @SuppressWarnings("ThreadPriorityCheck") // to be late is all that can come of it
    private static void yieldCpu() {
        Thread.yield();
    }

    /** The cord of a party, to place something there. */
    protected static Cord cordOf(int party) {
        return CORDS.get(party);
    }

    /** What another party makes and puts there. */
    protected static <T> T made(AtomicReference<@Nullable T> place) {
        T made = place.get();
        while (made == null) {
            yieldCpu();
            made = place.get();
        }
        return made;
    }

    // ---------------------------------------------------------------- acts

    /** An act without a result. */
    protected static Callable<String> done(Runnable act) {
        return () -> {
            act.run();
            return "done";
        };
    }

    /** A limit that only a lost wake-up reaches. */
    protected static Duration limit() {
        return limit;
    }

    /** What a call answers that reached that limit. */
    protected static String hung() {
        limit = IMPATIENT;
        return HUNG;
    }

    /** A limit that passes at about the moment at which the other parties act. */
    protected final Duration shortLimit() {
        return SHORT.get((sample >> 2) % SHORT.size());
    }

    protected static String send(SendPort<Integer> port, int element) {
        SendResult result = port.sendResult(element, limit());
        return result == SendResult.TIMED_OUT ? hung() : result.name();
    }

    protected static String receive(ReceivePort<Integer> port) {
        ReceiveResult<Integer> result = port.receiveResult(limit());
        return result instanceof ReceiveResult.TimedOut ? hung() : text(result);
    }

    protected static String tryReceive(ReceivePort<Integer> port) {
        return text(port.tryReceiveResult());
    }

    /** Short for the element, CLOSED or none. */
    protected static String text(ReceiveResult<Integer> result) {
        return switch (result) {
            case ReceiveResult.Element<Integer>(Integer element) -> element.toString();
            case ReceiveResult.Closed<Integer> closed -> SendResult.CLOSED.name();
            case ReceiveResult.TimedOut<Integer> timedOut -> NONE;
        };
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // the list copies them
    protected static String select(Clause<String>... clauses) {
        List<Clause<String>> all = new ArrayList<>(Arrays.asList(clauses));
        all.add(Select.after(limit(), Race::hung));
        return Select.<String>of(all).await();
    }

    // ---------------------------------------------------------------- what is left

    /** For a channel whose undelivered elements are to be seen. */
    protected final Consumer<Integer> undelivered() {
        return undelivered::add;
    }

    /** All that the hook was given; sorted, because it may be given them by two threads. */
    protected final String undeliveredText() {
        return text(undelivered.stream().sorted().toList());
    }

    protected static String rest(ReceivePort<Integer> port) {
        return text(port.drain());
    }

    protected static String text(Collection<?> elements) {
        return elements.isEmpty()
                ? NONE
                : String.join(" ", elements.stream().map(String::valueOf).toList());
    }
}
