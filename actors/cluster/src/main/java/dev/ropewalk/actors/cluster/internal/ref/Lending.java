package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.Room;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * The room in bounded mailboxes here that is lent to the senders of the other node (rule A3), as
 * {@link Windows} wants it there. A permit is taken before it is lent, so a mailbox never holds
 * more than its capacity, and the reader never waits: where no permit is free, a fiber waits for
 * one, behind the senders that came earlier.
 *
 * <p>If there is plenty, more is lent than was wanted, up to a {@link #SHARE}th of the mailbox for
 * this session; otherwise each message would wait for an answer. Confined to the cord.
 */
final class Lending {
    /** So many sessions may lie on room that they do not use, until the next beats. */
    private static final int SHARE = 4;

    private static final int MAX_SHARE = 1_024;

    /**
     * A session that keeps room for a minute without a message is ended. An honest node gives room
     * back within two beats, unless its message waits for a slow connection.
     */
    private static final int MAX_IDLE_BEATS = 120;

    private final Home home;
    private final Conversation of;
    private final Map<Long, Loan> byNumber = new HashMap<>();

    Lending(Home home, Conversation of) {
        this.home = home;
        this.of = of;
    }

    /** Of one actor. */
    private static final class Loan {
        private final @Nullable Room room;
        private int lent;
        private int wanted;
        private int idleBeats;
        private @Nullable Fiber<?> waiting;

        Loan(@Nullable Room room) {
            this.room = room;
        }

        boolean isOver() {
            return lent == 0 && wanted == 0;
        }
    }

    /** The other node wants room. */
    void wanted(WireInput from) {
        long number = from.readVarLong(false);
        int count = from.readVarInt(true);
        if (count < 1 || count > Windows.MAX_ASKED) {
            throw new KryoException("room for " + count + " messages is wanted");
        }
        Loan loan = byNumber.computeIfAbsent(number, _ -> new Loan(room(number)));
        Room room = loan.room;
        if (room == null) {
            byNumber.remove(number); // it is over: a message is a dead letter
            tell(number, count, 0, count);
            return;
        }
        if (loan.wanted > Windows.MAX_ASKED - count) {
            throw new KryoException("room for too many messages is wanted");
        }
        loan.wanted += count;
        lend(number, loan, room);
    }

    private @Nullable Room room(long number) {
        ActorRef<?> actor = home.exports().actor(number);
        return actor == null ? null : Calls.roomOf(actor.target());
    }

    private void lend(long number, Loan loan, Room room) {
        int granted = 0;
        while (granted < loan.wanted && room.tryTake()) {
            granted++;
        }
        int answered = granted;
        if (granted == loan.wanted) {
            int share = Math.min(room.capacity() / SHARE, MAX_SHARE);
            while (loan.lent + granted < share && room.tryTake()) {
                granted++;
            }
        }
        int refused = 0;
        if (!room.isWaitedFor()) {
            refused = loan.wanted - answered;
            answered = loan.wanted;
        }
        loan.lent += granted;
        loan.wanted -= answered;
        loan.idleBeats = 0;
        if (granted > 0 || refused > 0) {
            tell(number, granted, refused, answered);
        }
        if (loan.wanted > 0 && loan.waiting == null) {
            loan.waiting =
                    home.cord()
                            .spin(
                                    "waits for room for " + of.peer().id().name(),
                                    () -> awaitRoom(number, loan, room));
        }
        forgetIfOver(number, loan);
    }

    /** One after the other, in the order of all senders. */
    private void awaitRoom(long number, Loan loan, Room room) {
        while (loan.wanted > 0) {
            room.take(Long.MAX_VALUE);
            if (loan.wanted == 0) { // meanwhile others were free, or the session has ended
                room.give();
                break;
            }
            loan.idleBeats = 0;
            loan.lent++;
            loan.wanted--;
            tell(number, 1, 0, 1);
        }
        loan.waiting = null;
        forgetIfOver(number, loan);
    }

    private void tell(long number, int granted, int refused, int answered) {
        of.sendAtOnce(
                frame ->
                        frame.begin(FrameType.LEND)
                                .signed(number)
                                .number(granted)
                                .number(refused)
                                .number(answered));
    }

    /**
     * A message has come with a permit, which is the caller's.
     *
     * @return null if none was lent: the actor was over, or a third node was wrong about it
     */
    @Nullable Room used(long number) {
        Loan loan = byNumber.get(number);
        if (loan == null || loan.room == null || loan.lent == 0) {
            return null;
        }
        taken(number, loan, 1);
        return loan.room;
    }

    private void taken(long number, Loan loan, int count) {
        loan.lent -= count;
        loan.idleBeats = 0;
        forgetIfOver(number, loan);
    }

    private void forgetIfOver(long number, Loan loan) {
        if (loan.isOver()) {
            byNumber.remove(number, loan);
        }
    }

    /** Permits come back. */
    void unused(WireInput from) {
        long number = from.readVarLong(false);
        int count = from.readVarInt(true);
        Loan loan = byNumber.get(number);
        if (loan == null || loan.room == null || count < 1 || count > loan.lent) {
            throw new KryoException(
                    count + " permits of actor #" + number + " come back, and were not lent");
        }
        taken(number, loan, count);
        give(loan.room, count);
    }

    /** Room that nobody uses must not stop others. */
    void beat() {
        for (Map.Entry<Long, Loan> each : byNumber.entrySet()) {
            Loan loan = each.getValue();
            if (loan.lent > 0 && ++loan.idleBeats > MAX_IDLE_BEATS) {
                of.session().end("it keeps room in the mailbox of actor #" + each.getKey());
                return;
            }
        }
    }

    private static void give(Room room, int count) {
        for (int i = 0; i < count; i++) {
            room.give();
        }
    }

    int size() {
        return byNumber.size();
    }

    /** The session has ended. */
    void over() {
        for (Loan each : byNumber.values()) {
            if (each.waiting != null) {
                each.waiting.terminate();
            }
            if (each.room != null) {
                give(each.room, each.lent);
            }
            each.lent = 0;
            each.wanted = 0;
        }
        byNumber.clear();
    }
}
