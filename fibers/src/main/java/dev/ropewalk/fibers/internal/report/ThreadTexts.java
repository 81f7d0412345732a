package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.dump.Lines;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;

/**
 * The platform threads of the process as text: a cord that is stuck may wait for one of them, or
 * one of them for a cord.
 */
final class ThreadTexts {
    private static final int MAX_DEPTH = 100;

    private final StringBuilder text = new StringBuilder();

    private ThreadTexts() {}

    static String all() {
        ThreadTexts all = new ThreadTexts();
        try {
            all.addByTheBean(ManagementFactory.getThreadMXBean());
        } catch (UnsupportedOperationException | LinkageError notHere) {
            all.text.setLength(0);
            all.addWithoutIt();
        }
        return all.text.toString();
    }

    /** Without the owners of the locks of java.util.concurrent, which need a walk of the heap. */
    private void addByTheBean(ThreadMXBean bean) {
        long[] deadlocked = bean.findDeadlockedThreads();
        if (deadlocked != null) {
            text.append("threads that wait for each other: #")
                    .append(
                            String.join(
                                    ", #",
                                    Arrays.stream(deadlocked).mapToObj(Long::toString).toList()))
                    .append('\n');
        }
        ThreadInfo[] infos = bean.dumpAllThreads(true, false, MAX_DEPTH);
        Arrays.sort(infos, Comparator.comparingLong(ThreadInfo::getThreadId));
        for (ThreadInfo each : infos) {
            add(each);
        }
    }

    private void add(ThreadInfo info) {
        text.append(Lines.line(info.getThreadName())).append(" #").append(info.getThreadId());
        text.append(' ').append(info.getThreadState());
        if (info.getLockName() != null) {
            text.append(", waits for ").append(info.getLockName());
        }
        if (info.getLockOwnerName() != null) {
            text.append(", held by ").append(Lines.line(info.getLockOwnerName()));
            text.append(" #").append(info.getLockOwnerId());
        }
        text.append('\n');
        StackTraceElement[] stack = info.getStackTrace();
        for (int i = 0; i < stack.length; i++) {
            frame(stack[i]);
            for (MonitorInfo monitor : info.getLockedMonitors()) {
                if (monitor.getLockedStackDepth() == i) {
                    text.append("    holds ").append(monitor).append('\n');
                }
            }
        }
    }

    private void addWithoutIt() {
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        all.keySet().stream()
                .sorted(Comparator.comparingLong(Thread::threadId))
                .forEach(
                        thread -> {
                            text.append(Lines.line(thread.getName()));
                            text.append(" #").append(thread.threadId()).append(' ');
                            text.append(thread.getState()).append('\n');
                            Arrays.stream(all.get(thread)).limit(MAX_DEPTH).forEach(this::frame);
                        });
    }

    private void frame(StackTraceElement frame) {
        text.append("  at ").append(frame).append('\n');
    }
}
