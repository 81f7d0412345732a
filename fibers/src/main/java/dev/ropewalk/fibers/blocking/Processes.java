package dev.ropewalk.fibers.blocking;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.WaitInterruptedException;
import dev.ropewalk.fibers.internal.boot.HelperThreads;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Waiting for processes of the operating system, without blocking the cord (rule F12).
 *
 * <p>The waiter owns the process: a fiber that is terminated, cancelled or raised into, and a plain
 * thread that is interrupted, ends it before it goes on, with all processes below it: by TERM, and
 * after the stop limit (default 5 s) by KILL. To wait for a process that other code owns, use
 * {@link Futures#await} with {@link Process#onExit}. A time limit is given by {@link
 * CancelScope#cancelAfter}. On a virtual clock the cord's thread waits, because the process lives
 * in real time.
 */
public final class Processes {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    /** How long the exit may take to be seen after KILL, and the outputs to be read. */
    private static final long KILL_LIMIT_NS = TimeUnit.SECONDS.toNanos(2);

    private static final Log LOG = Logs.logger(Processes.class);

    /** A process whose starter was ended meanwhile does not stay behind. */
    private static final BlockingPool STARTS =
            new BlockingPool(
                    BlockingOptions.named("process start")
                            .withUndelivered(
                                    started -> kill((Process) started, new LinkedHashSet<>())));

    private Processes() {}

    /**
     * Waits until the process has exited. A switchpoint, also if it has. Works from any thread. The
     * caller has to read the process's output.
     *
     * @param process ended if the caller leaves before
     * @return the exit code
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static int await(Process process) {
        return await(process, STOP_LIMIT);
    }

    /**
     * Like {@link #await(Process)}, with another stop limit.
     *
     * @param process ended if the caller leaves before
     * @param stopLimit how long the process may take to end after TERM, before KILL
     * @return the exit code
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static int await(Process process, Duration stopLimit) {
        long stopLimitNs = Waits.nanos(stopLimit);
        if (process.isAlive()) {
            awaitOrEnd(process, process.onExit(), stopLimitNs);
        } else {
            Waits.switchpoint();
        }
        return process.exitValue();
    }

    /**
     * Starts a process and waits until it has exited. Its standard input is empty, and its output
     * is dropped, unless the builder redirects them.
     *
     * @param builder what to run
     * @return the exit code
     * @throws IOException if the process could not be started
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static int run(ProcessBuilder builder) throws IOException {
        return output(builder, 0).exitCode();
    }

    /**
     * Starts a process, and waits until it has exited and its standard output and error are read,
     * both concurrently. Its standard input is empty unless the builder redirects it.
     *
     * <p>A process that it leaves in the background with these open is waited for, or its later
     * output is lost: the JDK closes them after the exit, if no read waits just then. Let such a
     * process write elsewhere.
     *
     * @param builder what to run
     * @param maxBytes how many bytes are kept of the output, and as many of the error; later bytes
     *     are read and dropped, and the result says so
     * @return the exit code and what the process wrote
     * @throws IOException if the process could not be started, or its output not be read
     * @throws IllegalArgumentException if {@code maxBytes} is negative
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static ProcessOutput output(ProcessBuilder builder, int maxBytes) throws IOException {
        return output(builder, maxBytes, STOP_LIMIT);
    }

    /**
     * Like {@link #output(ProcessBuilder, int)}, with another stop limit.
     *
     * @param builder what to run
     * @param maxBytes how many bytes are kept of the output, and as many of the error
     * @param stopLimit how long the process may take to end after TERM, before KILL
     * @return the exit code and what the process wrote
     * @throws IOException if the process could not be started, or its output not be read
     * @throws IllegalArgumentException if {@code maxBytes} is negative, or the limit is, or is
     *     longer than 292 years
     * @throws WaitInterruptedException if a plain thread was interrupted while it waited
     */
    public static ProcessOutput output(ProcessBuilder builder, int maxBytes, Duration stopLimit)
            throws IOException {
        if (maxBytes < 0) {
            throw new IllegalArgumentException(
                    "maxBytes=" + maxBytes + " < 0; 0 keeps nothing of what the process writes");
        }
        long stopLimitNs = Waits.nanos(stopLimit);
        Process process = STARTS.<Process, IOException>call(builder::start);
        CompletableFuture<KeptBytes> out = read("stdout", process, maxBytes);
        CompletableFuture<KeptBytes> err = read("stderr", process, maxBytes);
        CompletableFuture<?> end = CompletableFuture.allOf(out, err, process.onExit());
        awaitOrEnd(process, end, stopLimitNs);
        return new ProcessOutput(process.exitValue(), result(out), result(err));
    }

    /**
     * Ends a process, with all processes below it, and waits until it has ended. A fiber that is
     * ended meanwhile waits all the same; an interrupt of a plain thread has KILL sent at once. No
     * effect on a process that has exited. A switchpoint otherwise.
     *
     * @param process what to end
     * @param stopLimit how long it may take to end after TERM, before KILL
     * @throws IllegalArgumentException if the limit is negative or longer than 292 years
     */
    public static void end(Process process, Duration stopLimit) {
        long stopLimitNs = Waits.nanos(stopLimit);
        if (process.isAlive()) {
            endInAnyCase(process, process.onExit(), stopLimitNs);
        }
    }

    // ---------------------------------------------------------------- its output

    /*
     * Threads of their own rather than calls of a pool: an interrupt does not end a read from a
     * pipe, only the end of the process does; and plain threads and virtual clocks, where a pool
     * runs inline, must read both at once too. There are two per process.
     */
    private static CompletableFuture<KeptBytes> read(String what, Process process, int maxBytes) {
        CompletableFuture<KeptBytes> result = new CompletableFuture<>();
        boolean isOut = what.equals("stdout");
        HelperThreads.unstarted(
                        what + " of process " + process.pid(),
                        () -> {
                            try {
                                if (isOut) {
                                    process.getOutputStream().close();
                                }
                                InputStream from =
                                        isOut ? process.getInputStream() : process.getErrorStream();
                                result.complete(KeptBytes.readAll(from, maxBytes));
                            } catch (Throwable broken) {
                                result.completeExceptionally(broken);
                            }
                        })
                .start();
        return result;
    }

    private static KeptBytes result(CompletableFuture<KeptBytes> read) throws IOException {
        if (read.isCompletedExceptionally()) {
            throw new IOException("reading the output of a process failed", read.exceptionNow());
        }
        return read.resultNow();
    }

    // ---------------------------------------------------------------- its end

    private static void awaitOrEnd(Process process, CompletableFuture<?> end, long stopLimitNs) {
        boolean ended = false;
        try {
            if (isVirtual()) {
                Waits.raiseIfDue();
                end.exceptionally(_ -> null).join();
                ended = true;
            } else {
                ended = Futures.awaitEnd(end, Long.MAX_VALUE);
            }
        } finally {
            if (!ended) {
                endInAnyCase(process, end, stopLimitNs);
            }
        }
    }

    /** A fiber that is abandoned meanwhile leaves no process behind. */
    private static void endInAnyCase(Process process, CompletableFuture<?> end, long stopLimitNs) {
        Fiber<?> me = Fiber.currentOrNull();
        Ending ending = new Ending(process);
        ending.begin(me);
        try {
            Waits.cleanUp(() -> end(process, ending.family, end, stopLimitNs));
        } finally {
            ending.over(me);
        }
    }

    /** Held by the fiber that ends the process; a plain thread needs none. */
    private static final class Ending extends Hold {
        private final Process process;

        /** All that were told to end; one whose parent has exited is found here alone. */
        final Set<ProcessHandle> family = new LinkedHashSet<>();

        Ending(Process process) {
            this.process = process;
        }

        void begin(@Nullable Fiber<?> fiber) {
            if (fiber != null) {
                hold(fiber);
            }
        }

        void over(@Nullable Fiber<?> fiber) {
            if (fiber != null) {
                letGo(fiber);
            }
        }

        @Override
        protected void onHolderDead(Fiber<?> holder) {
            kill(process, family);
        }

        @Override
        protected String afterwards() {
            return "which is killed now; give its fiber a stop limit above that of the process";
        }

        @Override
        public String toString() {
            return "the end of process " + process.pid();
        }
    }

    /** The parent first, so that a shell does not go on with its next command. */
    private static boolean end(
            Process process, Set<ProcessHandle> all, CompletableFuture<?> end, long stopLimitNs) {
        addFamily(process, all);
        all.forEach(ProcessHandle::destroy);
        if (awaitEnds(all, end, stopLimitNs)) {
            return true;
        }
        kill(process, all);
        // The others are dead too; init decides when it takes note of that.
        boolean ended = awaitEnds(List.of(), end, KILL_LIMIT_NS);
        if (!ended) {
            report(process);
        }
        return ended;
    }

    /** Those that are known, and those that are below it now. */
    private static void kill(Process process, Set<ProcessHandle> known) {
        addFamily(process, known);
        known.forEach(ProcessHandle::destroyForcibly);
    }

    private static void addFamily(Process process, Set<ProcessHandle> all) {
        all.add(process.toHandle());
        try (Stream<ProcessHandle> below = process.descendants()) {
            below.forEach(all::add);
        }
    }

    private static boolean awaitEnds(
            Collection<ProcessHandle> all, CompletableFuture<?> end, long limitNs) {
        Stream<CompletableFuture<?>> exits =
                all.stream().filter(ProcessHandle::isAlive).map(ProcessHandle::onExit);
        CompletableFuture<?> gone =
                CompletableFuture.allOf(
                        Stream.concat(exits, Stream.of(end.exceptionally(_ -> null)))
                                .toArray(CompletableFuture<?>[]::new));
        if (isVirtual()) {
            CompletableFuture<Boolean> inTime = gone.thenApply(_ -> true);
            return inTime.completeOnTimeout(false, limitNs, TimeUnit.NANOSECONDS).join();
        }
        try {
            return Futures.awaitEnd(gone, limitNs);
        } catch (WaitInterruptedException hurry) {
            return gone.isDone() && Thread.interrupted();
        }
    }

    private static boolean isVirtual() {
        Cord cord = Cord.currentOrNull();
        return cord != null && CordImpl.of(cord).isVirtual();
    }

    private static void report(Process process) {
        IllegalStateException left =
                new IllegalStateException(
                        "process "
                                + process.pid()
                                + " was killed but has not ended, or something it started still"
                                + " holds its output open; it is left behind");
        Fiber<?> me = Fiber.currentOrNull();
        if (me == null) {
            LOG.warn("{}", Thread.currentThread(), left);
        } else {
            Waits.report(me, left);
        }
    }
}
