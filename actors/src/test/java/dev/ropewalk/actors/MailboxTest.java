package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The ring of queued messages, against a list. */
@Timeout(60)
class MailboxTest {
    private final Mailbox mailbox = new Mailbox("owner");

    @AfterEach
    void invariantsHold() {
        mailbox.checkInvariants();
    }

    @Test
    void refusesAnIndexThatIsNotThere() {
        assertNull(mailbox.poll());
        assertThrows(IndexOutOfBoundsException.class, () -> mailbox.get(0));
        assertThrows(IndexOutOfBoundsException.class, () -> mailbox.remove(0));
        mailbox.add("a");
        assertThrows(IndexOutOfBoundsException.class, () -> mailbox.get(1));
        assertThrows(IndexOutOfBoundsException.class, () -> mailbox.remove(-1));
        assertEquals("a", mailbox.poll());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesLikeAList(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Object> model = new ArrayList<>();
        int growth = 0;
        for (int step = 0; step < 3_000; step++) {
            String at = "seed=" + seed + " step=" + step;
            if (step % 200 == 0) {
                growth = random.nextInt(8);
            }
            int what = random.nextInt(8);
            Object message = "m" + step;
            if (what < growth && what % 4 == 3) {
                mailbox.addFirst(message);
                model.addFirst(message);
            } else if (what < growth) {
                mailbox.add(message);
                model.addLast(message);
            } else if (what % 3 == 2 && !model.isEmpty()) {
                int index = random.nextInt(model.size());
                assertEquals(model.get(index), mailbox.get(index), at);
                assertEquals(model.remove(index), mailbox.remove(index), at);
            } else {
                assertEquals(model.isEmpty() ? null : model.removeFirst(), mailbox.poll(), at);
            }
            assertEquals(model.size(), mailbox.size(), at);
            mailbox.checkInvariants();
        }
        while (!model.isEmpty()) {
            assertEquals(model.removeFirst(), mailbox.poll(), "seed=" + seed);
        }
        assertNull(mailbox.poll());
    }
}
