package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.cord.FiberLoop;
import dev.ropewalk.fibers.internal.cord.IdleWait;
import dev.ropewalk.fibers.internal.cord.Inbox;
import dev.ropewalk.fibers.internal.cord.LightMount;
import dev.ropewalk.fibers.internal.cord.PortableMount;
import dev.ropewalk.fibers.internal.cord.StackMount;
import dev.ropewalk.fibers.internal.cord.VirtualMount;
import dev.ropewalk.fibers.internal.dump.CordQuery;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.fiber.Cancellation;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.fiber.WaitKind;
import dev.ropewalk.fibers.internal.stack.Stack;
import dev.ropewalk.fibers.internal.stack.Stacks;
import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.internal.watch.ThreadSampler;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.FiberDump;
import dev.ropewalk.fibers.observe.TimerDump;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Takes the dump of a cord: on it, while none of its fibers moves, or a poorer one from outside.
 *
 * <p>The tree is walked with a list of its own, because it may be deeper than a stack. User code,
 * which makes the texts of reasons, runs as no fiber, so it cannot wait and change the tree
 * meanwhile.
 */
public final class DumpTaker {
    private static final int MAX_FIBERS = 2_000;

    /** A stack trace takes tens of microseconds, and the cord stands still meanwhile. */
    private static final int MAX_STACKS = 200;

    private static final int MAX_FRAMES = 40;
    private static final int MAX_NAMES = 5;
    private static final int MAX_TIMERS = 20;

    /**
     * The switch itself, which is at the top of every stack that waits, and of the one that dumps.
     */
    private static final Set<String> OF_THE_SWITCH =
            Set.of(
                    "java.lang.Thread",
                    "java.lang.VirtualThread",
                    FiberImpl.class.getName(),
                    DumpTaker.class.getName(),
                    CordDumps.class.getName(),
                    CordQuery.class.getName(),
                    Inbox.class.getName(),
                    FiberLoop.class.getName(),
                    IdleWait.class.getName(),
                    StackMount.class.getName(),
                    LightMount.class.getName(),
                    VirtualMount.class.getName(),
                    PortableMount.class.getName());

    /** A fiber that is to be told, and how deep it is. */
    private record Entry(FiberImpl<?> fiber, int depth) {}

    private final CordImpl cord;
    private final WaitGraph graph;

    /** Tells reasons of waits, and exceptions. */
    private final Function<Object, String> words;

    private final List<FiberDump> fibers = new ArrayList<>();
    private int moreFibers;
    private int stacks;

    private DumpTaker(CordImpl cord, WaitGraph graph, Function<Object, String> words) {
        this.cord = cord;
        this.graph = graph;
        this.words = words;
    }

    // ---------------------------------------------------------------- the kinds

    /** Of one of the cord's fibers; on it, as no fiber. Null if it has none of that id. */
    static @Nullable FiberDump take(CordImpl cord, long id, Function<Object, String> words) {
        List<FiberImpl<?>> all = cord.roster.fibers();
        for (FiberImpl<?> each : all) {
            if (each.id() == id && each.outcome() == null) {
                DumpTaker taker = new DumpTaker(cord, new WaitGraph(List.of(cord), all), words);
                taker.add(each, 0);
                return taker.fibers.getFirst();
            }
        }
        return null;
    }

    /**
     * On the cord, as no fiber.
     *
     * @param words tells reasons of waits and exceptions, in a line
     */
    static CordDump take(CordImpl cord, Function<Object, String> words) {
        DumpTaker taker = new DumpTaker(cord, new WaitGraph(List.of(cord)), words);
        for (FiberImpl<?> top : cord.roster.topFibers()) {
            taker.addTree(top);
        }
        @Nullable FiberImpl<?> running = null;
        for (FiberImpl<?> each : cord.roster.fibers()) {
            running = each.rawState() == FiberImpl.RUNNING ? each : running;
        }
        List<TimerDump> timers = taker.timers();
        return new CordDump(
                cord.name(),
                CordDump.State.COMPLETE,
                cord.readStats(),
                timers.isEmpty() ? null : timers.getFirst().due(),
                timers,
                taker.fibers,
                taker.moreFibers,
                taker.graph.cycles(words),
                running == null ? null : running.name(),
                List.of());
    }

    /** From outside, of a cord that does not answer; the fiber is a hint. */
    public static CordDump ofStuck(CordImpl cord) {
        FiberImpl<?> running = cord.loop.running();
        return withoutFibers(
                cord,
                CordDump.State.INCOMPLETE,
                running == null ? null : running.name(),
                trimmed(ThreadSampler.stack(cord)));
    }

    /** On any thread. */
    static CordDump ofEnded(CordImpl cord) {
        return withoutFibers(cord, CordDump.State.ENDED, null, List.of());
    }

    private static CordDump withoutFibers(
            CordImpl cord,
            CordDump.State state,
            @Nullable String running,
            List<StackTraceElement> stack) {
        return new CordDump(
                cord.name(),
                state,
                cord.readStats(),
                null,
                List.of(),
                List.of(),
                0,
                List.of(),
                running,
                stack);
    }

    // ---------------------------------------------------------------- the tree

    private void addTree(FiberImpl<?> top) {
        ArrayDeque<Entry> toDo = new ArrayDeque<>();
        toDo.push(new Entry(top, 0));
        while (!toDo.isEmpty()) {
            Entry next = toDo.pop();
            FiberImpl<?> sibling = next.depth == 0 ? null : next.fiber.nextSibling;
            if (sibling != null) {
                toDo.push(new Entry(sibling, next.depth));
            }
            boolean isTop = next.fiber == top;
            if (next.fiber.cordOrNull() != cord || (next.fiber.isForeignChild() && !isTop)) {
                continue; // another cord's, which tells of it; or told with the foreign children
            }
            if (next.fiber.outcome() == null) {
                add(next.fiber, next.depth);
            }
            FiberImpl<?> child = next.fiber.firstChild();
            if (child != null) {
                toDo.push(new Entry(child, next.depth + 1));
            }
        }
    }

    private void add(FiberImpl<?> fiber, int depth) {
        if (fibers.size() == MAX_FIBERS) {
            moreFibers++;
            return;
        }
        FiberImpl<?> parent = fiber.parentOrNull();
        boolean waits = fiber.rawState() == FiberImpl.WAITING;
        Throwable pending = Cancellation.pending(fiber);
        fibers.add(
                new FiberDump(
                        fiber.id(),
                        Lines.line(fiber.name()),
                        depth,
                        parent == null ? 0 : parent.id(),
                        fiber.isForeignChild(),
                        fiber.state(),
                        waits ? textOf(fiber.waitKind()) : null,
                        waits ? words.apply(fiber.waitShown()) : null,
                        graph.blockersOf(fiber).stream()
                                .limit(MAX_NAMES)
                                .map(each -> Lines.line(each.name()))
                                .toList(),
                        pending == null ? null : words.apply(pending),
                        countChildren(fiber),
                        cord.loop.times().of(fiber, cord.nanoTime()),
                        stackOf(fiber)));
    }

    private static int countChildren(FiberImpl<?> fiber) {
        int count = 0;
        for (@Nullable FiberImpl<?> child = fiber.firstChild();
                child != null;
                child = child.nextSibling) {
            count++;
        }
        return count;
    }

    // ---------------------------------------------------------------- timers

    private List<TimerDump> timers() {
        long nowNs = cord.nanoTime();
        List<TimerDump> next = new ArrayList<>();
        for (Timer each : cord.nextTimers(MAX_TIMERS)) {
            Object owner = Objects.requireNonNull(each.owner(), "owner");
            String shown =
                    owner instanceof FiberImpl<?> fiber
                            ? Lines.line(fiber.name()) + " #" + fiber.id()
                            : words.apply(owner);
            next.add(new TimerDump(each.kind(), shown, Duration.ofNanos(each.deadlineNs - nowNs)));
        }
        return next;
    }

    // ---------------------------------------------------------------- stacks

    private List<StackTraceElement> stackOf(FiberImpl<?> fiber) {
        Stack own = fiber.stack();
        boolean runs = fiber.rawState() == FiberImpl.RUNNING;
        if ((own == null && !runs) || stacks == MAX_STACKS) {
            return List.of();
        }
        stacks++;
        return trimmed(
                List.of(
                        runs || own == null
                                ? Thread.currentThread().getStackTrace()
                                : own.trace()));
    }

    private static List<StackTraceElement> trimmed(List<StackTraceElement> all) {
        return all.stream()
                .dropWhile(frame -> isOfTheSwitch(frame.getClassName()))
                .takeWhile(frame -> !frame.getClassName().equals(FiberImpl.class.getName()))
                .limit(MAX_FRAMES)
                .toList();
    }

    private static String textOf(WaitKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static boolean isOfTheSwitch(String className) {
        return OF_THE_SWITCH.contains(className) || Stacks.FRAMES.contains(className);
    }
}
