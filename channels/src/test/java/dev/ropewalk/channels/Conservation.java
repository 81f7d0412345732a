package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.internal.QueueChannel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One game of many senders and receivers at one channel, in which players are terminated and the
 * channel is closed or cancelled at random moments. At its end accepted = received + left over,
 * nothing is there twice, and what one sender sent is in order.
 */
final class Conservation {
    private static final int MAX_PLAYERS = 4;
    private static final int MAX_ITEMS = 60;
    private static final int MAX_MOVES = 14;

    /** The number-th element of a sender. */
    record Item(int sender, int number) {}

    /** What happened, to see that a run has tried everything. */
    static final class Tally {
        long accepted;
        long received;
        long drained;
        long undelivered;
        long handedBack;
        long gaveUp;
        long terminated;
    }

    private static final class SenderLog {
        final List<Item> accepted = new ArrayList<>();
        int gaveUp;
        int handedBack;
    }

    private static final class ReceiverLog {
        final List<Item> received = new ArrayList<>();
        int gaveUp;
    }

    private final Arena arena;
    private final SplittableRandom random;
    private final Tally tally;
    private final List<Item> undelivered = Collections.synchronizedList(new ArrayList<>());
    private final Channel<Item> channel;
    private final List<SenderLog> senderLogs = new ArrayList<>();
    private final List<ReceiverLog> receiverLogs = new ArrayList<>();
    private final List<Player<?>> senders = new ArrayList<>();
    private final List<Player<?>> receivers = new ArrayList<>();
    private final List<Player<?>> everybody = new ArrayList<>();

    Conservation(Arena arena, long seed, Tally tally) {
        this.arena = arena;
        this.random = new SplittableRandom(seed);
        this.tally = tally;
        this.channel = arena.channel(undelivered::add);
    }

    void play() {
        for (int i = random.nextInt(MAX_PLAYERS); i >= 0; i--) {
            startSender();
        }
        for (int i = random.nextInt(MAX_PLAYERS); i >= 0; i--) {
            startReceiver();
        }
        for (int i = random.nextInt(MAX_MOVES); i > 0; i--) {
            Arena.giveWay(random.nextInt(1 << random.nextInt(9)));
            move();
        }
        Arena.giveWay(random.nextInt(1 << random.nextInt(11)));
        end(random.nextInt(3));
        awaitEverybody();
        verify(drain());
    }

    // ---------------------------------------------------------------- moves

    private void move() {
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> terminateOne(senders);
            case 4, 5, 6, 7 -> terminateOne(receivers);
            case 8, 9 -> startSender();
            case 11, 12 -> startReceiver();
            case 10 -> end(random.nextInt(3));
            default -> ((QueueChannel<?>) channel).checkInvariants();
        }
    }

    private void terminateOne(List<Player<?>> players) {
        if (!players.isEmpty()) {
            players.remove(random.nextInt(players.size())).terminate();
        }
    }

    private void end(int how) {
        switch (how) {
            case 0 -> channel.close();
            case 1 -> channel.close(new IllegalStateException("closed with a cause"));
            default -> channel.cancel();
        }
    }

    private void startSender() {
        int id = senderLogs.size();
        SenderLog log = new SenderLog();
        senderLogs.add(log);
        SplittableRandom own = random.split();
        Player<?> player =
                arena.sender(
                        () -> {
                            send(id, log, own);
                            return true;
                        });
        senders.add(player);
        everybody.add(player);
    }

    private void startReceiver() {
        ReceiverLog log = new ReceiverLog();
        receiverLogs.add(log);
        SplittableRandom own = random.split();
        Player<?> player =
                arena.receiver(
                        () -> {
                            receive(log, own);
                            return true;
                        });
        receivers.add(player);
        everybody.add(player);
    }

    // ---------------------------------------------------------------- players

    private void send(int id, SenderLog log, SplittableRandom own) {
        int items = own.nextInt(MAX_ITEMS);
        for (int number = 0; number < items; number++) {
            Item item = new Item(id, number);
            try {
                if (sendOne(item, own)) {
                    log.accepted.add(item);
                } else {
                    log.gaveUp++;
                }
            } catch (ChannelClosedException closed) {
                assertSame(item, closed.element().orElseThrow());
                log.handedBack++;
            }
            if (own.nextInt(4) == 0) {
                Arena.giveWay(own.nextInt(8));
            }
        }
    }

    private boolean sendOne(Item item, SplittableRandom own) {
        return switch (own.nextInt(5)) {
            case 0 -> channel.trySend(item) == SendResult.SENT;
            case 1 -> channel.send(item, limit(own));
            case 2 -> {
                SendResult result = channel.sendResult(item);
                if (result == SendResult.CLOSED) {
                    throw new ChannelClosedException("closed", item, null);
                }
                yield result == SendResult.SENT;
            }
            default -> {
                channel.send(item);
                yield true;
            }
        };
    }

    private void receive(ReceiverLog log, SplittableRandom own) {
        try {
            int items = own.nextInt(MAX_ITEMS);
            while (log.received.size() < items) {
                Item item =
                        switch (own.nextInt(4)) {
                            case 0 -> channel.tryReceive();
                            case 1 -> channel.receive(limit(own));
                            default -> channel.receive();
                        };
                if (item != null) {
                    log.received.add(item);
                } else {
                    log.gaveUp++;
                }
                if (item == null || own.nextInt(4) == 0) {
                    Arena.giveWay(own.nextInt(8));
                }
            }
        } catch (ChannelClosedException closed) {
            assertTrue(closed.element().isEmpty(), () -> "a receiver got back " + closed.element());
        }
    }

    private static Duration limit(SplittableRandom own) {
        return Duration.ofNanos(own.nextInt(1 << own.nextInt(16)));
    }

    // ---------------------------------------------------------------- the account

    private void awaitEverybody() {
        for (Player<?> player : everybody) {
            if (player.awaitEnd()) {
                tally.terminated++;
            } else if (player.thrown() != null) {
                throw new AssertionError(player + " failed", player.thrown());
            }
        }
    }

    /** What a closed channel still holds. */
    private List<Item> drain() {
        List<Item> drained = new ArrayList<>();
        try {
            for (; ; ) {
                drained.add(channel.receive());
            }
        } catch (ChannelClosedException end) {
            return drained;
        }
    }

    private void verify(List<Item> drained) {
        Set<Item> accepted = new HashSet<>();
        for (SenderLog log : senderLogs) {
            accepted.addAll(log.accepted);
            tally.gaveUp += log.gaveUp;
            tally.handedBack += log.handedBack;
        }
        List<Item> taken = new ArrayList<>();
        Map<Integer, Integer> furthest = new HashMap<>();
        for (ReceiverLog log : receiverLogs) {
            taken.addAll(log.received);
            tally.gaveUp += log.gaveUp;
            checkOrder("received", log.received, new HashMap<>());
            log.received.forEach(i -> furthest.merge(i.sender(), i.number(), Math::max));
        }
        tally.accepted += accepted.size();
        tally.received += taken.size();
        tally.drained += drained.size();
        tally.undelivered += undelivered.size();
        List<Item> left = new ArrayList<>(undelivered);
        left.addAll(drained);
        // What is displaced or dropped leaves before its time.
        checkOrder("left over", arena.variant().isWaiting() ? left : drained, furthest);
        taken.addAll(left);
        Set<Item> distinct = new HashSet<>(taken);
        assertEquals(taken.size(), distinct.size(), () -> "something is there twice: " + taken);
        assertEquals(accepted, distinct, "accepted != received + left over");
        ((QueueChannel<?>) channel).checkInvariants();
        assertEquals(0, Inside.waiting(channel));
    }

    /** {@code last} holds the number after which each sender's items must come. */
    private static void checkOrder(String what, List<Item> items, Map<Integer, Integer> last) {
        for (Item item : items) {
            Integer before = last.put(item.sender(), item.number());
            if (before != null && before >= item.number()) {
                throw new AssertionError(what + " after number " + before + ": " + item);
            }
        }
    }
}
