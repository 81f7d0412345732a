package dev.ropewalk.fibers.internal.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.observe.CordStats;
import dev.ropewalk.fibers.observe.FiberDump;
import dev.ropewalk.fibers.observe.FiberTime;
import dev.ropewalk.fibers.observe.TimerDump;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule F9: the dump as JSON. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class DumpJsonTest {
    private static final CordStats STATS =
            new CordStats(
                    StackKind.LIGHT, 1, 2, 3, 4, 5, 6, Duration.ofNanos(7), 8, 9, 10, 11, 12, 13);

    private static final String STATS_JSON =
            "{\"stacks\":\"LIGHT\",\"switches\":1,\"polls\":2,\"messages\":3,\"started\":4,\"ended\":5,\"sleeps\":6,"
                + "\"sleptNanos\":7,\"runnable\":8,\"maxRunnable\":9,\"timers\":10,"
                + "\"inbox\":11,\"idleStacks\":12,\"tasks\":13}";

    private static final StackTraceElement FRAME = new StackTraceElement("a.B", "c", "B.java", 42);

    @Test
    void F9_everyComponentIsThere() {
        FiberDump fiber =
                new FiberDump(
                        3,
                        "worker",
                        1,
                        2,
                        true,
                        FiberState.WAITING,
                        "library",
                        "a lock",
                        List.of("x", "y"),
                        "end",
                        4,
                        new FiberTime(3, "worker", 5, Duration.ofNanos(6), 0.5),
                        List.of(FRAME));
        CordDump dump =
                new CordDump(
                        "main",
                        CordDump.State.COMPLETE,
                        STATS,
                        Duration.ofNanos(-5),
                        List.of(new TimerDump("wait", "worker #3", Duration.ofNanos(-5))),
                        List.of(fiber),
                        9,
                        List.of("a cycle"),
                        "runs",
                        List.of(FRAME, FRAME));
        assertEquals(
                "{\"cord\":\"main\",\"state\":\"COMPLETE\",\"stats\":"
                        + STATS_JSON
                        + ",\"nextTimerNanos\":-5,\"timers\":[{\"kind\":\"wait\",\"owner\":\"worker"
                        + " #3\",\"dueNanos\":-5}],\"fibers\":[{\"id\":3,\"name\":\"worker\","
                        + "\"depth\":1,\"parent\":2,\"isForeignChild\":true,\"state\":\"WAITING\",\"waitKind\":\"library\",\"reason\":\"a"
                        + " lock\",\"awaits\":[\"x\",\"y\"],"
                        + "\"pending\":\"end\",\"children\":4,\"switches\":5,\"ranNanos\":6,\"share\":0.5,"
                        + "\"stack\":[\"a.B.c(B.java:42)\"]}],\"moreFibers\":9,\"cycles\":[\"a"
                        + " cycle\"],\"running\":\"runs\","
                        + "\"stack\":[\"a.B.c(B.java:42)\",\"a.B.c(B.java:42)\"]}",
                dump.toJson());
    }

    @Test
    void F9_namesCannotBreakTheJson() {
        String evil = "\"},\\[{\n\t\u0000\u007f\u00e4\ud83d\ude00\ud800";
        CordDump dump =
                new CordDump(
                        evil,
                        CordDump.State.ENDED,
                        STATS,
                        null,
                        List.of(),
                        List.of(),
                        0,
                        List.of(evil, "["),
                        null,
                        List.of());
        String escaped = "\"\\\"},\\\\[{\\u000a\\u0009\\u0000\\u007f\u00e4\\ud83d\\ude00\\ud800\"";
        assertEquals(
                "{\"cord\":"
                        + escaped
                        + ",\"state\":\"ENDED\",\"stats\":"
                        + STATS_JSON
                        + ",\"nextTimerNanos\":null,\"timers\":[],\"fibers\":[],\"moreFibers\":0,\"cycles\":["
                        + escaped
                        + ",\"[\"],\"running\":null,\"stack\":[]}",
                dump.toJson());
    }
}
