package dev.ropewalk.actors.cluster.internal.entity;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.internal.entity.Letter.Peer;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * The part of an entity's value beside its state: messages that it has to deliver, of each sender
 * the last message that counts here, and reminders.
 *
 * <p>The numbers of a sender grow over all its receivers and are never given again, so a receiver
 * knows a message that it has by its number alone. To one receiver one message is on its way at a
 * time, and the next one follows its confirmation: none can overtake another, and none is missing
 * before it. Both sides forget: the sender a message that was confirmed, with its next write, and
 * the receiver the number of a sender that has nothing left for it.
 *
 * <p>Rejected: numbers for each pair, because a side that forgets begins again at 1, and the other
 * one takes what is new for old. Several messages on the way, because a receiver that fails on one
 * would have to refuse those behind it.
 *
 * <p>Confined to the actor's fiber. A change is written before anybody hears of it; a failure of
 * that ends the incarnation, and this with it.
 */
final class Ledger {
    /** So many wait for all receivers of an entity. */
    static final int MAX_OUTGOING = 10_000;

    /** So many an entity has. */
    static final int MAX_REMINDERS = 1_000;

    /** A message to be delivered. */
    static final class Outgoing {
        private final long number;
        private final Peer to;

        /** In bytes, with the hash of their description. */
        private final byte[] message;

        Outgoing(long number, Peer to, byte[] message) {
            this.number = number;
            this.to = to;
            this.message = message;
        }

        long number() {
            return number;
        }

        byte[] message() {
            return message;
        }
    }

    /** A message of an entity to itself. */
    static final class Reminder {
        /** When it is due, in milliseconds of the epoch. */
        private final long atMs;

        /** In bytes, with the hash of their description. */
        private final byte[] message;

        Reminder(long atMs, byte[] message) {
            this.atMs = atMs;
            this.message = message;
        }

        byte[] message() {
            return message;
        }
    }

    private long sent;
    private int waiting;
    private final Map<Peer, Deque<Outgoing>> outgoing = new LinkedHashMap<>();
    private final Map<Peer, Long> received = new LinkedHashMap<>();
    private final Map<String, Reminder> reminders = new LinkedHashMap<>();

    /** By the shards of senders that were forgotten: the owner that has said so. */
    private final Map<Integer, Long> epochs = new TreeMap<>();

    // ---------------------------------------------------------------- as a sender

    void add(Peer to, byte[] message) {
        sent++;
        waiting++;
        outgoing.computeIfAbsent(to, _ -> new ArrayDeque<>()).add(new Outgoing(sent, to, message));
    }

    /** How many messages nobody has confirmed. */
    int waiting() {
        return waiting;
    }

    /** Those that have messages to come. */
    List<Peer> receivers() {
        return List.copyOf(outgoing.keySet());
    }

    /** The oldest message to a receiver; null if there is none. */
    @Nullable Outgoing first(Peer to) {
        Deque<Outgoing> all = outgoing.get(to);
        return all == null ? null : all.peek();
    }

    /** False if the message is none that waits. */
    boolean confirmed(Peer by, long number) {
        Deque<Outgoing> all = outgoing.get(by);
        if (all == null || Objects.requireNonNull(all.peek()).number != number) {
            return false;
        }
        all.remove();
        waiting--;
        if (all.isEmpty()) {
            outgoing.remove(by);
        }
        return true;
    }

    // ---------------------------------------------------------------- as a receiver

    /**
     * Whether an earlier owner of the sender has told it, than the one whose word to forget came:
     * it came another way, so it may be one of the messages that were forgotten.
     */
    boolean isOvertaken(Peer from, long epoch) {
        return epoch < epochs.getOrDefault(Shards.of(from.key()), 0L);
    }

    boolean isNew(Peer from, long number) {
        return number > received.getOrDefault(from, 0L);
    }

    void received(Peer from, long number) {
        received.put(from, number);
    }

    /**
     * One entry for each shard stays, also when nothing else does.
     *
     * @return whether there was something to forget
     */
    boolean forget(Peer from, long number, long epoch) {
        if (epoch > 0) {
            epochs.merge(Shards.of(from.key()), epoch, Math::max);
        }
        return received.remove(from, number); // with a greater one, that message may come again
    }

    // ---------------------------------------------------------------- reminders

    void remind(String name, Reminder reminder) {
        reminders.put(name, reminder);
    }

    @Nullable Reminder removeReminder(String name) {
        return reminders.remove(name);
    }

    void forgetReminders() {
        reminders.clear();
    }

    /** Their names, as they are now. */
    Set<String> reminders() {
        return new HashSet<>(reminders.keySet());
    }

    /** The names of those that are due. */
    List<String> remindersUntil(long nowMs) {
        return reminders.entrySet().stream()
                .filter(each -> each.getValue().atMs <= nowMs)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The name of the one that is due first; null if there is none. */
    @Nullable String nextReminder() {
        return reminders.entrySet().stream()
                .min(Comparator.comparingLong(each -> each.getValue().atMs))
                .map(Map.Entry::getKey)
                .orElse(null);
    }

    /** Of one that is there. */
    long dueMs(String name) {
        return Objects.requireNonNull(reminders.get(name)).atMs;
    }

    // ---------------------------------------------------------------- in the store

    /** Nothing of it need be kept, also if the entity has no state. */
    boolean isEmpty() {
        return sent == 0 && received.isEmpty() && reminders.isEmpty() && epochs.isEmpty();
    }

    /** The entity has something to do when its process begins. */
    boolean isWaiting() {
        return waiting > 0 || !reminders.isEmpty();
    }

    void write(Output to) {
        to.writeVarLong(sent, true);
        to.writeVarInt(waiting, true);
        outgoing.values()
                .forEach(
                        all ->
                                all.forEach(
                                        each -> {
                                            to.writeVarLong(each.number, true);
                                            write(to, each.to);
                                            to.writeVarInt(each.message.length, true);
                                            to.writeBytes(each.message);
                                        }));
        to.writeVarInt(received.size(), true);
        received.forEach(
                (from, number) -> {
                    write(to, from);
                    to.writeVarLong(number, true);
                });
        to.writeVarInt(reminders.size(), true);
        reminders.forEach(
                (name, reminder) -> {
                    Text.write(to, name);
                    to.writeLong(reminder.atMs);
                    to.writeVarInt(reminder.message.length, true);
                    to.writeBytes(reminder.message);
                });
        to.writeVarInt(epochs.size(), true);
        epochs.forEach(
                (shard, epoch) -> {
                    to.writeVarInt(shard, true);
                    to.writeVarLong(epoch, true);
                });
    }

    private static void write(Output to, Peer peer) {
        Text.write(to, peer.kind());
        Text.write(to, peer.key());
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws KryoException if the bytes are none
     */
    static Ledger read(WireInput from) {
        Ledger made = new Ledger();
        made.sent = from.readVarLong(true);
        int waiting = from.readSize(4);
        for (int i = 0; i < waiting; i++) {
            long number = from.readVarLong(true);
            Peer to = readPeer(from);
            byte[] message = from.readBytes(from.readSize(1));
            if (number > made.sent) {
                throw new KryoException("number=" + number + " > sent=" + made.sent);
            }
            made.outgoing
                    .computeIfAbsent(to, _ -> new ArrayDeque<>())
                    .add(new Outgoing(number, to, message));
        }
        made.waiting = waiting;
        int senders = from.readSize(3);
        for (int i = 0; i < senders; i++) {
            made.received.put(readPeer(from), from.readVarLong(true));
        }
        int reminders = from.readSize(10);
        for (int i = 0; i < reminders; i++) {
            String name = Text.readSome(from);
            long atMs = from.readLong();
            made.reminders.put(name, new Reminder(atMs, from.readBytes(from.readSize(1))));
        }
        int epochs = from.readSize(2);
        for (int i = 0; i < epochs; i++) {
            made.epochs.put(from.readVarInt(true), from.readVarLong(true));
        }
        return made;
    }

    private static Peer readPeer(WireInput from) {
        return new Peer(Text.readSome(from), Text.readSome(from));
    }

    void checkInvariants() {
        int count = outgoing.values().stream().mapToInt(Deque::size).sum();
        if (count != waiting) {
            throw new AssertionError("waiting=" + waiting + ", and " + count + " are there");
        }
    }
}
