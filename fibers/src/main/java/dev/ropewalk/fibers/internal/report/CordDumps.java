package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.FiberDump;
import dev.ropewalk.fibers.observe.FiberTime;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Dumps that are asked for from anywhere. */
public final class CordDumps {
    public static final Duration LIMIT = Duration.ofSeconds(1);

    private CordDumps() {}

    /** All are asked before the first answer is awaited. */
    public static List<CordDump> of(List<? extends Cord> cords, Duration limit) {
        return of(cords, limit, Lines::of);
    }

    /** Calls no {@code toString} of the program: the classes of its objects are told. */
    public static CordDump ofOwnTexts(Cord cord, Duration limit) {
        return of(List.of(cord), limit, Lines::ofOwn).getFirst();
    }

    /**
     * The same of one fiber; null if the cord has none of that id, or does not answer. All fibers
     * of the cord are looked at, in one step; a text and a stack are made of this one alone.
     */
    public static @Nullable FiberDump ofOwnTexts(Cord cord, long id, Duration limit) {
        CordImpl asked = CordImpl.of(cord);
        CordQuery<Optional<FiberDump>> query =
                CordQuery.ask(
                        cord, () -> Optional.ofNullable(DumpTaker.take(asked, id, Lines::ofOwn)));
        Optional<FiberDump> found = query.await(Waits.nanos(limit));
        return found == null ? null : found.orElse(null);
    }

    private static List<CordDump> of(
            List<? extends Cord> cords, Duration limit, Function<Object, String> words) {
        long limitNs = Waits.nanos(limit);
        List<CordQuery<CordDump>> queries = new ArrayList<>(cords.size());
        for (Cord each : cords) {
            queries.add(CordQuery.ask(each, () -> DumpTaker.take(CordImpl.of(each), words)));
        }
        long startNs = now();
        List<CordDump> dumps = new ArrayList<>(cords.size());
        for (int i = 0; i < cords.size(); i++) {
            CordImpl cord = CordImpl.of(cords.get(i));
            long leftNs = limitNs == Long.MAX_VALUE ? limitNs : limitNs - (now() - startNs);
            CordDump dump = queries.get(i).await(Math.max(0, leftNs));
            if (dump != null) {
                dumps.add(dump);
            } else if (queries.get(i).hasCordEnded()) {
                dumps.add(DumpTaker.ofEnded(cord));
            } else {
                dumps.add(DumpTaker.ofStuck(cord));
            }
        }
        return dumps;
    }

    /** The clock by which the asker waits. */
    private static long now() {
        CordImpl here = CordImpl.currentOrNull();
        return here == null ? RealPlatform.now() : here.nanoTime();
    }

    public static List<String> cycles(CordImpl cord, Duration limit) {
        return cycles(cord, limit, Lines::of);
    }

    /** Calls no {@code toString} of the program. */
    public static List<String> cyclesOfOwnTexts(Cord cord, Duration limit) {
        return cycles(CordImpl.of(cord), limit, Lines::ofOwn);
    }

    private static List<String> cycles(
            CordImpl cord, Duration limit, Function<Object, String> words) {
        CycleSearch search = new CycleSearch(cord, words);
        CordQuery<List<String>> query = CordQuery.askInSteps(cord, search::step);
        List<String> cycles = query.await(Waits.nanos(limit));
        if (cycles == null && !query.hasCordEnded()) {
            throw notAnswered(cord, limit);
        }
        return cycles == null ? List.of() : cycles;
    }

    private static FiberTimeoutException notAnswered(CordImpl cord, Duration limit) {
        return new FiberTimeoutException(
                cord + " did not answer within " + limit + "; its dump() shows where it is");
    }

    public static List<FiberTime> top(CordImpl cord, int most, Duration limit) {
        if (most < 1) {
            throw new IllegalArgumentException("most=" + most + " is not positive");
        }
        if (!FiberTimes.ON) {
            throw new IllegalStateException(
                    "how long the fibers of "
                            + cord
                            + " ran is not known: start the JVM with -Dropewalk.fiberTimes=true");
        }
        CordQuery<List<FiberTime>> query =
                CordQuery.ask(cord, () -> cord.loop.times().top(most, cord.nanoTime()));
        List<FiberTime> top = query.await(Waits.nanos(limit));
        if (top == null && !query.hasCordEnded()) {
            throw notAnswered(cord, limit);
        }
        return top == null ? List.of() : top;
    }
}
