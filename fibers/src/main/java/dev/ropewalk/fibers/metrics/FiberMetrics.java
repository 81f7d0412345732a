package dev.ropewalk.fibers.metrics;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerStats;
import dev.ropewalk.fibers.sync.ResourcePool;

import java.util.Objects;

/**
 * The numbers of cords, schedulers and pools.
 *
 * <p>A group is the name of a cord without the number at its end, because a program may have as
 * many cords of a name as the machine has processors.
 */
public final class FiberMetrics {
    /** Between the name of a cord and its number. */
    private static final String BEFORE_NUMBER = "-_ #.:";

    private static final String GROUP = "group";

    private static final Metric CORDS = Metric.gauge("ropewalk.cords", "Cords that are alive.");
    private static final Metric SWITCHES =
            Metric.counter("ropewalk.cord.switches", "How often a fiber was given its cord.");
    private static final Metric POLLS =
            Metric.counter("ropewalk.cord.polls", "How often a cord has polled its inbox.");
    private static final Metric SLEEP =
            Metric.counter(
                    "ropewalk.cord.sleep.seconds", "How long threads of cords had nothing to do.");
    private static final Metric MESSAGES =
            Metric.counter("ropewalk.cord.messages", "Messages that came from other threads.");
    private static final Metric STARTED =
            Metric.counter("ropewalk.cord.fibers.started", "Fibers that have begun to run.");
    private static final Metric FIBERS =
            Metric.gauge("ropewalk.cord.fibers", "Fibers that have begun and have not ended.");
    private static final Metric RUNNABLE =
            Metric.gauge("ropewalk.cord.runnable", "Fibers in run queues.");
    private static final Metric INBOX =
            Metric.gauge("ropewalk.cord.inbox", "Messages of other threads that wait.");
    private static final Metric TIMERS =
            Metric.gauge("ropewalk.cord.timers", "Timers that are armed.");

    private static final Metric PLACED =
            Metric.counter("ropewalk.scheduler.placed", "Tasks that were spun.");
    private static final Metric ENDED =
            Metric.counter("ropewalk.scheduler.ended", "Tasks that have ended.");
    private static final Metric STOLEN =
            Metric.counter(
                    "ropewalk.scheduler.stolen", "Tasks that a cord has taken from another one.");

    private static final Metric RUNNING =
            Metric.gauge("ropewalk.blocking.running", "Blocking calls that have a thread.");
    private static final Metric PENDING =
            Metric.gauge("ropewalk.blocking.pending", "Blocking calls that wait for a thread.");

    private static final Metric IDLE =
            Metric.gauge("ropewalk.pool.idle", "Resources that wait to be lent.");
    private static final Metric LENT =
            Metric.gauge("ropewalk.pool.lent", "Resources that are lent.");
    private static final Metric WAITING =
            Metric.gauge("ropewalk.pool.waiting", "Borrowers that wait for a resource.");

    private FiberMetrics() {}

    /**
     * {@return the numbers of all cords of the process, by group} Cords are not asked: their
     * counters are read, so a stuck one has numbers too. The share of time in which the threads of
     * a group were busy is {@code 1 - rate(sleep) / cords}; a group of which the polls stand still
     * while its inbox is not empty is stuck.
     */
    public static MetricSource cords() {
        return FiberMetrics::collectCords;
    }

    private static void collectCords(MetricSink sink) {
        for (Cord each : Cord.all()) {
            String group = group(each.name());
            CordStats stats = each.stats();
            sink.add(CORDS, 1, GROUP, group);
            sink.count(SWITCHES, each, (double) stats.switches(), GROUP, group);
            sink.count(POLLS, each, (double) stats.polls(), GROUP, group);
            sink.count(SLEEP, each, stats.slept().toNanos() / 1e9, GROUP, group);
            sink.count(MESSAGES, each, (double) stats.messages(), GROUP, group);
            sink.count(STARTED, each, (double) stats.started(), GROUP, group);
            sink.add(FIBERS, (double) stats.alive(), GROUP, group);
            sink.add(RUNNABLE, stats.runnable(), GROUP, group);
            sink.add(INBOX, stats.inbox(), GROUP, group);
            sink.add(TIMERS, stats.timers(), GROUP, group);
        }
    }

    /** The whole name if it is a number. */
    private static String group(String name) {
        int end = name.length();
        while (end > 0 && Character.isDigit(name.charAt(end - 1))) {
            end--;
        }
        if (end == name.length()) {
            return name;
        }
        while (end > 0 && BEFORE_NUMBER.indexOf(name.charAt(end - 1)) >= 0) {
            end--;
        }
        return end == 0 ? name : name.substring(0, end);
    }

    /**
     * {@return the tasks of a scheduler} Its cords are among {@link #cords}.
     *
     * @param group which scheduler it is
     * @param scheduler alive or not
     */
    public static MetricSource scheduler(String group, Scheduler scheduler) {
        Objects.requireNonNull(group, GROUP);
        Objects.requireNonNull(scheduler, "scheduler");
        return sink -> {
            SchedulerStats stats = scheduler.stats();
            sink.count(PLACED, scheduler, (double) stats.placed(), GROUP, group);
            sink.count(ENDED, scheduler, (double) stats.ended(), GROUP, group);
            sink.count(STOLEN, scheduler, (double) stats.stolen(), GROUP, group);
        };
    }

    /**
     * {@return the calls of the process's own pool for blocking code, which {@link Blocking} uses;
     * their group is "blocking"}
     */
    public static MetricSource blocking() {
        return sink -> {
            sink.add(RUNNING, Blocking.running(), GROUP, "blocking");
            sink.add(PENDING, Blocking.pending(), GROUP, "blocking");
        };
    }

    /**
     * {@return the calls of a pool for blocking code}
     *
     * @param group which pool it is
     * @param pool open or closed
     */
    public static MetricSource blocking(String group, BlockingPool pool) {
        Objects.requireNonNull(group, GROUP);
        Objects.requireNonNull(pool, "pool");
        return sink -> {
            sink.add(RUNNING, pool.running(), GROUP, group);
            sink.add(PENDING, pool.pending(), GROUP, group);
        };
    }

    /**
     * {@return the loans of a pool of resources} A local pool can be read on its own cord only.
     *
     * @param group which pool it is
     * @param pool open or closed
     */
    public static MetricSource pool(String group, ResourcePool<?> pool) {
        Objects.requireNonNull(group, GROUP);
        Objects.requireNonNull(pool, "pool");
        return sink -> {
            sink.add(IDLE, pool.idle(), GROUP, group);
            sink.add(LENT, pool.lent(), GROUP, group);
            sink.add(WAITING, pool.waiting(), GROUP, group);
        };
    }
}
