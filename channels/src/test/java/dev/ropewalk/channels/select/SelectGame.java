package dev.ropewalk.channels.select;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.spi.Clause;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One game of fibers that select over a few channels, as senders and as receivers, some with limits
 * and defaults; they are terminated, and channels are closed and cancelled, at random moments. At
 * its end accepted = received + left over + undelivered, and nothing is there twice.
 */
final class SelectGame {
    private static final int CHANNELS = 4;
    private static final int ROUNDS = 30;

    private record Item(int player, int number) {}

    private static final class Log {
        final List<Item> sent = new ArrayList<>();
        final List<Item> received = new ArrayList<>();
    }

    private final SplittableRandom random;
    private final List<Cord> cords;
    private final List<Channel<Item>> channels = new ArrayList<>();
    private final List<Item> undelivered = Collections.synchronizedList(new ArrayList<>());
    private final List<Log> logs = new ArrayList<>();
    private final List<Fiber<?>> players = new ArrayList<>();

    SelectGame(List<Cord> cords, long seed) {
        this.cords = cords;
        this.random = new SplittableRandom(seed);
        for (int i = 0; i < CHANNELS; i++) {
            channels.add(Channel.make(options().withUndelivered(undelivered::add)));
        }
    }

    private ChannelOptions<Item> options() {
        ChannelOptions<Item> options =
                switch (random.nextInt(6)) {
                    case 0, 1, 2 -> ChannelOptions.rendezvous();
                    case 3 -> ChannelOptions.buffered(1 + random.nextInt(3));
                    case 4 -> ChannelOptions.sliding(2);
                    default -> ChannelOptions.dropping(2);
                };
        return cords.size() == 1 && random.nextBoolean() ? options.onThisCord() : options;
    }

    void play() {
        int n = 2 + random.nextInt(5);
        for (int i = 0; i < n; i++) {
            spin(i);
        }
        for (int i = random.nextInt(8); i > 0; i--) {
            giveWay(random.nextInt(1 << random.nextInt(8)));
            switch (random.nextInt(4)) {
                case 0, 1 -> players.get(random.nextInt(players.size())).terminate();
                case 2 -> channels.get(random.nextInt(CHANNELS)).close();
                default -> channels.get(random.nextInt(CHANNELS)).cancel();
            }
        }
        giveWay(random.nextInt(1 << random.nextInt(9)));
        channels.forEach(Channel::close);
        for (Fiber<?> each : players) {
            try {
                each.await();
            } catch (FiberTerminatedException terminated) {
                // As it was meant.
            }
        }
        verify();
    }

    private static void giveWay(int times) {
        for (int i = 0; i < times; i++) {
            Fiber.snooze();
        }
    }

    private void spin(int player) {
        Log log = new Log();
        logs.add(log);
        SplittableRandom own = random.split();
        players.add(
                cords.get(player % cords.size())
                        .spin("player", () -> selectOften(player, log, own)));
    }

    private void selectOften(int player, Log log, SplittableRandom own) {
        for (int number = 0; number < ROUNDS; number++) {
            List<Clause<Boolean>> clauses = new ArrayList<>();
            Item item = new Item(player, number);
            for (int i = 1 + own.nextInt(4); i > 0; i--) {
                Channel<Item> channel = channels.get(own.nextInt(CHANNELS));
                clauses.add(
                        own.nextBoolean()
                                ? channel.<Boolean>onReceive(got -> log.received.add(got))
                                : channel.<Boolean>onSendResult(
                                        item,
                                        result -> result == SendResult.SENT && log.sent.add(item)));
            }
            switch (own.nextInt(4)) {
                case 0 -> clauses.add(Select.otherwise(() -> false));
                case 1 ->
                        clauses.add(
                                Select.after(
                                        Duration.ofNanos(own.nextInt(1 << own.nextInt(14))),
                                        () -> false));
                default -> {}
            }
            try {
                Select.of(clauses).await();
            } catch (ChannelClosedException closed) {
                // A receive from a closed channel; it goes on with others.
            }
            if (own.nextInt(4) == 0) {
                giveWay(own.nextInt(4));
            }
        }
    }

    private void verify() {
        List<Item> out = new ArrayList<>(undelivered);
        Set<Item> sent = new HashSet<>();
        for (Log log : logs) {
            sent.addAll(log.sent);
            out.addAll(log.received);
        }
        channels.forEach(channel -> out.addAll(channel.drain()));
        Set<Item> distinct = new HashSet<>(out);
        assertEquals(out.size(), distinct.size(), () -> "something is there twice: " + out);
        assertEquals(sent, distinct, "sent != received + left over + undelivered");
        for (Channel<Item> channel : channels) {
            assertEquals(0, channel.snapshot().waitingSenders(), channel::toString);
            assertEquals(0, channel.snapshot().waitingReceivers(), channel::toString);
        }
    }
}
