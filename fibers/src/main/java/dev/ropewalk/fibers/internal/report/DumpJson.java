package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.FiberDump;
import dev.ropewalk.fibers.observe.FiberTime;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** A {@link CordDump} as JSON; by hand, because it is small. Times are in nanoseconds. */
public final class DumpJson {
    private final StringBuilder json = new StringBuilder();

    private DumpJson() {}

    public static String of(CordDump dump) {
        DumpJson all = new DumpJson();
        all.addCord(dump);
        return all.json.toString();
    }

    private void addCord(CordDump dump) {
        json.append('{');
        field("cord", dump.cord());
        field("state", dump.state().name());
        key("stats");
        addStats(dump.stats());
        field("nextTimerNanos", nanos(dump.nextTimer()));
        list("fibers", dump.fibers(), this::addFiber);
        field("moreFibers", (Number) dump.moreFibers());
        list("cycles", dump.cycles(), this::string);
        field("running", dump.running());
        list("stack", dump.stack(), frame -> string(frame.toString()));
        json.append('}');
    }

    private void addStats(CordStats stats) {
        json.append('{');
        field("switches", (Number) stats.switches());
        field("polls", (Number) stats.polls());
        field("messages", (Number) stats.messages());
        field("started", (Number) stats.started());
        field("ended", (Number) stats.ended());
        field("sleeps", (Number) stats.sleeps());
        field("sleptNanos", nanos(stats.slept()));
        field("runnable", (Number) stats.runnable());
        field("maxRunnable", (Number) stats.maxRunnable());
        field("timers", (Number) stats.timers());
        field("inbox", (Number) stats.inbox());
        field("idleStacks", (Number) stats.idleStacks());
        field("tasks", (Number) stats.tasks());
        json.append('}');
    }

    private void addFiber(FiberDump fiber) {
        json.append('{');
        field("id", (Number) fiber.id());
        field("name", fiber.name());
        field("depth", (Number) fiber.depth());
        field("parent", (Number) fiber.parent());
        key("isForeignChild");
        json.append(fiber.isForeignChild());
        field("state", fiber.state().name());
        field("waitKind", fiber.waitKind());
        field("reason", fiber.reason());
        list("awaits", fiber.awaits(), this::string);
        field("pending", fiber.pending());
        field("children", (Number) fiber.children());
        FiberTime time = fiber.time();
        if (time != null) {
            field("switches", (Number) time.switches());
            field("ranNanos", nanos(time.ran()));
            field("share", (Number) time.share());
        }
        list("stack", fiber.stack(), frame -> string(frame.toString()));
        json.append('}');
    }

    private static @Nullable Number nanos(@Nullable Duration time) {
        return time == null ? null : time.toNanos();
    }

    // ---------------------------------------------------------------- JSON

    private void field(String name, @Nullable Number value) {
        key(name);
        json.append(value);
    }

    private void field(String name, @Nullable String value) {
        key(name);
        if (value == null) {
            json.append((Object) null);
        } else {
            string(value);
        }
    }

    private <T> void list(String name, List<T> all, Consumer<? super T> writer) {
        key(name);
        json.append('[');
        for (T each : all) {
            comma();
            writer.accept(each);
        }
        json.append(']');
    }

    private void key(String name) {
        comma();
        string(name);
        json.append(':');
    }

    /** Before everything but the first in its object or list. */
    private void comma() {
        char last = json.charAt(json.length() - 1);
        if (last != '{' && last != '[') {
            json.append(',');
        }
    }

    /** Also halves of surrogate pairs, which alone cannot be encoded, as escapes. */
    private void string(String value) {
        json.append('"');
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each == '"' || each == '\\') {
                json.append('\\').append(each);
            } else if (each < ' ' || each == 0x7f || Character.isSurrogate(each)) {
                json.append("\\u").append(HexFormat.of().toHexDigits(each));
            } else {
                json.append(each);
            }
        }
        json.append('"');
    }
}
