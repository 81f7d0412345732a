package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.actors.observe.ActorStatistics;
import dev.ropewalk.actors.observer.Sample.SystemSight;
import dev.ropewalk.actors.observer.TreeOrder.By;
import dev.ropewalk.actors.observer.TreeOrder.Row;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rows that one viewer sees. Of these alone each actor is asked itself, and its messages are
 * counted, so the price of a look does not grow with the system. To be closed, because counting
 * goes on until then. Confined to the observer's cord.
 */
final class Window implements AutoCloseable {
    /** Rows at once. */
    static final int MAX_ROWS = 500;

    private static final int DEFAULT_ROWS = 100;

    /** For all rows together; those that are asked later are shown as they were. */
    private static final Duration LIMIT = Duration.ofMillis(200);

    /**
     * Messages a second above which an actor is busy: counting takes some 20 ns a message, which is
     * much of one between two actors of a cord.
     */
    private static final double BUSY = 10_000;

    /** How long busy actors are counted, at least. */
    private static final Duration COUNTED = Duration.ofMillis(20);

    private final @Nullable Long systemId;
    private final @Nullable String system;
    private final String filter;
    private final By by;
    private final int from;
    private final int count;
    private final boolean hasNumbers;

    /** Whether messages are counted, of which rates are made at the next look. */
    private final boolean counts;

    /** By the ids of the rows. */
    private final Map<String, Watched> watched = new HashMap<>();

    /** An actor on the screen. Of a busy one messages are counted in a part of each second. */
    private static final class Watched {
        final ActorInspector inspector;

        /** Null while nothing is counted. */
        private @Nullable ActorStatistics counter;

        private long atNs;
        private long in;
        private boolean isBusy;

        Watched(ActorInspector inspector) {
            this.inspector = inspector;
        }

        /** Counts from now on; false if it does so already. A switchpoint. */
        boolean count() {
            if (counter != null) {
                return false;
            }
            counter = inspector.countReceived();
            atNs = Waits.nanoTime();
            in = 0;
            return true;
        }

        /** Messages a second since it counts, or since the last call. */
        double rate() {
            ActorStatistics now = counter;
            long nowNs = Waits.nanoTime();
            if (now == null || nowNs == atNs) {
                return Sample.UNKNOWN;
            }
            long all = now.in();
            double rate = (all - in) * 1e9 / (nowNs - atNs);
            atNs = nowNs;
            in = all;
            isBusy = rate > BUSY;
            closeIfBusy();
            return rate;
        }

        /** One that was not asked for its rate any more, because there was no time. */
        void closeIfBusy() {
            if (isBusy) {
                close();
            }
        }

        void close() {
            if (counter != null) {
                counter.close();
                counter = null;
            }
        }
    }

    /**
     * A row as it is shown.
     *
     * @param activity null for a supervisor, and for an actor that could not be asked
     * @param rate messages a second
     */
    record Shown(Row row, @Nullable ActorActivity activity, double rate) {
        private static Shown asItWas(Row row) {
            return new Shown(row, null, Sample.UNKNOWN);
        }
    }

    /**
     * The rows as they are shown.
     *
     * @param system null if there is none
     * @param total of all rows of the system that the filter lets through
     */
    record View(@Nullable SystemSight system, int total, int from, List<Shown> rows) {}

    /**
     * The window that a request asks for.
     *
     * @param isKept whether it is looked at again and again
     * @throws HttpException if its numbers are none
     */
    Window(HttpRequest request, boolean isKept) {
        this.counts = isKept;
        this.systemId = id(request, "systemId");
        this.system = request.query("system");
        String wanted = request.query("filter");
        this.filter = wanted == null ? "" : wanted;
        this.by = By.of(request.query("sort"));
        this.from = number(request, "from", 0, Integer.MAX_VALUE);
        this.count = number(request, "rows", DEFAULT_ROWS, MAX_ROWS);
        this.hasNumbers = "true".equals(request.query("numbers"));
    }

    /** Whether the numbers of {@code /metrics} are shown, too. */
    boolean hasNumbers() {
        return hasNumbers;
    }

    /** Null if it is not given. */
    static @Nullable Long id(HttpRequest request, String name) {
        String text = request.query(name);
        try {
            return text == null ? null : Long.valueOf(text);
        } catch (NumberFormatException none) {
            throw new HttpException(400, name + " is a number");
        }
    }

    private static int number(HttpRequest request, String name, int otherwise, int max) {
        String text = request.query(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= 0 && value <= max) {
                return value;
            }
        } catch (NumberFormatException none) {
            // the same answer
        }
        throw new HttpException(400, name + " is a number from 0 to " + max);
    }

    /** A switchpoint. */
    View look(Sample sample) {
        SystemSight seen = sample.system(systemId, system);
        if (seen == null) {
            watchOnly(Set.of());
            return new View(null, 0, 0, List.of());
        }
        List<Row> all = TreeOrder.rows(seen.actors(), filter, by);
        int first = Math.min(from, Math.max(0, all.size() - count));
        List<Row> visible = all.subList(first, Math.min(all.size(), first + count));
        Set<String> ids = new HashSet<>();
        visible.forEach(each -> ids.add(each.id()));
        watchOnly(ids);
        List<Shown> rows = new ArrayList<>(visible.size());
        Set<String> silent = new HashSet<>(seen.silent());
        silent.addAll(sample.silentCords());
        long endNs = Waits.nanoTime() + LIMIT.toNanos();
        countBusy(visible, silent, endNs - LIMIT.toNanos() / 2);
        for (Row each : visible) {
            boolean isTime = endNs - Waits.nanoTime() > 0;
            rows.add(isTime ? look(seen.system(), each, silent) : Shown.asItWas(each));
        }
        watched.values().forEach(Watched::closeIfBusy);
        return new View(seen, all.size(), first, List.copyOf(rows));
    }

    /** All of them for a while, or as many as can be asked until then. */
    private void countBusy(List<Row> visible, Set<String> silent, long endNs) {
        boolean isAny = false;
        for (Row each : visible) {
            if (endNs - Waits.nanoTime() <= 0) {
                break;
            }
            Watched known = watched.get(each.id());
            ActorGlance actor = each.actor();
            if (known != null && actor != null && !silent.contains(actor.cord())) {
                isAny |= count(known, actor, silent);
            }
        }
        if (isAny) {
            Fiber.sleep(COUNTED);
        }
    }

    private boolean count(Watched busy, ActorGlance actor, Set<String> silent) {
        try {
            return counts && busy.count();
        } catch (FiberTimeoutException noAnswer) {
            silent.add(actor.cord());
            return false;
        } catch (IllegalStateException ended) {
            return false;
        }
    }

    private Shown look(ActorSystem of, Row row, Set<String> silent) {
        ActorGlance actor = row.actor();
        if (actor == null || silent.contains(actor.cord())) {
            return Shown.asItWas(row);
        }
        try {
            Watched now = watched.get(row.id());
            boolean isNew = now == null;
            if (now == null) {
                now = watch(of, actor);
                if (now == null) {
                    return Shown.asItWas(row);
                }
                watched.put(row.id(), now);
            }
            ActorActivity activity = now.inspector.activity();
            return new Shown(row, activity, isNew ? Sample.UNKNOWN : now.rate());
        } catch (FiberTimeoutException noAnswer) {
            silent.add(actor.cord()); // its other actors would take the same limit each
            return Shown.asItWas(row);
        } catch (IllegalStateException ended) {
            return Shown.asItWas(row);
        }
    }

    /** Null if the actor is not there any more. */
    private @Nullable Watched watch(ActorSystem of, ActorGlance actor) {
        ActorRef<?> ref = of.find(actor.number());
        if (ref == null) {
            return null;
        }
        Watched made = new Watched(ActorInspector.of(ref).within(Sampler.LIMIT));
        if (counts) {
            made.count();
        }
        return made;
    }

    /** The actor at a path that begins with the system's root; null if there is none. */
    static @Nullable ActorRef<?> find(ActorSystem of, String path) {
        int below = path.indexOf('/');
        return below < 0 ? null : of.find(path.substring(below + 1));
    }

    private void watchOnly(Set<String> ids) {
        watched.entrySet()
                .removeIf(
                        each -> {
                            boolean isGone = !ids.contains(each.getKey());
                            if (isGone) {
                                each.getValue().close();
                            }
                            return isGone;
                        });
    }

    @Override
    public void close() {
        watchOnly(Set.of());
    }
}
