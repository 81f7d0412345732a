package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.observe.SystemSnapshot;
import dev.ropewalk.actors.observer.Sample.SystemSight;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.report.CordDumps;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerStats;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.sync.Mutex;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Asks cords and systems, once a second at most, and only when a viewer wants to know. Confined to
 * the observer's cord.
 *
 * <p>Cords and systems are asked side by side, so those that do not answer delay a sample by {@link
 * #LIMIT}, however many there are. Of a silent one the dump is taken from outside, without its
 * thread.
 */
final class Sampler {
    /** How long a cord may take to answer. */
    static final Duration LIMIT = Duration.ofMillis(100);

    /** Viewers that ask within it get the same sample. */
    private static final long FRESH_NS = Duration.ofMillis(800).toNanos();

    /** Characters of a source. */
    private static final int MAX_SOURCE = 64 * 1024;

    private final ObjectIds ids;
    private final Map<String, Supplier<String>> sources;
    private final Mutex taking = Mutex.local();
    private @Nullable Sample last;
    private Map<Cord, CordStats> lastStats = Map.of();
    private Map<Scheduler, SchedulerStats> lastTasks = Map.of();
    private final Map<ActorSystem, Long> lastLetters = new HashMap<>();

    Sampler(ObjectIds ids, Map<String, Supplier<String>> sources) {
        this.ids = ids;
        this.sources = sources;
    }

    /** Nobody looks any more: nothing is kept of what was seen. */
    void forget() {
        last = null;
        lastStats = Map.of();
        lastTasks = Map.of();
        lastLetters.clear();
    }

    /** A switchpoint. */
    Sample sample() {
        return taking.call(
                () -> {
                    Sample known = last;
                    if (known == null || Waits.nanoTime() - known.atNs() >= FRESH_NS) {
                        known = take(known);
                        last = known;
                    }
                    return known;
                });
    }

    private Sample take(@Nullable Sample before) {
        long nowNs = Waits.nanoTime();
        double seconds = before == null ? 0 : (nowNs - before.atNs()) / 1e9;
        Map<Cord, CordStats> stats = new HashMap<>();
        List<Fiber<CordSight>> asked = new ArrayList<>();
        for (Cord cord : Cord.all()) {
            CordStats now = cord.stats();
            stats.put(cord, now);
            CordStats then = lastStats.get(cord);
            asked.add(Fiber.spin("asks " + cord.name(), () -> look(cord, now, then, seconds)));
        }
        List<Fiber<SystemSight>> askedToo = new ArrayList<>();
        for (ActorSystem system : ActorSystem.all()) {
            askedToo.add(Fiber.spin("asks " + system.name(), () -> look(system, seconds)));
        }
        List<CordSight> cords = asked.stream().map(Fiber::await).toList();
        List<SystemSight> systems = askedToo.stream().map(Fiber::await).toList();
        List<SchedulerSight> schedulers = schedulers(seconds);
        lastStats = stats;
        lastLetters.keySet().retainAll(systems.stream().map(SystemSight::system).toList());
        return new Sample(nowNs, cords, schedulers, systems, sights());
    }

    private List<SchedulerSight> schedulers(double seconds) {
        Map<Scheduler, SchedulerStats> now = new HashMap<>();
        List<SchedulerSight> sights = new ArrayList<>();
        for (Scheduler each : Scheduler.all()) {
            SchedulerStats stats = each.stats();
            SchedulerStats then = lastTasks.get(each);
            now.put(each, stats);
            double placed = Sample.UNKNOWN;
            double stolen = Sample.UNKNOWN;
            if (then != null && seconds > 0) {
                placed = (stats.placed() - then.placed()) / seconds;
                stolen = (stats.stolen() - then.stolen()) / seconds;
            }
            sights.add(new SchedulerSight(ids.of(each), each.name(), stats, placed, stolen));
        }
        lastTasks = now;
        return List.copyOf(sights);
    }

    private List<SourceSight> sights() {
        List<SourceSight> all = new ArrayList<>();
        sources.forEach((name, source) -> all.add(look(name, source)));
        return List.copyOf(all);
    }

    /** It is code of the program, and may fail in any way. */
    private static SourceSight look(String name, Supplier<String> source) {
        try {
            String json = source.get();
            return json.length() <= MAX_SOURCE
                    ? new SourceSight(name, json, null)
                    : new SourceSight(
                            name, null, json.length() + " > " + MAX_SOURCE + " characters");
        } catch (Throwable failed) {
            Waits.throwIfSignal(failed);
            return new SourceSight(name, null, Texts.of(failed));
        }
    }

    private CordSight look(Cord cord, CordStats now, @Nullable CordStats then, double seconds) {
        double busy = Sample.UNKNOWN;
        double switches = Sample.UNKNOWN;
        if (then != null && seconds > 0) {
            double slept = now.slept().minus(then.slept()).toNanos() / 1e9;
            busy = Math.clamp(1 - slept / seconds, 0, 1);
            switches = Math.max(0, now.switches() - then.switches()) / seconds;
        }
        List<String> circles = List.of();
        CordDump outside = null;
        try {
            circles = CordDumps.cyclesOfOwnTexts(cord, LIMIT);
        } catch (FiberTimeoutException silent) {
            CordDump dump = CordDumps.ofOwnTexts(cord, Duration.ZERO);
            outside = dump.state() == CordDump.State.INCOMPLETE ? dump : null; // not just woken
        }
        return new CordSight(
                ids.of(cord),
                cord.name(),
                now,
                busy,
                switches,
                outside != null,
                outside == null ? null : outside.running(),
                outside == null ? List.of() : outside.stack(),
                circles);
    }

    private SystemSight look(ActorSystem system, double seconds) {
        long letters = system.deadLetterCount();
        Long before = lastLetters.put(system, letters);
        double rate =
                before == null || seconds == 0 ? Sample.UNKNOWN : (letters - before) / seconds;
        try {
            SystemSnapshot snapshot = system.snapshot(LIMIT);
            return new SystemSight(
                    ids.of(system),
                    system,
                    snapshot.actors(),
                    snapshot.silent(),
                    letters,
                    rate,
                    null);
        } catch (RuntimeException ending) {
            return new SystemSight(
                    ids.of(system), system, List.of(), List.of(), letters, rate, Texts.of(ending));
        }
    }
}
