package dev.ropewalk.actors.internal.sending;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.internal.mailbox.Placed;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Rule A3: a message that replaces another one never overtakes what its own sender told before.
 * Several senders are played by one thread: what another one does meanwhile runs while a message is
 * on its way.
 */
class ConflationOrderTest {
    private record Price(String symbol, String of) {}

    /** An actor that begins nothing; its mailbox is a list. */
    private static final class Reader implements Gate.Host {
        final List<Object> mailbox = new ArrayList<>();
        final List<Object> replaced = new ArrayList<>();

        /** Before the next message comes in, and behind it. */
        final ArrayDeque<Runnable> before = new ArrayDeque<>();

        final ArrayDeque<Runnable> behind = new ArrayDeque<>();

        final Gate<Price> gate =
                Objects.requireNonNull(
                        MailboxSpec.<Price>unbounded()
                                .conflating(Price::symbol, replaced::add)
                                .gate(this));

        void tell(String of) {
            gate.send(new Price("x", of), Long.MAX_VALUE, null);
        }

        /** The contents of the mailbox. */
        List<String> queued() {
            return mailbox.stream().map(item -> ((Price) Envelope.content(item)).of()).toList();
        }

        void take(int index) {
            Placed.taken(mailbox.remove(index));
        }

        @Override
        public String name() {
            return "reader";
        }

        @Override
        public boolean isHandedOver(Object item) {
            return false;
        }

        @Override
        public void deliver(Object item, @Nullable String router) {
            run(before);
            mailbox.add(item);
            run(behind);
        }

        private static void run(ArrayDeque<Runnable> waiting) {
            Runnable next = waiting.poll();
            if (next != null) {
                next.run();
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
        public void checkNotOwn() {
            throw new AssertionError("there is room");
        }
    }

    private final Reader reader = new Reader();

    @Test
    void A3_aLaterMessageComesInTheOldPlace() {
        reader.tell("a1");
        reader.tell("b1");
        reader.tell("a2");
        assertEquals(List.of("a2"), reader.queued());
        assertEquals(2, reader.replaced.size());
    }

    /** The second sender's is behind the first one's, which is entered last. */
    @Test
    void A3_ofTwoThatAreSentAtTheSameTimeTheFirstIsNotReplaced() {
        reader.behind.add(() -> reader.tell("b1"));
        reader.tell("a1");
        reader.tell("b2");
        assertEquals(List.of("a1", "b1", "b2"), reader.queued());
        reader.tell("a2");
        assertEquals(List.of("a1", "b1", "a2"), reader.queued());
    }

    /** The second sender's is ahead of the first one's, and is entered first. */
    @Test
    void A3_ofTwoThatAreSentAtTheSameTimeTheSecondIsNotReplaced() {
        reader.before.add(() -> reader.tell("b1"));
        reader.tell("a1");
        reader.tell("a2");
        assertEquals(List.of("b1", "a1", "a2"), reader.queued());
        reader.tell("b2");
        assertEquals(List.of("b1", "a1", "b2"), reader.queued());
    }

    /** The place is empty again when the first sender comes to it, but not as it was. */
    @Test
    void A3_aThirdSenderThatClearsThePlaceDoesNotMakeItTheFirstOnes() {
        reader.behind.add(() -> reader.tell("b1"));
        reader.behind.add(() -> reader.tell("c1"));
        reader.tell("a1");
        assertEquals(List.of("a1", "b1", "c1"), reader.queued());
        reader.tell("c2");
        assertEquals(List.of("a1", "b1", "c1", "c2"), reader.queued());
    }

    /** The same, with a place that held a message which was taken. */
    @Test
    void A3_anOldPlaceIsTakenOverByOneOnly() {
        reader.tell("a0");
        Object old = reader.mailbox.get(0);
        reader.take(0);
        assertEquals("a0", ((Price) Envelope.content(old)).of());
        reader.behind.add(() -> reader.tell("b1"));
        reader.tell("a1");
        reader.tell("b2");
        assertEquals(List.of("a1", "b1", "b2"), reader.queued());
    }

    /** What is on its way at a stop is ahead of it, for all that its sender knows. */
    @Test
    void A3_whatWasOnItsWayAtASealIsNotReplaced() {
        reader.behind.add(reader.gate::seal);
        reader.tell("a1");
        reader.tell("a2");
        reader.tell("a3");
        assertEquals(List.of("a1", "a3"), reader.queued());
    }

    /** It is begun before its sender enters it. */
    @Test
    void A3_aMessageThatIsBegunAtOnceIsNotFound() {
        reader.behind.add(() -> reader.take(0));
        reader.tell("a1");
        reader.tell("a2");
        reader.tell("a3");
        assertEquals(List.of("a3"), reader.queued());
    }
}
