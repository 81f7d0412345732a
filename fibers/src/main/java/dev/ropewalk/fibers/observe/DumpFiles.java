package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.platform.SignalHandlers;
import dev.ropewalk.fibers.internal.report.DumpWriter;
import dev.ropewalk.fibers.internal.watch.Alarm;
import dev.ropewalk.fibers.internal.watch.Alarms;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Writes files that show the whole process: all cords with their fibers and waits, systems of
 * actors, what the program adds, and the platform threads with their locks. On a signal, when a
 * cord is stuck or breaks, and on call; each as the {@link DumpOptions} say.
 *
 * {@snippet :
 * DumpFiles dumps =
 *         DumpFiles.open(DumpOptions.into(Path.of("dumps")).withSignal("USR1").onAlarm());
 * }
 *
 * <p>A program that was not written for it is given {@code -Dropewalk.dumps=DIRECTORY}, which is
 * these options, from its first cord on.
 *
 * <p>The files are called {@code ropewalk-TIME-PID-REASON.txt}, are there whole or not at all, and
 * can be read by their owner alone, where the file system knows owners. They are made on a daemon
 * thread, one after the other; the process waits at its end for one that was begun, for 5 s. A
 * warning of the log names each file. A file that cannot be written is an error of the log, once
 * until one is written again, and harms nothing. For any thread.
 */
public final class DumpFiles implements AutoCloseable {
    private final DumpOptions options;
    private final DumpWriter writer;
    private final Consumer<Alarm> onAlarm;
    private final Consumer<String> onSignal;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private DumpFiles(DumpOptions options) {
        this.options = options;
        this.writer = new DumpWriter(options);
        this.onAlarm = writer::alarm;
        this.onSignal = writer::signal;
    }

    /**
     * Begins to watch, until {@link #close}. Blocks for the check of the directory.
     *
     * @param options when to write, and where
     * @return the files to come
     * @throws IllegalArgumentException if no file can be written to the directory, or the JVM or
     *     the system does not let the signal be handled
     */
    public static DumpFiles open(DumpOptions options) {
        DumpFiles opened = new DumpFiles(options);
        opened.checkDirectory();
        opened.takeSignal();
        if (options.isOnAlarm()) {
            Alarms.add(opened.onAlarm);
        }
        return opened;
    }

    private void checkDirectory() {
        try {
            writer.begin();
        } catch (IOException | RuntimeException failed) {
            writer.close();
            throw new IllegalArgumentException(
                    "directory="
                            + options.directory()
                            + ": no dump can be written there, because of "
                            + Lines.of(failed)
                            + "; name one that this process may make or write to",
                    failed);
        }
    }

    private void takeSignal() {
        @Nullable String name = options.signal();
        if (name == null) {
            return;
        }
        try {
            SignalHandlers.add(List.of(name), onSignal);
        } catch (IllegalArgumentException refused) {
            writer.close();
            throw new IllegalArgumentException(
                    refused.getMessage() + "; name another one, as USR1 or HUP, and leave -Xrs out",
                    refused);
        }
    }

    /** {@return when they are written, and where} */
    public DumpOptions options() {
        return options;
    }

    /**
     * Has a dump written. Does not wait for it: a fiber awaits the file by {@code Futures.await}.
     *
     * @param reason for it, which stands in the file
     * @return the file; or fails with the reason why there is none, an {@code IOException} of the
     *     disk, or an {@code IllegalStateException} if this is closed or eight dumps wait already
     */
    public CompletableFuture<Path> write(String reason) {
        return writer.ask(Objects.requireNonNull(reason, "reason"));
    }

    /** Gives the signal back; what was asked for before is still written. Twice is harmless. */
    @Override
    public void close() {
        if (isClosed.getAndSet(true)) {
            return;
        }
        Alarms.remove(onAlarm);
        if (options.signal() != null) {
            SignalHandlers.remove(List.of(options.signal()), onSignal);
        }
        writer.close();
    }

    @Override
    public String toString() {
        return writer.toString();
    }
}
