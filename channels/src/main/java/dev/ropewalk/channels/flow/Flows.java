package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.spi.Receivable;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Channels and {@link Flow} both ways: Ropewalk's ports for libraries that speak Reactive Streams,
 * and their publishers for fibers.
 *
 * {@snippet file="dev/ropewalk/channels/flow/FlowSnippetsTest.java" region="in"}
 *
 * <p>Demand and back pressure pass through: an element is received for a subscriber, or requested
 * from a publisher, only while there is a place for it. Libraries may call these methods from any
 * thread, and they never block. A fiber calls a library's subscriber, one call after the other; a
 * subscriber that blocks its thread, as {@code SubmissionPublisher.submit} may, needs a cord of its
 * own or one on {@link StackKind#VIRTUAL_THREAD}. All of it keeps the rules of Reactive Streams
 * 1.0.4, whose numbers the errors name.
 *
 * <p>Fibers that serve a library belong to a cord that is given, not to the fiber that happens to
 * call, because libraries call from anywhere. When that cord ends, subscribers get an error.
 */
public final class Flows {
    private Flows() {}

    // ---------------------------------------------------------------- out

    /**
     * {@return a publisher of the elements that the port receives, for one subscriber} A second one
     * gets an {@link IllegalStateException}, because each element is received once.
     *
     * <p>A fiber of the cord receives and calls the subscriber, only while there is demand. When
     * the port is closed the subscriber is completed, with the cause as its error if there is one:
     * at once behind the last element, without a request for more. Another port than a channel of
     * this library, such as the messages of a socket, tells its end only when the next element is
     * requested. Cancelling the subscription cancels the port, and so does a subscriber that
     * throws, which is logged. An element that was received as the subscription was cancelled is
     * still given to the subscriber.
     *
     * @param <E> the type of the elements
     * @param cord runs the fiber; a port that is confined to a cord needs that one
     * @param port what is received from; no other code should receive there
     */
    public static <E> Flow.Publisher<E> publisher(Cord cord, Receivable<? extends E> port) {
        Objects.requireNonNull(port, "port");
        return PortPublisher.<E, E>once(
                cord, port, element -> element, () -> Elsewhere.cancel(port));
    }

    /**
     * {@return a publisher that makes a port for each of its subscribers} Otherwise like {@link
     * #publisher(Cord, Receivable)}.
     *
     * {@snippet file="dev/ropewalk/channels/flow/FlowSnippetsTest.java" region="cold"}
     *
     * @param <E> the type of the elements
     * @param cord runs a fiber for each subscription
     * @param ports makes a port; runs in the fiber of the subscription, with which its children
     *     end; its exception is the subscriber's error
     */
    public static <E> Flow.Publisher<E> publisher(
            Cord cord, Supplier<? extends Receivable<? extends E>> ports) {
        return PortPublisher.forEach(cord, Objects.requireNonNull(ports, "ports"));
    }

    // ---------------------------------------------------------------- in

    /**
     * {@return a port that receives the publisher's elements, to which this subscribes}
     *
     * <p>It requests as many elements as its capacity at first, and half of that whenever so many
     * were received; so it never holds more than its capacity, and an unrequested element is an
     * error. When the publisher completes the port is closed; when it fails, with that failure as
     * the cause, after the elements that it holds. Cancelling the port cancels the subscription.
     * Called by a fiber, the port is cancelled when that fiber ends; a port that a plain thread
     * makes is cancelled by hand only. It is cancelled too when an element is given to a fiber that
     * is abandoned.
     *
     * @param <E> the type of the elements
     * @param publisher what is subscribed to
     * @param capacity how many elements it may hold, at least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static <E> ReceivePort<E> receivePort(
            Flow.Publisher<? extends E> publisher, int capacity) {
        return receivePort(publisher, ChannelOptions.<E>buffered(capacity));
    }

    /**
     * Like {@link #receivePort(Flow.Publisher, int)}, with a name and an undelivered hook. The hook
     * gets elements left over by a cancel, and, on the publisher's thread, elements that the
     * publisher publishes after the end.
     *
     * @param <E> the type of the elements
     * @param publisher what is subscribed to
     * @param options those of a shared, buffered channel
     * @return the port
     * @throws IllegalArgumentException if the options are of another kind, which would keep no
     *     bound or lose elements, or are confined to a cord
     */
    public static <E> ReceivePort<E> receivePort(
            Flow.Publisher<? extends E> publisher, ChannelOptions<? super E> options) {
        if (options.kind() != ChannelOptions.Kind.BUFFERED || options.isLocal()) {
            throw new IllegalArgumentException(
                    "options="
                            + options
                            + ": a publisher calls from any thread, and is asked for what there is"
                            + " room for; use ChannelOptions.buffered(n) without onThisCord()");
        }
        Intake<E> intake = new Intake<>(options);
        Fiber<?> caller = Fiber.currentOrNull();
        if (caller != null) {
            intake.endWith(caller);
        }
        publisher.subscribe(intake);
        return new IntakePort<>(intake);
    }

    /**
     * {@return a subscriber that sends what it is given}
     *
     * <p>A fiber of the cord sends, and waits where the channel is full; the publisher's threads
     * never wait. When the publisher completes the channel is closed; when it fails, with that as
     * the cause. When the channel is closed by others the subscription is cancelled, with the next
     * element: that one is in the {@link ChannelClosedException} of {@link
     * PortSubscriber#completion}.
     *
     * @param <E> the type of the elements
     * @param cord runs the fiber; a port that is confined to a cord needs that one
     * @param to what is sent to
     * @param capacity how many elements are requested ahead of those that the channel took, at
     *     least 1
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static <E> PortSubscriber<E> subscriber(
            Cord cord, SendPort<? super E> to, int capacity) {
        return new PortSubscriber<>(cord, to, capacity);
    }

    // ---------------------------------------------------------------- both

    /**
     * {@return a processor that puts each element through the function, for one subscriber}
     *
     * <p>It requests up to its capacity from its publisher, also before it has a subscriber. The
     * function runs in the fiber of the subscription, so it may wait; its exception, or its null,
     * is the subscriber's error and cancels the publisher.
     *
     * @param <T> the type of the elements that come in
     * @param <R> the type of the elements that go out
     * @param cord runs the fiber
     * @param capacity how many elements it may hold, at least 1
     * @param function makes what goes out
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static <T, R> Flow.Processor<T, R> processor(
            Cord cord, int capacity, Function<? super T, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        Intake<T> in = new Intake<>(ChannelOptions.<T>buffered(capacity).withName("flow"));
        IntakePort<T> port = new IntakePort<>(in);
        return new PortProcessor<>(
                in, PortPublisher.<T, R>once(cord, port, function, port::cancel));
    }

    /**
     * {@return a processor that sends what comes in to one channel, and publishes what it receives
     * from another, for one subscriber} What lies between them is the program's: fibers that
     * receive from the first channel and send to the second, and close it. When the subscription is
     * over, however it ended, the publisher is cancelled.
     *
     * @param <T> the type of the elements that come in
     * @param <R> the type of the elements that go out
     * @param cord runs a fiber that sends and one that receives
     * @param capacity how many elements are requested ahead, at least 1
     * @param in what is sent to, as by {@link #subscriber}
     * @param out what is received from, as by {@link #publisher(Cord, Receivable)}
     * @throws IllegalArgumentException if the capacity is less than 1
     */
    public static <T, R> Flow.Processor<T, R> processor(
            Cord cord, int capacity, SendPort<? super T> in, Receivable<? extends R> out) {
        PortSubscriber<T> sends = new PortSubscriber<>(cord, in, capacity);
        Runnable atEnd =
                () -> Elsewhere.runAll(List.of(sends::cancel, () -> Elsewhere.cancel(out)));
        return new PortProcessor<>(
                sends, PortPublisher.<R, R>once(cord, out, element -> element, atEnd));
    }

    /**
     * {@return a cord for flows, shared by all that ask for it} For programs that have no cord of
     * their own. Its thread is a daemon, started at the first call. Its stacks are virtual threads,
     * so a subscriber that blocks in a call of the JDK holds up no other; a subscriber that
     * computes for long does.
     */
    public static Cord sharedCord() {
        return SharedCord.get();
    }
}
