package dev.ropewalk.actors.cluster.internal.entity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.internal.entity.Ledger.Reminder;
import dev.ropewalk.actors.cluster.internal.entity.Letter.Peer;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Objects;

/** Rule A8: what an entity has to keep beside its state. */
@Timeout(20)
class LedgerTest {
    private static final Peer A = new Peer("account", "a");
    private static final Peer B = new Peer("account", "b");

    private final Ledger ledger = new Ledger();

    @AfterEach
    void checkInvariants() {
        ledger.checkInvariants();
    }

    private static Ledger readAgain(Ledger written) {
        byte[] bytes = bytes(written);
        WireInput from = new WireInput();
        from.setBuffer(bytes, 0, bytes.length);
        Ledger read = Ledger.read(from);
        assertEquals(0, from.left());
        read.checkInvariants();
        return read;
    }

    private static byte[] bytes(Ledger written) {
        Output to = new Output(64, -1);
        written.write(to);
        return to.toBytes();
    }

    private static byte[] message(int number) {
        return new byte[] {(byte) number};
    }

    @Test
    void A8_oneThatHasDeliveredKeepsItsNumber() {
        ledger.add(A, message(1));
        assertTrue(ledger.confirmed(A, 1));
        assertFalse(ledger.isEmpty()); // its next life must not begin at 1
        assertFalse(ledger.isWaiting());
        Ledger next = readAgain(ledger);
        next.add(A, message(2));
        assertEquals(2, Objects.requireNonNull(next.first(A)).number());
    }

    @Test
    void A8_oneThatHasReceivedKeepsTheNumberUntilTheSenderHasForgotten() {
        ledger.received(A, 7);
        assertFalse(ledger.isEmpty());
        Ledger next = readAgain(ledger);
        assertFalse(next.isNew(A, 7));
        assertTrue(next.isNew(A, 8));
        assertTrue(next.isNew(B, 1));
        next.forget(A, 6, 0); // of an earlier message
        assertFalse(next.isNew(A, 7));
        next.forget(A, 7, 0);
        assertTrue(next.isEmpty());
    }

    @Test
    void A8_messagesOfAReceiverAreConfirmedInOrderAndOnce() {
        ledger.add(A, message(1));
        ledger.add(B, message(2));
        ledger.add(A, message(3));
        assertEquals(List.of(A, B), ledger.receivers());
        assertFalse(ledger.confirmed(A, 3)); // 1 is not
        assertTrue(ledger.confirmed(A, 1));
        assertFalse(ledger.confirmed(A, 1));
        assertEquals(3, Objects.requireNonNull(ledger.first(A)).number());
        assertTrue(ledger.confirmed(A, 3));
        assertNull(ledger.first(A));
        assertFalse(ledger.confirmed(A, 4));
        assertEquals(1, ledger.waiting());
        assertArrayEquals(message(2), Objects.requireNonNull(readAgain(ledger).first(B)).message());
    }

    @Test
    void A8_theReminderThatIsDueFirstIsTheNext() {
        assertNull(ledger.nextReminder());
        ledger.remind("late", new Reminder(2, message(2)));
        ledger.remind("early", new Reminder(1, message(1)));
        assertTrue(ledger.isWaiting());
        Ledger next = readAgain(ledger);
        assertEquals("early", next.nextReminder());
        assertEquals(1, next.dueMs("early"));
        next.removeReminder("early");
        assertEquals("late", next.nextReminder());
        next.removeReminder("late");
        assertTrue(next.isEmpty());
    }

    @Test
    void A8_damagedBytesAreRefused() {
        ledger.add(A, message(1));
        ledger.received(B, 3);
        ledger.remind("x", new Reminder(1, message(1)));
        byte[] whole = bytes(ledger);
        for (int length = 0; length < whole.length; length++) {
            WireInput from = new WireInput();
            from.setBuffer(whole, 0, length);
            boolean isRefused = false;
            try {
                Ledger.read(from);
            } catch (KryoException damaged) {
                isRefused = true;
            }
            assertTrue(isRefused, "length=" + length);
        }
    }

    @Test
    void A8_whatAnEarlierOwnerHasToldDoesNotCountAfterItWasForgotten() {
        ledger.received(A, 7);
        assertFalse(ledger.isOvertaken(A, 3));
        ledger.forget(A, 7, 5);
        assertTrue(ledger.isNew(A, 7));
        Ledger next = readAgain(ledger);
        assertTrue(next.isOvertaken(A, 3)); // it came another way, and late
        assertFalse(next.isOvertaken(A, 5));
        assertFalse(next.isOvertaken(B, 3));
        assertFalse(next.isEmpty());
    }
}
