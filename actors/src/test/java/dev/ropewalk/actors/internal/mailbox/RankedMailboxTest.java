package dev.ropewalk.actors.internal.mailbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import static java.util.Objects.requireNonNull;

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

/** Queued messages by priority, against a list that is sorted section by section. */
@Timeout(60)
class RankedMailboxTest {
    private RankedMailbox mailbox = new RankedMailbox("owner", Integer.MAX_VALUE);

    @AfterEach
    void invariantsHold() {
        mailbox.checkInvariants();
    }

    /** An item, and where it stands: the lower the section, the earlier. */
    private record Entry(Object item, int section, int priority, boolean isBarrier) {}

    private static final class Source implements Envelope.Notice.Source {
        final boolean isBarrier;
        boolean isRevoked;

        Source(boolean isBarrier) {
            this.isBarrier = isBarrier;
        }

        @Override
        public boolean isRevoked() {
            return isRevoked;
        }

        @Override
        public boolean isBarrier() {
            return isBarrier;
        }

        @Override
        public void done() {}
    }

    private static Envelope.Notice<String> notice(String message, boolean isBarrier) {
        return new Envelope.Notice<>(UnaryOperator.identity(), message, new Source(isBarrier));
    }

    private static Placed.Ranked ranked(Object message, int priority) {
        return new Placed.Ranked(message, priority);
    }

    private List<Object> drained() {
        List<Object> all = new ArrayList<>();
        for (Object item = mailbox.poll(); item != null; item = mailbox.poll()) {
            all.add(Envelope.content(item));
        }
        return all;
    }

    @Test
    void A3_theHighestPriorityComesFirstAndEqualsInOrder() {
        mailbox.add(ranked("a0", 0));
        mailbox.add(ranked("b5", 5));
        mailbox.add(ranked("c-1", -1));
        mailbox.add(ranked("d5", 5));
        mailbox.add(ranked("e0", 0));
        assertEquals(List.of("b5", "d5", "a0", "e0", "c-1"), drained());
    }

    @Test
    void A3_nothingMovesAcrossAStopOrADown() {
        mailbox.add(ranked("a", 0));
        mailbox.add(notice("down", true));
        mailbox.add(ranked("b", 9));
        mailbox.add(Stop.STOP);
        mailbox.add(ranked("c", 99));
        assertEquals(List.of("a", "down", "b", Stop.STOP, "c"), drained());
    }

    @Test
    void A3_aTickHasPriorityNoughtAndIsNoBarrier() {
        mailbox.add(ranked("a", -1));
        mailbox.add(notice("tick", false));
        mailbox.add(ranked("b", 1));
        assertEquals(List.of("b", "tick", "a"), drained());
    }

    @Test
    void A3_whatStoodBehindABarrierStaysBehindWhenItIsReceivedAhead() {
        mailbox.add(ranked("a", 0));
        mailbox.add(notice("down", true));
        mailbox.add(ranked("b", 9));
        Object taken = mailbox.poll(item -> "down".equals(Envelope.content(item)));
        assertEquals("down", Envelope.content(taken == null ? "none" : taken));
        mailbox.add(ranked("c", 5));
        assertEquals(List.of("a", "b", "c"), drained());
    }

    @Test
    void A3_theBarrierThatIsWantedIsTaken() {
        mailbox.add(ranked("m1", 0));
        mailbox.add(notice("down1", true));
        mailbox.add(ranked("m2", 0));
        mailbox.add(notice("down2", true));
        mailbox.add(ranked("m3", 0));
        Object wanted =
                requireNonNull(
                        mailbox.poll((Object item) -> Envelope.content(item).equals("down2")));
        assertEquals("down2", Envelope.content(wanted));
        assertEquals(List.of("m1", "down1", "m2", "m3"), drained());
    }

    /** A receive by type takes each DOWN, and never the message before the first of them. */
    @Test
    void A3_noSectionIsLeftOfABarrierThatWasReceivedAhead() {
        mailbox.add(ranked(1, 0));
        for (int i = 0; i < 100; i++) {
            mailbox.add(notice("down" + i, true));
            mailbox.add(ranked(2.5, 0));
            assertEquals("down" + i, Envelope.content(requireNonNull(mailbox.poll(String.class))));
            assertEquals(2.5, Envelope.content(requireNonNull(mailbox.poll(Double.class))));
        }
        assertEquals(2, mailbox.sections());
        assertEquals(List.of(1), drained());
    }

    /** The receive began before there was a mailbox to look through. */
    @Test
    void A1_aFirstLookAtTheNewLooksAtAll() {
        mailbox.add(ranked("a", 0));
        assertNull(mailbox.pollNew("b"::equals));
        mailbox.add(ranked("b", 0));
        assertEquals(
                "b", Envelope.content(requireNonNull(mailbox.pollNew(RankedMailboxTest::isB))));
        assertEquals(List.of("a"), drained());
    }

    private static boolean isB(Object item) {
        return Envelope.content(item).equals("b");
    }

    /** A selective look takes it out, and it counts no more. */
    @Test
    void A3_aNoticeThatWasRevokedIsNotSeenBySelectiveReceives() {
        Source source = new Source(true);
        mailbox.add(new Envelope.Notice<>(UnaryOperator.identity(), "down", source));
        mailbox.add(ranked("a", 0));
        source.isRevoked = true;
        assertNull(mailbox.poll("b"::equals));
        mailbox.checkInvariants();
        assertEquals(1, mailbox.size());
        assertEquals(List.of("a"), drained());
    }

    @Test
    void A3_aStopIsNoMessage() {
        mailbox.add(ranked("a", 0));
        mailbox.add(Stop.STOP);
        mailbox.add(ranked("b", 0));
        assertEquals(2, mailbox.messages());
        assertEquals(List.of("a", "b"), mailbox.oldest(10));
        assertEquals(List.of("a"), mailbox.oldest(1));
    }

    /** What nobody has given a priority waits too. */
    @Test
    void A6_theOldestMayBeOneThatTheActorMakesOfAnother() {
        mailbox.add(new Envelope.Adapted<>(UnaryOperator.identity(), "adapted", false), 1, 1);
        mailbox.add(ranked("a", 0), 2, 2);
        assertEquals(0, mailbox.oldestNumber());
        mailbox.poll();
        assertEquals(1, mailbox.oldestNumber());
    }

    @Test
    void A3_theOldestOfTheLowestPriorityIsDisplacedAndNoBarrier() {
        mailbox = new RankedMailbox("owner", 2);
        Placed.Ranked low = ranked("low", 0);
        mailbox.add(ranked("high", 5));
        mailbox.add(low);
        mailbox.add(Stop.STOP);
        mailbox.add(new Envelope.PutBack("again", 1));
        mailbox.add(ranked("mid", 3));
        assertEquals(true, mailbox.isOverfull());
        assertEquals("mid", Envelope.content(mailbox.displaced()), "of the youngest section");
        assertEquals(false, mailbox.isOverfull());
        mailbox.add(notice("down", true));
        assertEquals(false, mailbox.isOverfull());
    }

    @Test
    void A1_newMessagesOnlyAreLookedAtAgain() {
        List<Object> seen = new ArrayList<>();
        mailbox.add(ranked("a", 0));
        Predicate<Object> none =
                item -> {
                    seen.add(Envelope.content(item));
                    return false;
                };
        assertNull(mailbox.poll(none));
        mailbox.add(ranked("b", 0));
        mailbox.add(ranked("c", 7));
        assertNull(mailbox.pollNew(none));
        assertNull(mailbox.pollNew(none));
        assertEquals(List.of("a", "c", "b"), seen);
        assertEquals(List.of("c", "a", "b"), drained());
    }

    @Test
    void A1_aPredicateThatAddsAndDisplacesBreaksNothing() {
        mailbox.add(ranked("a", 0));
        mailbox.add(ranked("b", 0));
        Object found =
                mailbox.poll(
                        item -> {
                            if (Envelope.content(item).equals("a")) {
                                mailbox.displaced(); // a itself
                                mailbox.add(ranked("c", 9));
                                return true;
                            }
                            return Envelope.content(item).equals("b");
                        });
        assertEquals("b", Envelope.content(found == null ? "none" : found));
        assertEquals(List.of("c"), drained());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void A3_behavesLikeASortedList(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Entry> model = new ArrayList<>();
        int section = 0;
        int front = 0;
        int growth = 5;
        for (int step = 0; step < 5_000; step++) {
            String at = "seed=" + seed + " step=" + step;
            if (step % 200 == 0) {
                growth = 2 + random.nextInt(7);
            }
            if (random.nextInt(10) < growth) {
                int kind = random.nextInt(20);
                if (kind == 0) {
                    Object barrier = random.nextBoolean() ? Stop.STOP : notice("d" + step, true);
                    if (barrier == Stop.STOP && holdsStop(model)) {
                        continue; // two of them cannot be told apart
                    }
                    mailbox.add(barrier);
                    insert(model, new Entry(barrier, section, Integer.MIN_VALUE, true));
                    section++;
                } else if (kind == 1) {
                    Object again = new Envelope.PutBack("p" + step, 1);
                    mailbox.addFirst(again);
                    model.addFirst(new Entry(again, --front, 0, false));
                } else {
                    int priority = random.nextInt(4) - 1;
                    Object item =
                            priority == 0 && random.nextBoolean()
                                    ? notice("t" + step, false)
                                    : ranked(random.nextBoolean() ? step : "m" + step, priority);
                    mailbox.add(item);
                    insert(model, new Entry(item, section, priority, false));
                }
            } else {
                Predicate<Object> wanted = wanted(random);
                Object expected = takeFirst(model, wanted);
                Object got =
                        random.nextInt(4) == 0 && expected != null
                                ? mailbox.poll(item -> item == expected)
                                : poll(wanted, expected);
                assertSame(expected, got, at);
            }
            assertEquals(model.size(), mailbox.size(), at);
            if (step % 50 == 0) {
                mailbox.checkInvariants();
            }
        }
    }

    private static boolean holdsStop(List<Entry> model) {
        return model.stream().anyMatch(entry -> entry.item() == Stop.STOP);
    }

    private @Nullable Object poll(Predicate<Object> wanted, @Nullable Object expected) {
        Object item = mailbox.poll(wanted);
        if (item == null && expected == null) {
            assertNull(mailbox.pollNew(wanted), "nothing is new");
        }
        return item;
    }

    private static Predicate<Object> wanted(SplittableRandom random) {
        return switch (random.nextInt(3)) {
            case 0 -> _ -> true;
            case 1 -> item -> PassedOver.fits(Integer.class, item);
            default -> item -> item instanceof Placed.Ranked;
        };
    }

    private static void insert(List<Entry> model, Entry entry) {
        int at = model.size();
        while (at > 0 && isBehind(model.get(at - 1), entry)) {
            at--;
        }
        model.add(at, entry);
    }

    /** Whether the older one comes later than the new one. */
    private static boolean isBehind(Entry older, Entry entry) {
        return older.section() == entry.section() && older.priority() < entry.priority();
    }

    private static @Nullable Object takeFirst(List<Entry> model, Predicate<Object> wanted) {
        for (int i = 0; i < model.size(); i++) {
            if (wanted.test(model.get(i).item())) {
                return model.remove(i).item();
            }
        }
        return null;
    }
}
