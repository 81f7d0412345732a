package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Queued messages, against a list: in order, by type, by predicate, and the oldest displaced. */
@Timeout(60)
class MailboxTest {
    private FifoMailbox mailbox = new FifoMailbox("owner", Integer.MAX_VALUE);

    @AfterEach
    void invariantsHold() {
        mailbox.checkInvariants();
    }

    private static @Nullable Object takeFirst(List<Object> model, Predicate<Object> wanted) {
        for (int i = 0; i < model.size(); i++) {
            if (wanted.test(model.get(i))) {
                return model.remove(i);
            }
        }
        return null;
    }

    private static Object message(SplittableRandom random, int step) {
        return switch (random.nextInt(5)) {
            case 0 -> step;
            case 1 -> (long) step;
            case 2 -> (double) step;
            default -> "m" + step;
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void A1_behavesLikeAList(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Object> model = new ArrayList<>();
        List<Class<?>> types =
                List.of(Integer.class, Long.class, Number.class, String.class, Object.class);
        int growth = 0;
        for (int step = 0; step < 5_000; step++) {
            String at = "seed=" + seed + " step=" + step;
            if (step % 200 == 0) {
                growth = random.nextInt(10);
            }
            if (random.nextInt(10) < growth) {
                Object item = message(random, step);
                if (random.nextInt(8) == 0) {
                    mailbox.addFirst(item);
                    model.addFirst(item);
                } else {
                    mailbox.add(item);
                    model.addLast(item);
                }
            } else {
                switch (random.nextInt(4)) {
                    case 0 -> {
                        Class<?> type = types.get(random.nextInt(types.size()));
                        assertEquals(takeFirst(model, type::isInstance), mailbox.poll(type), at);
                    }
                    case 1 -> {
                        char digit = (char) ('0' + random.nextInt(10));
                        Predicate<Object> wanted = m -> m.toString().indexOf(digit) >= 0;
                        assertEquals(takeFirst(model, wanted), mailbox.poll(wanted), at);
                    }
                    default ->
                            assertEquals(
                                    model.isEmpty() ? null : model.removeFirst(),
                                    mailbox.poll(),
                                    at);
                }
            }
            assertEquals(model.size(), mailbox.size(), at);
            assertEquals(model.subList(0, Math.min(3, model.size())), mailbox.oldest(3), at);
            mailbox.checkInvariants();
        }
        while (!model.isEmpty()) {
            assertEquals(model.removeFirst(), mailbox.poll(), "seed=" + seed);
        }
        assertNull(mailbox.poll());
    }

    /** A receive that has seen all that was there looks at nothing twice. */
    @Test
    void A1_pollOfTheNewLooksAtTheNewOnly() {
        for (int i = 0; i < 10; i++) {
            mailbox.add(i);
        }
        List<Object> seen = new ArrayList<>();
        Predicate<Object> none =
                item -> {
                    seen.add(item);
                    return false;
                };
        assertNull(mailbox.poll(none));
        assertEquals(10, seen.size());
        assertNull(mailbox.pollNew(none));
        mailbox.add("new");
        assertNull(mailbox.pollNew(none));
        assertEquals("new", seen.getLast());
        assertEquals(11, seen.size());
        assertEquals(0, mailbox.poll());
    }

    @Test
    void A3_aStopIsNoMessage() {
        mailbox.add("a");
        mailbox.add(Stop.STOP);
        mailbox.add("b");
        assertEquals(2, mailbox.messages());
        assertEquals(List.of("a", "b"), mailbox.oldest(10));
        assertEquals(List.of("a"), mailbox.oldest(1));
    }

    /** Its timer was cancelled. */
    @Test
    void A6_aPostponedNoticeThatWasRevokedIsNoMessage() {
        boolean[] isRevoked = {false};
        Envelope.Notice.Source source =
                new Envelope.Notice.Source() {
                    @Override
                    public boolean isRevoked() {
                        return isRevoked[0];
                    }

                    @Override
                    public void done() {}
                };
        Envelope notice = new Envelope.Notice<>(UnaryOperator.identity(), "tick", source);
        mailbox.postpone(new Envelope.PutBack(notice, 0, 1));
        mailbox.postpone(new Envelope.PutBack("a", 0, 1));
        assertEquals(2, mailbox.messages());
        isRevoked[0] = true;
        assertEquals(1, mailbox.messages());
        assertEquals(1, mailbox.postponed());
    }

    @Test
    void A6_theOldestMayHaveBeenPassedOver() {
        for (int i = 0; i < 3; i++) {
            mailbox.add("m" + i, i, i);
        }
        assertEquals(0, mailbox.oldestNumber());
        assertNull(mailbox.poll(Integer.class));
        assertEquals(0, mailbox.oldestNumber());
        assertEquals("m0", mailbox.poll());
        assertEquals(1, mailbox.oldestNumber());
        assertEquals("m1", mailbox.poll("m1"::equals));
        assertEquals(2, mailbox.oldestNumber());
    }

    /** It was handed to an actor that ended before it saw it. */
    @Test
    void A3_aStopThatWasPutBackBeforeOthersIsNoMessage() {
        mailbox.add("a", 1, 1);
        assertNull(mailbox.poll(Integer.class));
        mailbox.addFirst(Stop.STOP);
        assertEquals(1, mailbox.messages());
        assertEquals(List.of("a"), mailbox.oldest(10));
        assertEquals(Stop.STOP, mailbox.poll());
        assertEquals(1, mailbox.messages());
    }

    /** Rule A3: what ends the actor, and what was begun before, is never dropped. */
    @Test
    void A3_theOldestIsDisplacedButNoStop() {
        mailbox = new FifoMailbox("owner", 2);
        mailbox.add("a");
        mailbox.add(Stop.STOP);
        mailbox.add("b");
        mailbox.addFirst(new Envelope.PutBack("retried", 1));
        assertTrue(!mailbox.isOverfull());
        mailbox.add("c");
        assertTrue(mailbox.isOverfull());
        assertEquals("a", mailbox.displaced());
        assertTrue(!mailbox.isOverfull());
        assertNull(mailbox.poll(Integer.class) == Stop.STOP ? null : "no stop");
        assertEquals(List.of("retried", "b", "c"), mailbox.oldest(10));
        mailbox.add("d");
        assertTrue(mailbox.isOverfull());
        assertEquals("b", mailbox.displaced());
        assertEquals("retried", Envelope.open(String.valueOf("retried")));
        assertEquals(List.of("retried", "c", "d"), mailbox.oldest(10));
    }

    /** A function that cannot make its message takes the actor down as that message, not before. */
    @Test
    void A1_whatCannotBeOpenedIsTakenByAnyReceive() {
        Envelope.Adapted<String> broken =
                new Envelope.Adapted<>(
                        text -> {
                            throw new IllegalStateException("broken by " + text);
                        },
                        "x",
                        false);
        mailbox.add(1);
        mailbox.add(broken);
        assertEquals(broken, mailbox.poll(String.class));
        assertEquals(1, mailbox.poll(Integer.class));
        mailbox.add(2);
        assertNull(mailbox.poll(String.class));
        mailbox.addFirst(new Envelope.PutBack(broken, 1));
        assertTrue(mailbox.poll(String.class) instanceof Envelope.PutBack);
        assertEquals(2, mailbox.poll());
    }
}
