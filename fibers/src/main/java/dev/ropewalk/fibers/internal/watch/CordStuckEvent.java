package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.observe.WatchdogReport;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.stream.Collectors;

/**
 * Tells the flight recorder of a cord that does not yield (rule F13), with no flag but that of the
 * recording. Made by the watchdog's thread when it reports anyway, so cords pay nothing, and
 * without a recording it costs nothing at all.
 */
@Name("dev.ropewalk.CordStuck")
@Label("Cord Stuck")
@Description("A cord that is busy and has come to no switchpoint for its limit")
@Category("Ropewalk")
@StackTrace(false) // it would be the watchdog's own
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
final class CordStuckEvent extends Event {
    /** The recorder keeps long texts, and a stack may be thousands of frames deep. */
    private static final int MAX_STACK_FRAMES = 64;

    @Label("Cord")
    String cord = "";

    @Label("Fiber")
    @Nullable String fiber;

    @Label("Fiber Number")
    long number;

    @Label("Stuck For")
    @Timespan(Timespan.NANOSECONDS)
    long stuckFor;

    @Label("CPU Time")
    @Description("Used by the cord's thread meanwhile; -1 if the JVM cannot tell")
    @Timespan(Timespan.NANOSECONDS)
    long cpuTime;

    @Label("Stack of the Cord")
    String stack = "";

    @Label("Monitor")
    @Description("What the cord's thread is blocked on; nothing if it waits for no monitor")
    @Nullable String monitor;

    /** No effect without a recording. */
    static void commit(WatchdogReport.Stuck report) {
        CordStuckEvent event = new CordStuckEvent();
        if (event.shouldCommit()) {
            event.tell(report);
            event.commit();
        }
    }

    private void tell(WatchdogReport.Stuck report) {
        Fiber<?> ran = report.fiber();
        Duration cpu = report.cpuTime();
        cord = report.cord().name();
        fiber = ran == null ? null : ran.name();
        number = ran == null ? 0 : ran.id();
        stuckFor = report.time().toNanos();
        cpuTime = cpu == null ? -1 : cpu.toNanos();
        monitor = report.monitor() == null ? null : report.monitor().toString();
        stack =
                report.stack().stream()
                        .limit(MAX_STACK_FRAMES)
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining("\n"));
    }
}
