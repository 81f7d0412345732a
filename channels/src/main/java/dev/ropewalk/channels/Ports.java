package dev.ropewalk.channels;

import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.channels.internal.ProducedPort;
import dev.ropewalk.channels.internal.QueueChannel;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;
import dev.ropewalk.fibers.spi.Waits;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Channels that fibers feed: from a body, from several sources, into several channels. The fibers
 * are children of the caller, so they end with it.
 */
public final class Ports {
    private Ports() {}

    /**
     * The body of {@link #produce}.
     *
     * @param <E> the type of the elements
     */
    @FunctionalInterface
    public interface Producer<E> {
        /**
         * Sends the elements.
         *
         * @param to the channel to send to
         * @throws Exception whatever the body throws; it closes the channel with that cause
         */
        void sendTo(SendPort<E> to) throws Exception;
    }

    /**
     * {@return the receiving side of a new channel that a fiber sends to} It is closed when the
     * body ends, with the failure as its cause if it fails; that failure is the receivers', and not
     * raised in the parent. To cancel the port terminates the fiber.
     *
     * @param <E> the type of the elements
     * @param name of the fiber, shown in reports
     * @param options how the channel is made
     * @param body what the fiber runs
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <E> ReceivePort<E> produce(
            String name, ChannelOptions<? super E> options, Producer<E> body) {
        Objects.requireNonNull(body, "body");
        QueueChannel<E> channel = new QueueChannel<>(options);
        Fiber<?> fiber =
                spin(name, () -> produce(channel, body), begun -> closeProduced(channel, begun));
        return new ProducedPort<>(channel, List.of(fiber));
    }

    private static <E> void produce(Channel<E> channel, Producer<E> body) {
        try {
            body.sendTo(channel);
            channel.close();
        } catch (Exception | Error failure) {
            Waits.throwIfSignal(failure);
            channel.close(failure); // no effect if it is this channel that was cancelled
        }
    }

    /** If the end is not the end of the body, it is not the end of the elements. */
    private static void closeProduced(Channel<?> channel, boolean begun) {
        if (channel.isClosed()) {
            return;
        }
        channel.close(
                new CancellationException(
                        begun
                                ? "the fiber that produced was ended before its body was over"
                                : "the fiber that was to produce was ended before it began"));
    }

    /** A fiber whose clean-up is done also if it is ended before its first turn. */
    private static Fiber<?> spin(String name, Action body, Consumer<Boolean> cleanUp) {
        AtomicBoolean begun = new AtomicBoolean();
        Fiber<?> fiber =
                Fiber.spin(
                        name,
                        () -> {
                            begun.set(true);
                            try {
                                body.run();
                            } finally {
                                cleanUp.accept(true);
                            }
                        });
        fiber.onEnd(
                over -> {
                    if (!begun.get()) {
                        cleanUp.accept(false);
                    }
                });
        return fiber;
    }

    /**
     * {@return one port with the elements of all sources, as they come} Fan-in: a fiber for each
     * source passes on the elements that it receives. The port is closed when all sources are; with
     * the cause as soon as one is closed with a cause. To cancel it cancels the sources; an element
     * that was just on its way goes to the undelivered hook of the options, also if the fibers are
     * ended.
     *
     * @param <E> the type of the elements
     * @param options how the channel in between is made
     * @param sources what is received from, at least one
     * @throws IllegalArgumentException if there is no source
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <E> ReceivePort<E> merge(
            ChannelOptions<? super E> options, List<? extends Receivable<? extends E>> sources) {
        if (sources.isEmpty()) {
            throw new IllegalArgumentException("sources=[]: give at least one to receive from");
        }
        QueueChannel<E> channel = new QueueChannel<>(options);
        Consumer<? super E> undelivered = hookOf(options);
        AtomicInteger open = new AtomicInteger(sources.size());
        List<Fiber<?>> fibers = new ArrayList<>();
        for (Receivable<? extends E> each : sources) {
            fibers.add(
                    spin(
                            "merge",
                            () -> passOn(each, channel, undelivered),
                            begun -> endOfOne(each, channel, open)));
        }
        return new ProducedPort<>(channel, fibers);
    }

    private static <E> Consumer<? super E> hookOf(ChannelOptions<? super E> options) {
        Consumer<? super E> hook = options.undelivered().orElse(null);
        return hook == null ? element -> {} : hook;
    }

    private static <E> void passOn(
            Receivable<? extends E> from, Channel<E> to, Consumer<? super E> undelivered) {
        for (; ; ) {
            E element;
            try {
                element = from.receive();
            } catch (ClosedException end) {
                if (end.getCause() != null) {
                    to.close(end.getCause());
                }
                return;
            }
            SendResult result;
            try {
                result = to.sendResult(element);
            } catch (RuntimeException | Error thrown) {
                if (Waits.isSignal(thrown)) {
                    undelivered.accept(element);
                }
                throw thrown; // otherwise a hook's, of an element that this one displaced
            }
            if (result != SendResult.SENT) {
                undelivered.accept(element);
            }
            if (result == SendResult.CLOSED) {
                return;
            }
        }
    }

    private static void endOfOne(Receivable<?> from, Channel<?> to, AtomicInteger open) {
        try {
            Elsewhere.cancel(from); // harmless if it is at its end; its hook may throw
        } finally {
            if (open.decrementAndGet() == 0) {
                to.close();
            }
        }
    }

    /**
     * Passes each element of the source to one of the targets, in turn: to the next that has room,
     * so a slow target does not hold up the others. Fan-out: a fiber does it. When the source is
     * closed, the targets are, with its cause; when all targets are closed, the source is
     * cancelled, and the fiber fails with a {@link ChannelClosedException} if it has an element in
     * hand, which that carries.
     *
     * @param <E> the type of the elements
     * @param source what is received from
     * @param targets what is sent to, at least one
     * @return the fiber that does it, a child of the caller
     * @throws IllegalArgumentException if there is no target
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <E> Fiber<?> fanOut(
            Receivable<? extends E> source, List<? extends SendPort<? super E>> targets) {
        if (targets.isEmpty()) {
            throw new IllegalArgumentException("targets=[]: give at least one to send to");
        }
        FanOut<E> fanOut = new FanOut<>(source, targets);
        return spin("fan-out", fanOut::run, begun -> fanOut.end());
    }
}
