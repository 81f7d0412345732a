package dev.ropewalk.channels;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.testing.TestCord;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assertions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Where a contract test plays: it makes channels of its variant and starts senders and receivers at
 * the variant's stage. Checks the invariants of all its channels after the test.
 */
abstract class Arena implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Variant variant;
    private final List<QueueChannel<?>> made = new ArrayList<>();

    private Arena(Variant variant) {
        this.variant = variant;
    }

    /** A test in its arena. */
    @FunctionalInterface
    interface Play {
        void in(Arena arena) throws Exception;
    }

    /** Plays once at a real stage, and with several seeds and orders on a virtual clock. */
    static void run(Variant variant, Play play) throws Exception {
        switch (variant.stage()) {
            case ONE_CORD -> TestCord.run(() -> play(new OneCord(variant), play));
            case TWO_CORDS -> play(new TwoCords(variant, StackKind.LIGHT), play);
            case TWO_VIRTUAL_CORDS -> play(new TwoCords(variant, StackKind.VIRTUAL_THREAD), play);
            case THREADS -> play(new Threads(variant), play);
        }
    }

    /** Plays once, on a virtual clock with the given seed and order. */
    static void run(Variant variant, long seed, boolean seededOrder, Play play) {
        TestCord.run(seed, seededOrder, () -> play(new OneCord(variant), play));
    }

    private static void play(Arena arena, Play play) throws Exception {
        try (arena) {
            play.in(arena);
            arena.made.forEach(QueueChannel::checkInvariants);
        }
    }

    final Variant variant() {
        return variant;
    }

    final int capacity() {
        return variant.capacity();
    }

    // ---------------------------------------------------------------- channels

    final <E> Channel<E> channel() {
        int n = capacity();
        return remember(
                variant.isLocal()
                        ? n == 0 ? Channel.localRendezvous() : Channel.localBuffered(n)
                        : n == 0 ? Channel.rendezvous() : Channel.buffered(n));
    }

    /** A channel with a hook; a rendezvous channel has nothing to hand to it. */
    final <E> Channel<E> channel(Consumer<? super E> undelivered) {
        int n = capacity();
        if (n == 0) {
            return channel();
        }
        return remember(
                variant.isLocal()
                        ? Channel.localBuffered(n, undelivered)
                        : Channel.buffered(n, undelivered));
    }

    private <E> Channel<E> remember(Channel<E> channel) {
        made.add((QueueChannel<?>) channel);
        return channel;
    }

    /** A channel whose buffer holds 0, 1, 2 and so on. */
    final Channel<Integer> fullChannel() {
        Channel<Integer> channel = channel();
        fill(channel);
        return channel;
    }

    final void fill(Channel<Integer> channel) {
        for (int i = 0; i < capacity(); i++) {
            Assertions.assertEquals(Channel.SendResult.SENT, channel.trySend(i));
        }
    }

    /** Takes what {@link #fill} put in. */
    final void drainFilled(Channel<Integer> channel) {
        for (int i = 0; i < capacity(); i++) {
            Assertions.assertEquals(i, channel.receive());
        }
    }

    // ---------------------------------------------------------------- players

    abstract <T> Player<T> sender(Callable<T> body);

    abstract <T> Player<T> receiver(Callable<T> body);

    /** Returns once {@code count} nodes stand in the channel's queues. */
    abstract void untilWaiting(int count, Channel<?> channel);

    @Override
    public abstract void close();

    /** A sender that has entered the queue of a full channel. */
    final <E> Player<Boolean> waitingSender(Channel<E> channel, E element) {
        int before = Inside.waiting(channel);
        Player<Boolean> sender =
                sender(
                        () -> {
                            channel.send(element);
                            return true;
                        });
        untilWaiting(before + 1, channel);
        return sender;
    }

    /** A receiver that has entered the queue of an empty channel. */
    final <E> Player<E> waitingReceiver(Channel<E> channel) {
        int before = Inside.waiting(channel);
        Player<E> receiver = receiver(channel::receive);
        untilWaiting(before + 1, channel);
        return receiver;
    }

    /** Lets others run, wherever it is called. */
    static void giveWay(int times) {
        boolean inFiber = Fiber.currentOrNull() != null;
        for (int i = 0; i < times; i++) {
            if (inFiber) {
                Fiber.snooze();
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private static final class OneCord extends Arena {
        OneCord(Variant variant) {
            super(variant);
        }

        @Override
        <T> Player<T> sender(Callable<T> body) {
            return new FiberPlayer<>(Cord.current(), "sender", body);
        }

        @Override
        <T> Player<T> receiver(Callable<T> body) {
            return new FiberPlayer<>(Cord.current(), "receiver", body);
        }

        @Override
        void untilWaiting(int count, Channel<?> channel) {
            // Virtual time passes when all others wait, and not before.
            Fiber.sleep(Duration.ofNanos(1));
            Assertions.assertEquals(count, Inside.waiting(channel));
        }

        @Override
        public void close() {
            // The players end with the run.
        }
    }

    private static final class TwoCords extends Arena {
        private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        private final Cord senders;
        private final Cord receivers;

        TwoCords(Variant variant, StackKind stacks) {
            super(variant);
            this.senders = start("senders", stacks);
            this.receivers = start("receivers", stacks);
        }

        private Cord start(String name, StackKind stacks) {
            return Cord.start(
                    CordOptions.named(name)
                            .withStacks(stacks)
                            .withUncaught((fiber, failure) -> uncaught.add(failure)));
        }

        @Override
        <T> Player<T> sender(Callable<T> body) {
            return new FiberPlayer<>(senders, "sender", body);
        }

        @Override
        <T> Player<T> receiver(Callable<T> body) {
            return new FiberPlayer<>(receivers, "receiver", body);
        }

        @Override
        void untilWaiting(int count, Channel<?> channel) {
            untilTheyWait(count, channel);
        }

        @Override
        public void close() {
            senders.close();
            receivers.close();
            Assertions.assertEquals(List.of(), uncaught);
        }
    }

    private static final class Threads extends Arena {
        private final List<Player<?>> players = new CopyOnWriteArrayList<>();

        Threads(Variant variant) {
            super(variant);
        }

        @Override
        <T> Player<T> sender(Callable<T> body) {
            return start("sender", body);
        }

        @Override
        <T> Player<T> receiver(Callable<T> body) {
            return start("receiver", body);
        }

        private <T> Player<T> start(String name, Callable<T> body) {
            ThreadPlayer<T> player = new ThreadPlayer<>(name, body);
            players.add(player);
            player.start();
            return player;
        }

        @Override
        void untilWaiting(int count, Channel<?> channel) {
            untilTheyWait(count, channel);
        }

        @Override
        public void close() {
            players.forEach(Player::terminate);
            players.forEach(Player::awaitEnd);
        }
    }

    private static void untilTheyWait(int count, Channel<?> channel) {
        Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(LIMIT)
                .until(() -> Inside.waiting(channel) == count);
    }
}
