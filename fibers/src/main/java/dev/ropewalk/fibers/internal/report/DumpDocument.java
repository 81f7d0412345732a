package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.cord.LivingCords;
import dev.ropewalk.fibers.internal.dump.DumpSections;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.observe.CordDump;
import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The text of a dump of the process: why, all cords with their fibers, the sections of other layers
 * and of the program, and the platform threads. Confined to the thread that writes dumps, which is
 * no cord.
 *
 * <p>No part can fail it, or hold it up for longer than its limit; and none can take the room of
 * the others: where all do not fit the longest ones are cut.
 */
final class DumpDocument {
    private static final int FORMAT = 1;
    private static final int MAX_HEADER_CHARS = 8_192;
    private static final Duration SHORT = Duration.ofMillis(100);

    private record Part(String name, String text) {}

    private final Map<String, Supplier<String>> programs;
    private final Duration limit;
    private final int maxChars;

    /** Sections that have not come back, which are not asked again meanwhile. */
    private final Set<String> unanswered = ConcurrentHashMap.newKeySet();

    DumpDocument(Map<String, Supplier<String>> programs, Duration limit, int maxChars) {
        this.programs = programs;
        this.limit = limit;
        this.maxChars = maxChars;
    }

    /**
     * Takes it all.
     *
     * @param reason of one line or more
     * @param before other reasons that have no file of their own
     */
    String take(Instant time, String reason, List<String> before) {
        List<Part> parts = new ArrayList<>();
        parts.add(new Part("reason", reason));
        if (!before.isEmpty()) {
            parts.add(new Part("since the last file", String.join("\n", before)));
        }
        parts.add(new Part("cords", safe(this::cords)));
        DumpSections.all().forEach((name, section) -> add(parts, name, () -> section.text(limit)));
        programs.forEach((name, supplier) -> add(parts, name, supplier));
        parts.add(new Part("threads", safe(ThreadTexts::all)));
        return joined(head(time, reason), parts);
    }

    private static String head(Instant time, String reason) {
        Runtime runtime = Runtime.getRuntime();
        ProcessHandle process = ProcessHandle.current();
        long usedMiB = (runtime.totalMemory() - runtime.freeMemory()) >> 20;
        return "Ropewalk dump, format "
                + FORMAT
                + "\ntime: "
                + time
                + process.info().startInstant().map(began -> ", running since " + began).orElse("")
                + "\nprocess: "
                + process.pid()
                + ", Java "
                + Runtime.version()
                + ", "
                + System.getProperty("os.name")
                + ' '
                + System.getProperty("os.arch")
                + ", "
                + runtime.availableProcessors()
                + " processors\nheap: "
                + usedMiB
                + " of "
                + (runtime.maxMemory() >> 20)
                + " MiB\nreason: "
                + Lines.line(reason.lines().findFirst().orElse(""))
                + '\n';
    }

    // ---------------------------------------------------------------- the parts

    private String cords() {
        List<? extends Cord> cords = LivingCords.all();
        StringBuilder text = new StringBuilder();
        int told = 0;
        for (CordDump each : dumps(cords, text)) {
            if (text.length() > maxChars) {
                return text + "... and " + (cords.size() - told) + " more cords";
            }
            text.append(each).append("\n\n");
            told++;
        }
        return text.isEmpty() ? "none\n" : text.toString();
    }

    private List<CordDump> dumps(List<? extends Cord> cords, StringBuilder failures) {
        try {
            return CordDumps.of(cords, limit);
        } catch (RuntimeException | Error failed) { // of one of them
            List<CordDump> each = new ArrayList<>();
            for (Cord cord : cords) {
                try {
                    each.addAll(CordDumps.of(List.of(cord), SHORT));
                } catch (RuntimeException | Error its) {
                    failures.append(cord + " could not be dumped: " + Lines.of(its) + "\n\n");
                }
            }
            return each;
        }
    }

    private static String safe(Supplier<String> part) {
        try {
            return part.get();
        } catch (Throwable failed) {
            return "could not be made: " + Lines.of(failed);
        }
    }

    /** On a thread of its own, which is left behind if it does not come back. */
    private void add(List<Part> parts, String name, Supplier<String> section) {
        parts.add(new Part(name, safe(() -> asked(name, section))));
    }

    private String asked(String name, Supplier<String> section) {
        if (!unanswered.add(name)) {
            return "not asked, because it has not answered since an earlier dump";
        }
        FutureTask<String> answer =
                new FutureTask<>(
                        () -> {
                            try {
                                return "" + section.get();
                            } finally {
                                unanswered.remove(name);
                            }
                        });
        Thread thread = new Thread(null, answer, "ropewalk-dump-of-" + name, 0, false);
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Throwable noThread) {
            unanswered.remove(name); // it was not asked
            throw noThread;
        }
        try {
            return answer.get(Waits.nanos(limit), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            thread.interrupt();
            return "did not answer within " + limit;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return "was not awaited, because the thread that writes was interrupted";
        } catch (ExecutionException failed) {
            return "failed: " + Lines.of(failed.getCause());
        }
    }

    // ---------------------------------------------------------------- the room

    private String joined(String head, List<Part> parts) {
        int share = share(parts);
        StringBuilder all = new StringBuilder(head);
        for (Part each : parts) {
            all.append("\n== ").append(Lines.line(each.name())).append(" ==\n\n");
            all.append(each.text(), 0, Math.min(share, each.text().length())).append('\n');
            if (each.text().length() > share) {
                all.append("... and ").append(each.text().length() - share);
                all.append(" more characters, which have no room here\n");
            }
        }
        return withoutControls(all);
    }

    /** How long a part may be so that all fit. */
    private int share(List<Part> parts) {
        long left = Math.max(0, maxChars - MAX_HEADER_CHARS);
        List<Integer> lengths = parts.stream().map(each -> each.text().length()).sorted().toList();
        for (int i = 0; i < lengths.size(); i++) {
            long share = left / (lengths.size() - i);
            if (lengths.get(i) > share) {
                return (int) share;
            }
            left -= lengths.get(i);
        }
        return maxChars;
    }

    /** A terminal that shows the file obeys nothing in it. */
    private static String withoutControls(StringBuilder text) {
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (Character.isISOControl(each) && each != '\n' && each != '\t') {
                text.setCharAt(i, ' ');
            }
        }
        return text.toString();
    }
}
