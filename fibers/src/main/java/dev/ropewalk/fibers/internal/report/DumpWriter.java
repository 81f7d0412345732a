package dev.ropewalk.fibers.internal.report;

import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.watch.Alarm;
import dev.ropewalk.fibers.observe.DumpFiles;
import dev.ropewalk.fibers.observe.DumpOptions;
import dev.ropewalk.fibers.spi.Waits;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Writes the files of dumps, one after the other, on a thread that is there while it has some to
 * write. May be told by any thread, and throws nothing into it.
 *
 * <p>Alarms are bounded: {@link #BURST} files at once, and after that one in each pause; the alarms
 * in between stand in the next file, which may be that of a signal.
 */
public final class DumpWriter implements AutoCloseable {
    private static final Log LOG = Logs.logger(DumpFiles.class);
    static final int BURST = 3;
    private static final int MAX_PENDING = 8;
    private static final int MAX_KEPT = 50;

    /** So long the process waits at its end for a dump that was begun. */
    private static final long END_LIMIT_S = 5;

    private final DumpFolder folder;
    private final DumpDocument document;
    private final Path directory;
    private final long pauseNs;
    private final LongSupplier clock;
    private final ThreadPoolExecutor thread;
    private final Thread atEnd;

    /** Guarded by this: what alarms may still use, and since when the pause runs. */
    private int left = BURST;

    private long sinceNs;

    /** Guarded by this: alarms without a file of their own. */
    private final List<String> kept = new ArrayList<>();

    private int moreKept;

    /** Of the writing thread: a failure is told once, until a file is written again. */
    private boolean isFailureTold;

    public DumpWriter(DumpOptions options) {
        this(options, RealPlatform::now);
    }

    DumpWriter(DumpOptions options, LongSupplier clock) {
        this.directory = options.directory().toAbsolutePath();
        this.folder = new DumpFolder(directory, options.maxFiles(), options.maxBytes());
        this.document = new DumpDocument(options.sections(), options.limit(), options.maxBytes());
        this.pauseNs = Waits.nanos(options.pause());
        this.clock = clock;
        this.thread =
                new ThreadPoolExecutor(
                        1,
                        1,
                        1,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(MAX_PENDING),
                        DumpWriter::newThread) {
                    @Override
                    protected void terminated() {
                        endsNoMore();
                    }
                };
        thread.allowCoreThreadTimeOut(true);
        this.sinceNs = clock.getAsLong();
        this.atEnd = new Thread(null, this::drain, "ropewalk-dumps-end", 0, false);
    }

    private static Thread newThread(Runnable work) {
        Thread made = new Thread(null, work, "ropewalk-dumps", 0, false);
        made.setDaemon(true);
        made.setContextClassLoader(ClassLoader.getSystemClassLoader());
        return made;
    }

    /**
     * Before the first file.
     *
     * @throws IOException if no file can be written there now; then the caller closes it, or has
     *     each dump try again
     */
    public void begin() throws IOException {
        try {
            Runtime.getRuntime().addShutdownHook(atEnd);
        } catch (IllegalStateException ends) {
            // The process is ending already.
        }
        folder.check();
    }

    /** An alarm, from any thread. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is the one that is submitted
    public void alarm(Alarm alarm) {
        if (!mayWrite()) {
            keep(alarm);
            return;
        }
        CompletableFuture<Path> written = new CompletableFuture<>();
        written.whenComplete(
                (_, failure) -> {
                    if (failure != null) {
                        keep(alarm);
                    }
                });
        submit(alarm.kind().shown(), alarm.text(), written);
    }

    /** A signal, on a thread of the JVM's. */
    public void signal(String name) {
        submit("signal", "signal " + name, new CompletableFuture<>());
    }

    /** A wish of the program; the future has the file. */
    public CompletableFuture<Path> ask(String reason) {
        CompletableFuture<Path> written = new CompletableFuture<>();
        submit("asked", reason, written);
        return written;
    }

    private synchronized boolean mayWrite() {
        long nowNs = clock.getAsLong();
        long pauses = (nowNs - sinceNs) / pauseNs;
        left = (int) Math.min(BURST, left + pauses);
        sinceNs = left == BURST ? nowNs : sinceNs + pauses * pauseNs;
        if (left > 0) {
            left--;
            return true;
        }
        return false;
    }

    /** It has no file of its own. */
    private synchronized void keep(Alarm alarm) {
        if (kept.size() < MAX_KEPT) {
            kept.add(RealPlatform.timeOfDay() + " " + Lines.line(alarm.text()));
        } else {
            moreKept++;
        }
    }

    /** Alarms without a file of their own. */
    private record Kept(List<String> lines, int more) {
        List<String> shown() {
            List<String> shown = new ArrayList<>(lines);
            if (more > 0) {
                shown.add("... and " + more + " more");
            }
            return shown;
        }
    }

    private synchronized Kept takeKept() {
        Kept taken = new Kept(List.copyOf(kept), moreKept);
        kept.clear();
        moreKept = 0;
        return taken;
    }

    /** They stand in no file, and have come before those of now. */
    private synchronized void putBack(Kept taken) {
        kept.addAll(0, taken.lines());
        moreKept += taken.more();
        while (kept.size() > MAX_KEPT) {
            kept.removeLast();
            moreKept++;
        }
    }

    private void submit(String kind, String reason, CompletableFuture<Path> written) {
        try {
            thread.execute(() -> write(kind, reason, written));
        } catch (RejectedExecutionException full) {
            String why = thread.isShutdown() ? " is closed" : ": " + MAX_PENDING + " wait already";
            LOG.warn("no dump of {}: {}{}", Lines.line(reason), this, why);
            written.completeExceptionally(new IllegalStateException(this + why, full));
        } catch (Throwable broken) { // no thread, or no memory
            Logs.tellBroken(LOG, broken, "no dump of {}", Lines.line(reason));
            written.completeExceptionally(broken);
        }
    }

    private void write(String kind, String reason, CompletableFuture<Path> written) {
        Kept before = takeKept();
        try {
            Instant time = RealPlatform.timeOfDay();
            Path file = folder.write(time, kind, document.take(time, reason, before.shown()));
            isFailureTold = false;
            LOG.warn("wrote a dump to {}, because of: {}", file, Lines.line(reason));
            written.complete(file);
        } catch (Throwable failed) {
            putBack(before);
            if (!isFailureTold) {
                isFailureTold = true;
                LOG.error(
                        "no dump could be written to {}, because of: {}; make room there, let this"
                            + " process write there, or name another directory. This is told once,"
                            + " until a dump is written again",
                        directory,
                        Lines.line(reason),
                        failed);
            }
            written.completeExceptionally(failed);
        }
    }

    // ---------------------------------------------------------------- the end

    /** Dumps that were asked for before are still written, also if the process ends meanwhile. */
    @Override
    public void close() {
        thread.shutdown();
    }

    /** It is closed, and has written all. */
    private void endsNoMore() {
        try {
            Runtime.getRuntime().removeShutdownHook(atEnd);
        } catch (IllegalStateException ends) {
            // It runs.
        }
    }

    /**
     * A cord that breaks often ends the process, and its dump would be lost. Others may still be
     * asked for, because an end that hangs is a reason for one.
     */
    private void drain() {
        try {
            thread.submit(() -> {}).get(END_LIMIT_S, TimeUnit.SECONDS);
        } catch (RejectedExecutionException closedOrFull) {
            awaitAll();
        } catch (ExecutionException never) {
            throw new AssertionError(never);
        } catch (TimeoutException late) {
            tellLate();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitAll() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(END_LIMIT_S, TimeUnit.SECONDS)) {
                tellLate();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellLate() {
        LOG.error("the process ended before a dump was written to {}", directory);
    }

    @Override
    public String toString() {
        return "dumps into " + directory;
    }
}
