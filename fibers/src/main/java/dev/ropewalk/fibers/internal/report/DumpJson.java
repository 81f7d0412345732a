package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.dump.JsonWriter;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.FiberDump;
import dev.ropewalk.fibers.observe.FiberTime;
import dev.ropewalk.fibers.observe.TimerDump;

/** A {@link CordDump} as JSON; by hand, because it is small. Times are in nanoseconds. */
public final class DumpJson {
    private final JsonWriter json = new JsonWriter();

    private DumpJson() {}

    public static String of(CordDump dump) {
        DumpJson all = new DumpJson();
        all.addCord(dump);
        return all.json.toString();
    }

    private void addCord(CordDump dump) {
        json.begin();
        json.field("cord", dump.cord());
        json.field("state", dump.state().name());
        addStats(dump.stats());
        json.nanos("nextTimerNanos", dump.nextTimer());
        json.list("timers", dump.timers(), this::addTimer);
        json.list("fibers", dump.fibers(), this::addFiber);
        json.field("moreFibers", (Number) dump.moreFibers());
        json.list("cycles", dump.cycles(), json::string);
        json.field("running", dump.running());
        json.list("stack", dump.stack(), frame -> json.string(frame.toString()));
        json.end();
    }

    private void addStats(CordStats stats) {
        json.begin("stats");
        json.field("stacks", stats.stacks().name());
        json.field("switches", (Number) stats.switches());
        json.field("polls", (Number) stats.polls());
        json.field("messages", (Number) stats.messages());
        json.field("started", (Number) stats.started());
        json.field("ended", (Number) stats.ended());
        json.field("sleeps", (Number) stats.sleeps());
        json.nanos("sleptNanos", stats.slept());
        json.field("runnable", (Number) stats.runnable());
        json.field("maxRunnable", (Number) stats.maxRunnable());
        json.field("timers", (Number) stats.timers());
        json.field("inbox", (Number) stats.inbox());
        json.field("idleStacks", (Number) stats.idleStacks());
        json.field("tasks", (Number) stats.tasks());
        json.end();
    }

    private void addTimer(TimerDump timer) {
        json.begin();
        json.field("kind", timer.kind());
        json.field("owner", timer.owner());
        json.nanos("dueNanos", timer.due());
        json.end();
    }

    private void addFiber(FiberDump fiber) {
        json.begin();
        json.field("id", (Number) fiber.id());
        json.field("name", fiber.name());
        json.field("depth", (Number) fiber.depth());
        json.field("parent", (Number) fiber.parent());
        json.field("isForeignChild", fiber.isForeignChild());
        json.field("state", fiber.state().name());
        json.field("waitKind", fiber.waitKind());
        json.field("reason", fiber.reason());
        json.list("awaits", fiber.awaits(), json::string);
        json.field("pending", fiber.pending());
        json.field("children", (Number) fiber.children());
        FiberTime time = fiber.time();
        if (time != null) {
            json.field("switches", (Number) time.switches());
            json.nanos("ranNanos", time.ran());
            json.field("share", (Number) time.share());
        }
        json.list("stack", fiber.stack(), frame -> json.string(frame.toString()));
        json.end();
    }
}
