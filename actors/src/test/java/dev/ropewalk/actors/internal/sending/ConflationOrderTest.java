package dev.ropewalk.actors.internal.sending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;
import dev.ropewalk.actors.internal.mailbox.Stop;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Rule A3: a message that replaces another one, in the mailbox or on its way there, neither
 * overtakes what its own sender told before nor comes behind what that tells next.
 */
class ConflationOrderTest {
    private record Price(@Nullable Object symbol, String of) {}

    /** An actor that begins nothing, with lists for its mailbox and the way there. */
    private static final class Reader implements Gate.Host {
        final List<Object> mailbox = new ArrayList<>();
        final ArrayDeque<Object> onTheWay = new ArrayDeque<>();
        final List<String> replaced = new ArrayList<>();
        final Gate<Price> gate;

        /** Whether the sender is on the actor's cord. */
        boolean isHere;

        /** Runs while an item is sent. */
        @Nullable Runnable meanwhile;

        Reader(MailboxOptions options) {
            gate =
                    Objects.requireNonNull(
                            MailboxSpec.<Price>unbounded()
                                    .with(options)
                                    .conflating(Price::symbol, price -> replaced.add(price.of()))
                                    .gate(this));
        }

        void tell(boolean here, @Nullable Object symbol, String of) {
            isHere = here;
            gate.send(new Price(symbol, of), Long.MAX_VALUE, null);
        }

        TellResult tryTell(boolean here, String of) {
            isHere = here;
            return gate.trySend(new Price("x", of), null);
        }

        void stop() {
            isHere = false;
            gate.stops();
            deliver(Stop.STOP, null);
        }

        void arrive() {
            while (!onTheWay.isEmpty()) {
                come(onTheWay.remove());
            }
        }

        private void come(Object item) {
            if (gate.comes(item)) {
                mailbox.add(item);
            }
        }

        List<Object> queued() {
            return mailbox.stream()
                    .map(item -> item == Stop.STOP ? item : ((Price) Envelope.content(item)).of())
                    .toList();
        }

        void take(int index) {
            Placed.taken(mailbox.remove(index));
            gate.begun();
        }

        @Override
        public Object address() {
            return "reader";
        }

        @Override
        public boolean isHere() {
            return isHere;
        }

        @Override
        public boolean isHandedOver(Object item) {
            return false;
        }

        @Override
        public void deliver(Object item, @Nullable String router) {
            if (isHere) {
                come(item);
            } else {
                onTheWay.add(item);
            }
            if (meanwhile != null) {
                meanwhile.run();
            }
        }

        @Override
        public void drop(Object item, DeadLetter.Reason reason) {
            throw new AssertionError(item);
        }

        @Override
        public void noReply(Object item, DeadLetter.Reason reason) {
            // None of them is an ask.
        }

        @Override
        public void renewed(Placed.Renewable message) {
            throw new AssertionError(message);
        }

        @Override
        public void refuse(Object item, MailboxFullException full, @Nullable String router) {
            throw full;
        }

        @Override
        public boolean isCaller() {
            return false; // they are other actors
        }
    }

    private static final boolean HERE = true;
    private static final boolean REMOTE = false;

    private Reader reader = new Reader(MailboxOptions.unbounded());

    @AfterEach
    void checkInvariants() {
        reader.gate.checkInvariants();
        int there = reader.mailbox.size() + reader.onTheWay.size();
        assertTrue(reader.gate.keys() <= there, () -> reader.gate.keys() + " keys are kept");
    }

    @Test
    void A3_aLaterMessageComesInTheOldPlace() {
        reader.tell(HERE, "x", "a1");
        reader.tell(HERE, "y", "a2");
        reader.tell(REMOTE, "x", "b1");
        reader.tell(HERE, "x", "a3");
        assertEquals(List.of("a3", "a2"), reader.queued());
        assertEquals(List.of("a1", "b1"), reader.replaced);
    }

    @Test
    void A3_aLaterMessageComesInTheOldPlaceOnItsWay() {
        reader.tell(REMOTE, "x", "a1");
        reader.tell(REMOTE, "y", "a2");
        reader.tell(REMOTE, "x", "b1");
        reader.arrive();
        assertEquals(List.of("b1", "a2"), reader.queued());
        assertEquals(List.of("a1"), reader.replaced);
    }

    /** Otherwise the second message would come first, with the way of the older one before it. */
    @Test
    void A3_aSenderOfTheSameCordTakesAMessageOutThatIsOnItsWay() {
        reader.tell(REMOTE, "x", "a1");
        reader.tell(HERE, "x", "b1");
        reader.tell(HERE, null, "b2");
        assertEquals(List.of("b1", "b2"), reader.queued());
        assertEquals(List.of("a1"), reader.replaced);
        reader.tell(REMOTE, "x", "a2");
        reader.arrive();
        assertEquals(List.of("a2", "b2"), reader.queued());
        assertEquals(List.of("a1", "b1"), reader.replaced);
    }

    /** With the permit of the one that is taken out. */
    @Test
    void A3_whatIsTakenOutOnItsWayLeavesItsPermit() {
        reader = new Reader(MailboxOptions.bounded(1).withOverflow(Overflow.FAIL));
        assertEquals(TellResult.ACCEPTED, reader.tryTell(REMOTE, "a1"));
        assertEquals(TellResult.ACCEPTED, reader.tryTell(HERE, "b1"));
        reader.arrive();
        assertEquals(List.of("b1"), reader.queued());
        isFull();
        reader.take(0);
        assertEquals(TellResult.ACCEPTED, reader.gate.trySend(new Price(null, "c1"), null));
        isFull();
    }

    private void isFull() {
        assertEquals(TellResult.FULL, reader.gate.trySend(new Price(null, "other"), null));
    }

    /** Two have waited for room, and the second needs none. */
    @Test
    void A3_whoeverReplacesAnotherThatHasWaitedGivesItsPermitBack() {
        TestCord.run(
                () -> {
                    reader = new Reader(MailboxOptions.bounded(2));
                    reader.tell(HERE, null, "a1");
                    reader.tell(HERE, null, "a2");
                    Fiber<?> first = Fiber.spin("b", () -> reader.tell(HERE, "x", "b1"));
                    Fiber<?> second = Fiber.spin("c", () -> reader.tell(HERE, "x", "c1"));
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(List.of("a1", "a2"), reader.queued());
                    reader.take(0);
                    reader.take(0);
                    first.await();
                    second.await();
                    assertEquals(1, reader.mailbox.size());
                    assertEquals(
                            TellResult.ACCEPTED, reader.gate.trySend(new Price(null, "d1"), null));
                    isFull();
                });
    }

    private static final class Unequal {
        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            throw new ClassCastException("planted");
        }
    }

    /** It was not sent, so it needs none. */
    @Test
    void A8_aKeyWhoseEqualsThrowsFailsNoSender() {
        TestCord.run(
                () -> {
                    reader = new Reader(MailboxOptions.bounded(2));
                    reader.tell(HERE, null, "a1");
                    reader.tell(HERE, null, "a2");
                    List<Fiber<?>> senders = new ArrayList<>();
                    for (int i = 0; i < 2; i++) {
                        senders.add(
                                Fiber.spin("sender", () -> reader.tell(HERE, new Unequal(), "b")));
                    }
                    Fiber.sleep(Duration.ofNanos(1));
                    reader.take(0);
                    reader.take(0);
                    senders.forEach(Fiber::await);
                    assertEquals(List.of("b", "b"), reader.queued());
                    isFull();
                    reader.take(0);
                    assertEquals(
                            TellResult.ACCEPTED, reader.gate.trySend(new Price(null, "d1"), null));
                    isFull();
                });
    }

    @Test
    void A3_whatTheActorHasBegunIsNotReplaced() {
        reader.tell(HERE, "x", "a1");
        reader.take(0);
        assertEquals(0, reader.gate.keys());
        reader.tell(HERE, "x", "a2");
        assertEquals(List.of("a2"), reader.queued());
        assertEquals(List.of(), reader.replaced);
    }

    /** It is begun before its sender enters it. */
    @Test
    void A3_whatTheActorHasBegunAtOnceIsNotReplaced() {
        reader.meanwhile = () -> reader.take(0);
        reader.tell(HERE, "x", "a1");
        assertEquals(0, reader.gate.keys());
        reader.meanwhile = null;
        reader.tell(HERE, "x", "a2");
        assertEquals(List.of("a2"), reader.queued());
        assertEquals(List.of(), reader.replaced);
    }

    /** What another cord's sender told is in the mailbox, and the stop before it on its way. */
    @Test
    void A3_nothingMovesAcrossAStopThatIsOnItsWay() {
        reader.tell(HERE, "x", "b1");
        reader.stop();
        reader.tell(HERE, "x", "b2");
        reader.tell(REMOTE, "x", "a1");
        reader.tell(REMOTE, "x", "a2");
        reader.arrive();
        assertEquals(List.of("b1", "b2", Stop.STOP, "a1", "a2"), reader.queued());
        reader.tell(REMOTE, "x", "a3");
        reader.tell(REMOTE, "x", "a4");
        reader.arrive();
        assertEquals(List.of("b1", "b2", Stop.STOP, "a1", "a2", "a4"), reader.queued());
    }

    @Test
    void A3_ofTwoStopsOnTheirWayTheLastCounts() {
        reader.stop();
        reader.stop();
        reader.come(reader.onTheWay.remove());
        reader.tell(HERE, "x", "b1");
        reader.tell(REMOTE, "x", "a1");
        reader.arrive();
        assertEquals(List.of(Stop.STOP, "b1", Stop.STOP, "a1"), reader.queued());
    }

    @Test
    void A3_nothingMovesAcrossADownThatHasCome() {
        reader.tell(HERE, "x", "a1");
        reader.tell(REMOTE, "y", "b1");
        reader.come(down());
        reader.tell(HERE, "x", "a2");
        reader.tell(REMOTE, "y", "b2");
        reader.arrive();
        assertEquals(5, reader.mailbox.size());
        assertEquals(List.of(), reader.replaced);
    }

    private static Envelope.Notice<String> down() {
        return new Envelope.Notice<>(
                text -> new Price(null, text),
                "down",
                new Envelope.Notice.Source() {
                    @Override
                    public boolean isRevoked() {
                        return false;
                    }

                    @Override
                    public boolean isBarrier() {
                        return true;
                    }

                    @Override
                    public void done() {
                        // Nobody asks.
                    }
                });
    }

    /** A taker of dead letters may send to another actor that conflates. */
    @Test
    void A3_theProgramsCodeRunsWhenTheLockIsFree() {
        List<String> log = new ArrayList<>();
        reader.meanwhile =
                () -> {
                    assertTrue(reader.gate.putsOff(() -> log.add("lock is free: " + isFree())));
                    assertEquals(List.of(), log);
                };
        reader.tell(HERE, "x", "a1");
        assertEquals(List.of("lock is free: true"), log);
        reader.meanwhile = null;
        reader.tell(HERE, "y", "a2");
        assertEquals(1, log.size());
        assertTrue(isFree());
    }

    /** They are refused by whoever finds that their cord has ended. */
    @Test
    void A3_whatMessagesToAnEndedCordDoRunsWhenTheLockIsFree() {
        List<Boolean> log = new ArrayList<>();
        Cord ended = Cord.start(CordOptions.named("ended"));
        ended.close();
        reader.meanwhile =
                () ->
                        ended.post(
                                new CordMessage() {
                                    @Override
                                    public void onCord() {
                                        throw new AssertionError("it has ended");
                                    }

                                    @Override
                                    public void onClosed() {
                                        log.add(isFree());
                                    }
                                });
        reader.tell(HERE, "x", "a1");
        assertEquals(List.of(true), log);
    }

    private boolean isFree() {
        boolean isHeld = reader.gate.putsOff(() -> {});
        assertFalse(isHeld);
        return !isHeld;
    }
}
