package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.channels.internal.QueueChannel;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

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
    private static final int CORDS = 3;

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
            case SEEDED_CORDS ->
                    TestCords.run(CORDS, cords -> play(new SeededCords(variant, cords), play));
            case ONE_VIRTUAL_CORD -> {
                assumeTrue(StackKind.VIRTUAL_THREAD.isAvailable());
                Cord.run(
                        CordOptions.named("one").withStacks(StackKind.VIRTUAL_THREAD),
                        () -> play(new OneRealCord(variant), play));
            }
            case TWO_CORDS -> play(new SeveralCords(variant, StackKind.LIGHT, 1), play);
            case TWO_VIRTUAL_CORDS -> {
                assumeTrue(StackKind.VIRTUAL_THREAD.isAvailable());
                play(new SeveralCords(variant, StackKind.VIRTUAL_THREAD, 1), play);
            }
            case EIGHT_CORDS -> play(new SeveralCords(variant, StackKind.LIGHT, 4), play);
            case THREADS -> play(new WithThreads(variant, true, true), play);
            case THREADS_TO_CORD -> play(new WithThreads(variant, true, false), play);
            case CORD_TO_THREADS -> play(new WithThreads(variant, false, true), play);
        }
    }

    /** Plays once, on a virtual clock with the given seed and order. */
    static void run(Variant variant, long seed, boolean seededOrder, Play play) {
        if (variant.stage() == Variant.Stage.SEEDED_CORDS) {
            TestCords.run(
                    CORDS, seed, seededOrder, cords -> play(new SeededCords(variant, cords), play));
        } else {
            TestCord.run(seed, seededOrder, () -> play(new OneCord(variant), play));
        }
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
        return remember(Channel.make(variant.<E>options()));
    }

    /** A channel with a hook. */
    final <E> Channel<E> channel(Consumer<? super E> undelivered) {
        return remember(Channel.make(variant.<E>options().withUndelivered(undelivered)));
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
            Assertions.assertEquals(SendResult.SENT, channel.trySend(i));
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

    /** Virtual time passes when all others wait, and not before. */
    private static void untilAllWait(int count, Channel<?> channel) {
        Fiber.sleep(Duration.ofNanos(1));
        Assertions.assertEquals(count, Inside.waiting(channel));
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
            untilAllWait(count, channel);
        }

        @Override
        public void close() {
            // The players end with the run.
        }
    }

    private static final class SeededCords extends Arena {
        private final List<Cord> cords;
        private int players;

        SeededCords(Variant variant, List<Cord> cords) {
            super(variant);
            this.cords = cords;
        }

        private Cord next() {
            return cords.get(players++ % cords.size());
        }

        @Override
        <T> Player<T> sender(Callable<T> body) {
            return new FiberPlayer<>(next(), "sender", body);
        }

        @Override
        <T> Player<T> receiver(Callable<T> body) {
            return new FiberPlayer<>(next(), "receiver", body);
        }

        @Override
        void untilWaiting(int count, Channel<?> channel) {
            untilAllWait(count, channel);
        }

        @Override
        public void close() {
            // The players end with the run.
        }
    }

    private static final class OneRealCord extends Arena {
        OneRealCord(Variant variant) {
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
            CancelScope.cancelAfter(
                    LIMIT,
                    () -> {
                        while (Inside.waiting(channel) != count) {
                            Fiber.snooze();
                        }
                    });
        }

        @Override
        public void close() {
            // The players end with the run.
        }
    }

    private static final class SeveralCords extends Arena {
        private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        private final List<Cord> senders = new ArrayList<>();
        private final List<Cord> receivers = new ArrayList<>();
        private int players;

        SeveralCords(Variant variant, StackKind stacks, int ofEach) {
            super(variant);
            for (int i = 0; i < ofEach; i++) {
                senders.add(start("senders-" + i, stacks));
                receivers.add(start("receivers-" + i, stacks));
            }
        }

        private Cord start(String name, StackKind stacks) {
            return Cord.start(
                    CordOptions.named(name)
                            .withStacks(stacks)
                            .withUncaught((fiber, failure) -> uncaught.add(failure)));
        }

        @Override
        <T> Player<T> sender(Callable<T> body) {
            return new FiberPlayer<>(senders.get(players++ % senders.size()), "sender", body);
        }

        @Override
        <T> Player<T> receiver(Callable<T> body) {
            return new FiberPlayer<>(receivers.get(players++ % receivers.size()), "receiver", body);
        }

        @Override
        void untilWaiting(int count, Channel<?> channel) {
            untilTheyWait(count, channel);
        }

        @Override
        public void close() {
            senders.forEach(Cord::close);
            receivers.forEach(Cord::close);
            Assertions.assertEquals(List.of(), uncaught);
        }
    }

    /** Plain threads at one end or both, and a cord at the other. */
    private static final class WithThreads extends Arena {
        private final List<Player<?>> players = new CopyOnWriteArrayList<>();
        private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
        private final boolean sendersAreThreads;
        private final boolean receiversAreThreads;
        private final Cord cord;

        WithThreads(Variant variant, boolean sendersAreThreads, boolean receiversAreThreads) {
            super(variant);
            this.sendersAreThreads = sendersAreThreads;
            this.receiversAreThreads = receiversAreThreads;
            this.cord =
                    Cord.start(
                            CordOptions.named("fibers")
                                    .withUncaught((fiber, failure) -> uncaught.add(failure)));
        }

        @Override
        <T> Player<T> sender(Callable<T> body) {
            return start("sender", sendersAreThreads, body);
        }

        @Override
        <T> Player<T> receiver(Callable<T> body) {
            return start("receiver", receiversAreThreads, body);
        }

        private <T> Player<T> start(String name, boolean isThread, Callable<T> body) {
            if (!isThread) {
                return new FiberPlayer<>(cord, name, body);
            }
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
            cord.close();
            Assertions.assertEquals(List.of(), uncaught);
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
