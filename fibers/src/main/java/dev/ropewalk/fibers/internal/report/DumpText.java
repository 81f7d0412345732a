package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.FiberDump;
import dev.ropewalk.fibers.observe.FiberTime;
import dev.ropewalk.fibers.observe.TimerDump;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/** A {@link CordDump} as text of several lines. */
public final class DumpText {
    /** A tree may be deeper than a line is long. */
    private static final int MAX_INDENTS = 40;

    private final StringBuilder text = new StringBuilder();

    private DumpText() {}

    public static String of(CordDump dump) {
        DumpText all = new DumpText();
        all.addCord(dump);
        dump.fibers().forEach(all::addFiber);
        if (dump.moreFibers() > 0) {
            all.line(1, "... and " + dump.moreFibers() + " more fibers");
        }
        dump.timers().forEach(all::addTimer);
        dump.cycles().forEach(cycle -> all.line(1, cycle));
        return all.text.toString();
    }

    /** One line that says which fiber a cord that does not answer runs, and where. */
    public static String ofStuck(CordDump dump, int maxFrames) {
        StringBuilder text =
                new StringBuilder(dump.cord()).append(" runs ").append(runningOf(dump));
        dump.stack().stream().limit(maxFrames).forEach(frame -> text.append(" at ").append(frame));
        return text.toString();
    }

    private static String runningOf(CordDump dump) {
        return dump.running() == null ? "no fiber" : dump.running();
    }

    private void addCord(CordDump dump) {
        CordStats stats = dump.stats();
        text.append("cord ").append(dump.cord());
        switch (dump.state()) {
            case COMPLETE -> text.append(": ");
            case INCOMPLETE ->
                    text.append(" did not answer, so this is incomplete and from outside: it runs ")
                            .append(runningOf(dump))
                            .append("; ");
            case ENDED -> text.append(" has ended; ");
        }
        text.append(stats.stacks())
                .append(" stacks, ")
                .append(stats.runnable())
                .append(" runnable, ")
                .append(stats.timers())
                .append(" timers")
                .append(dump.nextTimer() == null ? "" : ", the next " + when(dump.nextTimer()))
                .append(", ")
                .append(stats.inbox())
                .append(" messages, ")
                .append(stats.idleStacks())
                .append(" idle stacks, ")
                .append(stats.tasks())
                .append(" tasks; so far ")
                .append(stats.switches())
                .append(" switches, ")
                .append(stats.started())
                .append(" fibers started, ")
                .append(stats.ended())
                .append(" ended");
        addStack(1, dump.stack());
    }

    private static String when(Duration untilNext) {
        return untilNext.isNegative() ? "overdue by " + untilNext.negated() : "in " + untilNext;
    }

    private void addFiber(FiberDump fiber) {
        int depth = 1 + Math.min(fiber.depth(), MAX_INDENTS);
        line(depth, fiber.isForeignChild() ? "foreign " : "");
        text.append(fiber.name()).append(" #").append(fiber.id());
        if (fiber.isForeignChild()) {
            text.append(" of #").append(fiber.parent());
        }
        text.append(' ').append(fiber.state());
        if (fiber.waitKind() != null) {
            text.append(" (").append(fiber.waitKind()).append("): ").append(fiber.reason());
        }
        if (!fiber.awaits().isEmpty()) {
            text.append(", waits for ").append(String.join(", ", fiber.awaits()));
        }
        addNote(", pending: ", fiber.pending());
        if (fiber.children() > 0) {
            text.append(", children=").append(fiber.children());
        }
        FiberTime time = fiber.time();
        if (time != null) {
            text.append(", switches=").append(time.switches()).append(", ran=").append(time.ran());
            text.append(", share=").append(Math.round(100 * time.share())).append('%');
        }
        addStack(depth + 1, fiber.stack());
    }

    private void addTimer(TimerDump timer) {
        line(1, "timer " + when(timer.due()) + ": " + timer.kind() + " of " + timer.owner());
    }

    private void addNote(String label, @Nullable String note) {
        if (note != null) {
            text.append(label).append(note);
        }
    }

    private void addStack(int depth, List<StackTraceElement> stack) {
        for (StackTraceElement frame : stack) {
            line(depth, "at " + frame);
        }
    }

    private void line(int depth, String begin) {
        text.append('\n').append("  ".repeat(depth)).append(begin);
    }
}
