package dev.ropewalk.actors.testing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A record of the actions of actors, line by line, to compare two runs: on virtual cords the same
 * program and seed give the same trace (rule F14).
 *
 * {@snippet file="dev/ropewalk/actors/testing/ActorTestingSnippetsTest.java" region="trace"}
 *
 * <p>A line has the time since the first line in nanoseconds, the cord, and what happened there. It
 * uses the {@code toString} of messages, so that has to be the same in each run; one that has none
 * of its own stands there by its class.
 *
 * <p>The first lines are kept, and a digest of all. All methods work from any thread; the order of
 * what real threads do is not repeatable.
 */
public final class Trace {
    /** How many lines are kept unless the constructor says otherwise. */
    public static final int KEPT = 100_000;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    /** Lines before the first difference that an error shows. */
    private static final int CONTEXT = 3;

    private final int max;

    /** Guarded by this, as all below. */
    private final List<String> lines = new ArrayList<>();

    private long count;
    private long digest = FNV_OFFSET;
    private @Nullable Long firstNs;

    /** A trace that keeps {@value #KEPT} lines. */
    public Trace() {
        this(KEPT);
    }

    /**
     * A trace.
     *
     * @param max how many lines it keeps at most; later ones are in its digest only
     * @throws IllegalArgumentException if it is negative
     */
    public Trace(int max) {
        if (max < 0) {
            throw new IllegalArgumentException("max=" + max + " is negative; 0 keeps no lines");
        }
        this.max = max;
    }

    // ---------------------------------------------------------------- recording

    /**
     * {@return the definition of an actor that writes into this trace} It writes each start, each
     * message before the actor handles it, each failure, and each end. It keeps its options; with
     * {@link Actor#keepState} a restart writes no start, because nothing is made anew.
     *
     * <p>Put it around {@link Faults#around}, and the trace has all messages that came; put the
     * faults around it, and it has those that the actor got.
     *
     * @param <M> the type of the messages
     * @param actor how the actor is made; several may be made from what is returned
     */
    public <M> Actor<M> around(Actor<M> actor) {
        return Tapped.around(actor, this::follow);
    }

    private Tap follow(ActorContext<?> self) {
        String who = self.self().toString();
        add(who + " starts");
        self.atEnd(reason -> add(who + " ends: " + text(reason)));
        return new Tap() {
            @Override
            public boolean in(Object message) {
                add(who + " gets " + text(message));
                return true;
            }

            @Override
            public void out(Object message, String to) {}

            @Override
            public void failed(Object message, Throwable failure) {
                add(who + " fails on " + text(message) + ": " + failure);
            }
        };
    }

    private static String text(ExitReason reason) {
        Throwable failure = reason.failure();
        return failure == null ? reason.toString() : "failed: " + failure;
    }

    /**
     * Writes a dead letter; may be given to an {@link dev.ropewalk.actors.ActorSystem} as {@code
     * trace::deadLetter}.
     *
     * @param letter what was not processed
     */
    public void deadLetter(DeadLetter letter) {
        add(
                "dead letter to "
                        + letter.recipient()
                        + ", "
                        + letter.reason()
                        + ": "
                        + text(letter.message()));
    }

    /**
     * Writes a line.
     *
     * @param what stands behind the time and the cord
     */
    public void add(String what) {
        Objects.requireNonNull(what, "what");
        Cord cord = Cord.currentOrNull();
        if (cord == null) {
            write("- - " + what); // the clock there is the machine's, which no run repeats
        } else {
            write(Waits.nanoTime(), cord.name(), what);
        }
    }

    private synchronized void write(long nowNs, String cord, String what) {
        if (firstNs == null) {
            firstNs = nowNs;
        }
        write(nowNs - firstNs + " " + cord + " " + what);
    }

    private synchronized void write(String line) {
        count++;
        for (int i = 0; i < line.length(); i++) {
            digest = (digest ^ line.charAt(i)) * FNV_PRIME;
        }
        digest = (digest ^ '\n') * FNV_PRIME;
        if (lines.size() < max) {
            lines.add(line);
        }
    }

    /** Without the address that {@link Object#toString} ends with, another one in each run. */
    private static String text(Object message) {
        String text = String.valueOf(message);
        String address = "@" + Integer.toHexString(System.identityHashCode(message));
        if (!text.endsWith(address)) {
            return text;
        }
        Class<?> type = message.getClass();
        String name = text.substring(0, text.length() - address.length());
        return type.isHidden() ? name.substring(0, name.indexOf('/')) : name;
    }

    // ---------------------------------------------------------------- looking

    /** {@return how many lines were written, kept or not} */
    public synchronized long count() {
        return count;
    }

    /** {@return a number that is the same for the same lines in the same order} */
    public synchronized long digest() {
        return digest;
    }

    /** {@return the lines that are kept; a copy} */
    public synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * Fails unless the other trace has the same lines.
     *
     * @param other the trace of another run
     * @throws AssertionError if they differ; it names the first difference, with what came before
     */
    public void expectSame(Trace other) {
        if (count() == other.count() && digest() == other.digest()) {
            return;
        }
        List<String> mine = lines();
        List<String> others = other.lines();
        int same = 0;
        while (same < mine.size()
                && same < others.size()
                && mine.get(same).equals(others.get(same))) {
            same++;
        }
        throw new AssertionError(
                "the traces differ behind line "
                        + same
                        + ": "
                        + line(mine, same, count())
                        + ", but the other has "
                        + line(others, same, other.count())
                        + "; before: "
                        + mine.subList(Math.max(0, same - CONTEXT), same));
    }

    private static String line(List<String> kept, int index, long count) {
        return index < kept.size()
                ? kept.get(index)
                : index < count ? "a line that is not kept" : "no more lines";
    }

    /** The number of lines and the digest. */
    @Override
    public synchronized String toString() {
        return "trace of " + count + " lines, digest " + Long.toHexString(digest);
    }
}
