package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.DeadLetter.Reason;
import dev.ropewalk.actors.DeadLetterSubscription;
import dev.ropewalk.actors.internal.sending.Inside;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Where a system's dead letters go: counted, and told to those that take them. While nobody does
 * they are logged, a few in each period and then how many more there were.
 *
 * <p>A message that a taker sends may become a dead letter too. That one is counted and logged and
 * not given to takers, otherwise one that tells an actor which has ended would never be done:
 * neither where it arises inside the taker, nor later and elsewhere, because the message bears a
 * mark ({@link dev.ropewalk.actors.internal.mailbox.Envelope#isOfTaker}).
 */
public final class DeadLetters {
    private static final int MAX_IN_A_PERIOD = 10;
    private static final long PERIOD_NS = Duration.ofSeconds(10).toNanos();
    private static final Log LOG = Logs.logger(DeadLetters.class);

    /** Of any system: two of them may tell each other's actors. */
    private static final Inside TAKERS = new Inside();

    /** Of each reason; no key is added later. */
    private final Map<Reason, AtomicLong> counts = new EnumMap<>(Reason.class);

    private final List<Taker> takers = new CopyOnWriteArrayList<>();

    // Of the log; guarded by this object's monitor, which is not held while a line is written.
    private long periodBeganNs;
    private int shown;
    private long hidden;

    /** Without a taker they are logged. */
    public DeadLetters(@Nullable Consumer<? super DeadLetter> taker) {
        for (Reason each : Reason.values()) {
            counts.put(each, new AtomicLong());
        }
        if (taker != null) {
            subscribe(taker);
        }
    }

    /** From any thread. */
    public DeadLetterSubscription subscribe(Consumer<? super DeadLetter> taker) {
        Taker subscription = new Taker(Objects.requireNonNull(taker, "taker"));
        takers.add(subscription);
        return subscription;
    }

    /** Whether the caller is inside a taker. Costs little while no taker is. */
    public static boolean areTakenHere() {
        return Taps.onTells() && TAKERS.isCaller();
    }

    /** Never throws. */
    public void report(DeadLetter letter) {
        report(letter, false);
    }

    /**
     * Never throws.
     *
     * @param isOfTaker whether a taker has sent the message, or the ask that it replies to
     */
    public void report(DeadLetter letter, boolean isOfTaker) {
        counter(letter.reason()).incrementAndGet();
        ActorEvents.deadLetter(letter);
        if (takers.isEmpty()) {
            log("dead letter {}", letter);
        } else if (isOfTaker || !TAKERS.enter()) {
            log(
                    "a taker of dead letters made another dead letter, which no taker gets: {}",
                    letter);
        } else {
            Taps.takerBegins();
            try {
                give(letter);
            } finally {
                Taps.takerEnds();
                TAKERS.leave();
            }
        }
    }

    private void give(DeadLetter letter) {
        for (Taker each : takers) {
            try {
                each.consumer.accept(letter);
            } catch (Throwable broken) {
                // Any failure: this may be the sender's fiber, or in the middle of an actor's end.
                Logs.tellBroken(LOG, broken, "the taker of dead letters failed for {}", letter);
            }
        }
    }

    private void log(String line, DeadLetter letter) {
        long nowNs = Waits.nanoTime();
        long before = 0;
        synchronized (this) {
            if (shown == 0 || nowNs - periodBeganNs >= PERIOD_NS) {
                before = hidden;
                periodBeganNs = nowNs;
                shown = 0;
                hidden = 0;
            }
            if (shown == MAX_IN_A_PERIOD) {
                hidden++;
                return;
            }
            shown++;
        }
        tellHidden(before);
        LOG.warn(line, letter);
    }

    /** The system ends: what was not shown is told. */
    public void end() {
        long before;
        synchronized (this) {
            before = hidden;
            hidden = 0;
        }
        tellHidden(before);
    }

    private static void tellHidden(long before) {
        if (before > 0) {
            LOG.warn("{} more dead letters were counted and not shown", before);
        }
    }

    /** Of all so far. */
    public long count() {
        return counts.values().stream().mapToLong(AtomicLong::get).sum();
    }

    private AtomicLong counter(Reason reason) {
        return Objects.requireNonNull(counts.get(reason));
    }

    /** Of one reason, so far. */
    public long count(Reason reason) {
        return counter(reason).get();
    }

    /** One that takes them. */
    private final class Taker implements DeadLetterSubscription {
        private final Consumer<? super DeadLetter> consumer;

        Taker(Consumer<? super DeadLetter> consumer) {
            this.consumer = consumer;
        }

        @Override
        public void close() {
            takers.remove(this);
        }

        @Override
        public String toString() {
            return "a taker of dead letters: " + consumer;
        }
    }
}
