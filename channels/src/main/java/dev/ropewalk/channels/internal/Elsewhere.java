package dev.ropewalk.channels.internal;

import dev.ropewalk.channels.SendPort;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.spi.Receivable;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.function.Consumer;

/**
 * Ends ports from any thread: a channel of one cord is ended by a message to that cord, because its
 * other side waits there for the end. If the cord has ended, no fiber waits there.
 */
public final class Elsewhere {
    private Elsewhere() {}

    /**
     * Closes the port. Another port than a channel is closed on this thread.
     *
     * @param why null if that is no failure
     */
    public static void close(SendPort<?> port, @Nullable Throwable why) {
        if (port instanceof QueueChannel<?> channel) {
            channel.closeThere(why);
        } else if (why == null) {
            port.close();
        } else {
            port.close(why);
        }
    }

    /** Cancels the port. Another port than a channel is cancelled on this thread. */
    public static void cancel(Receivable<?> port) {
        if (port instanceof QueueChannel<?> channel) {
            channel.cancelThere(null);
        } else {
            port.cancel();
        }
    }

    /** All of them, even if one throws; the first failure is thrown, with the others. */
    public static void runAll(List<? extends Runnable> steps) {
        Throwable first = null;
        for (Runnable each : steps) {
            try {
                each.run();
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else if (first != e) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first instanceof RuntimeException e) {
            throw e;
        }
        if (first instanceof Error e) {
            throw e;
        }
    }

    /**
     * Here, or as a message if it is another cord's.
     *
     * @param cord null if it is confined to no cord
     * @param isForOthers whether others wait for it, so that it comes also if that cord has ended,
     *     on the thread that notices
     * @param told is told of failures there
     */
    public static void run(
            @Nullable Cord cord,
            Runnable end,
            boolean isForOthers,
            Consumer<? super Throwable> told) {
        if (cord == null || cord.isCurrent()) {
            end.run();
            return;
        }
        cord.post(
                new CordMessage() {
                    @Override
                    public void onCord() {
                        try {
                            end.run();
                        } catch (Throwable broken) {
                            told.accept(broken);
                        }
                    }

                    @Override
                    public void onClosed() {
                        if (isForOthers) {
                            onCord();
                        }
                    }
                });
    }
}
