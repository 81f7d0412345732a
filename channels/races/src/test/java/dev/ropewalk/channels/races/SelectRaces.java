package dev.ropewalk.channels.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.sync.Event;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Selects, and what stands below them: one wait in several lines. */
final class SelectRaces {
    private SelectRaces() {}

    @JCStressTest
    @State
    @Description("C4: a select over two channels against a trySend to each; the other stays")
    @Outcome(id = "1, none, 2", expect = ACCEPTABLE, desc = "took the first")
    @Outcome(id = "2, 1, none", expect = ACCEPTABLE, desc = "took the second")
    public static class OverTwoBuffers extends Race {
        private final Channel<Integer> a = Channel.buffered(1);
        private final Channel<Integer> b = Channel.buffered(1);

        public OverTwoBuffers() {
            super(3);
        }

        @Actor
        public void selecting(LLL_Result r) {
            Fiber<?> other = beside(() -> b.trySend(2));
            r.r1 =
                    act(
                            FIRST,
                            () ->
                                    select(
                                            a.onReceive(String::valueOf),
                                            b.onReceive(String::valueOf)));
            other.await();
        }

        @Actor
        public void sender() {
            act(SECOND, () -> a.trySend(1));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r2 = rest(a);
            r.r3 = rest(b);
        }
    }

    @JCStressTest
    @State
    @Description("C4: a select over two rendezvous against a sender that waits at each")
    @Outcome(id = "1, SENT, CLOSED", expect = ACCEPTABLE, desc = "took the first")
    @Outcome(id = "2, CLOSED, SENT", expect = ACCEPTABLE, desc = "took the second")
    public static class OverTwoRendezvous extends Race {
        private final Channel<Integer> a = Channel.rendezvous();
        private final Channel<Integer> b = Channel.rendezvous();

        public OverTwoRendezvous() {
            super(3);
        }

        @Actor
        public void selecting(LLL_Result r) {
            Fiber<?> other = beside(() -> send(b, 2));
            r.r1 =
                    act(
                            FIRST,
                            () -> {
                                String taken =
                                        select(
                                                a.onReceive(String::valueOf),
                                                b.onReceive(String::valueOf));
                                a.close();
                                b.close();
                                return taken;
                            });
            r.r3 = other.await();
        }

        @Actor
        public void sender(LLL_Result r) {
            r.r2 = act(SECOND, () -> send(a, 1));
        }
    }

    @JCStressTest
    @State
    @Description("C4: a select that sends against one that receives, in the opposite order")
    @Outcome(id = "sent 1, 1", expect = ACCEPTABLE, desc = "a pair at the first channel")
    @Outcome(id = "sent 2, 2", expect = ACCEPTABLE, desc = "a pair at the second")
    public static class OppositeOrder extends Race {
        private final Channel<Integer> a = Channel.rendezvous();
        private final Channel<Integer> b = Channel.rendezvous();

        public OppositeOrder() {
            super(2);
        }

        @Actor
        public void sender(LL_Result r) {
            r.r1 =
                    act(
                            FIRST,
                            () -> select(a.onSend(1, () -> "sent 1"), b.onSend(2, () -> "sent 2")));
        }

        @Actor
        public void receiver(LL_Result r) {
            r.r2 =
                    act(
                            SECOND,
                            () ->
                                    select(
                                            b.onReceive(String::valueOf),
                                            a.onReceive(String::valueOf)));
        }
    }

    @JCStressTest
    @State
    @Description("C4: two selects, each sends to one channel and receives from the other")
    @Outcome(id = "sent 1, 1", expect = ACCEPTABLE, desc = "a pair at the first channel")
    @Outcome(id = "2, sent 2", expect = ACCEPTABLE, desc = "a pair at the second")
    public static class BothWays extends Race {
        private final Channel<Integer> a = Channel.rendezvous();
        private final Channel<Integer> b = Channel.rendezvous();

        public BothWays() {
            super(2);
        }

        @Actor
        public void one(LL_Result r) {
            r.r1 =
                    act(
                            FIRST,
                            () ->
                                    select(
                                            a.onSend(1, () -> "sent 1"),
                                            b.onReceive(String::valueOf)));
        }

        @Actor
        public void other(LL_Result r) {
            r.r2 =
                    act(
                            SECOND,
                            () ->
                                    select(
                                            b.onSend(2, () -> "sent 2"),
                                            a.onReceive(String::valueOf)));
        }
    }

    @JCStressTest
    @State
    @Description("C4: a select against the close of one of its channels and a send to the other")
    @Outcome(id = "CLOSED, 2", expect = ACCEPTABLE, desc = "the close was taken, as a value")
    @Outcome(id = "2, none", expect = ACCEPTABLE, desc = "the element was taken")
    public static class AgainstClose extends Race {
        private final Channel<Integer> a = Channel.buffered(1);
        private final Channel<Integer> b = Channel.buffered(1);

        public AgainstClose() {
            super(3);
        }

        @Actor
        public void selecting(LL_Result r) {
            Fiber<?> other = beside(() -> b.trySend(2));
            r.r1 =
                    act(
                            FIRST,
                            () ->
                                    select(
                                            a.onReceiveResult(Race::text),
                                            b.onReceiveResult(Race::text)));
            other.await();
        }

        @Actor
        public void closer() {
            act(SECOND, done(a::close));
        }

        @Arbiter
        public void left(LL_Result r) {
            r.r2 = rest(b);
        }
    }

    @JCStressTest
    @State
    @Description("C4: a select that sends, against a receive and the close of its channel")
    @Outcome(id = "SENT, 1", expect = ACCEPTABLE, desc = "met before the close")
    @Outcome(id = "CLOSED, CLOSED", expect = ACCEPTABLE, desc = "the close came first")
    public static class SendAgainstClose extends Race {
        private final Channel<Integer> a = Channel.rendezvous();
        private final Channel<Integer> silent = Channel.rendezvous();

        public SendAgainstClose() {
            super(3);
        }

        @Actor
        public void selecting(LL_Result r) {
            Fiber<?> closer = beside(done(a::close));
            r.r1 =
                    act(
                            FIRST,
                            () ->
                                    select(
                                            a.onSendResult(1, SendResult::name),
                                            silent.onReceive(String::valueOf)));
            closer.await();
        }

        @Actor
        public void receiver(LL_Result r) {
            r.r2 = act(SECOND, () -> receive(a));
        }
    }

    /** One line of those that wait, with its guard, as a channel or an event has it. */
    private static final class Line {
        private final Exclusion guard = Exclusion.byLock();
        private final WaitQueue<String> queue = new WaitQueue<>();

        WaitNode.Place<String> stand(WaitNode<?> wait) {
            WaitNode.Place<String> place = wait.place(null);
            queue.add(place);
            return place;
        }

        /** Whether it claimed what stands here. */
        boolean give(String what) {
            WaitNode<String> claimed;
            guard.enter(this);
            try {
                claimed = queue.claimFirst(what);
            } finally {
                guard.exit();
            }
            if (claimed != null) {
                claimed.wake();
            }
            return claimed != null;
        }
    }

    @JCStressTest
    @State
    @Description("F8: a wait that stands in two lines is given by one of them, and knows which")
    @Outcome(id = "true, false, a", expect = ACCEPTABLE, desc = "the first line gave")
    @Outcome(id = "false, true, b", expect = ACCEPTABLE, desc = "the second line gave")
    public static class PlaceInTwoLines extends Race {
        private final Line a = new Line();
        private final Line b = new Line();
        private final WaitNode<String> wait = a.guard.node(null);
        private final WaitNode.Place<String> atA = a.stand(wait);
        private final WaitNode.Place<String> atB = b.stand(wait);

        public PlaceInTwoLines() {
            super(2);
        }

        @Actor
        public void giver(LLL_Result r) {
            r.r1 = act(FIRST, () -> a.give("a"));
        }

        @Actor
        public void other(LLL_Result r) {
            r.r2 = act(SECOND, () -> b.give("b"));
        }

        @Arbiter
        public void given(LLL_Result r) {
            Object won = a.guard.await(wait, this, 0);
            r.r3 = won == atA ? atA.given() : won == atB ? atB.given() : won;
        }
    }

    @JCStressTest
    @State
    @Description("C4, F8: a signal against a select that leaves by its limit; it is not eaten")
    @Outcome(id = "taken, false", expect = ACCEPTABLE, desc = "the select took it")
    @Outcome(id = "left, true", expect = ACCEPTABLE, desc = "it stays for the next")
    public static class SignalAgainstLimit extends Race {
        private final Event event = Event.shared();

        public SignalAgainstLimit() {
            super(2);
        }

        @Actor
        public void selecting(LL_Result r) {
            r.r1 =
                    act(
                            FIRST,
                            () ->
                                    Select.<String>of(
                                                    event.onSignal(() -> "taken"),
                                                    Select.after(shortLimit(), () -> "left"))
                                            .await());
        }

        @Actor
        public void signaller() {
            act(SECOND, done(event::signal));
        }

        @Arbiter
        public void left(LL_Result r) {
            r.r2 = event.isSignalled();
        }
    }

    @JCStressTest
    @State
    @Description("C4: a signal against a select that leaves by another clause")
    @Outcome(id = "taken, false, 1", expect = ACCEPTABLE, desc = "the select took the signal")
    @Outcome(id = "1, true, none", expect = ACCEPTABLE, desc = "the select took the element")
    public static class SignalAgainstSend extends Race {
        private final Event event = Event.shared();
        private final Channel<Integer> channel = Channel.buffered(1);

        public SignalAgainstSend() {
            super(3);
        }

        @Actor
        public void selecting(LLL_Result r) {
            Fiber<?> sender = beside(() -> channel.trySend(1));
            r.r1 =
                    act(
                            FIRST,
                            () ->
                                    select(
                                            event.onSignal(() -> "taken"),
                                            channel.onReceive(String::valueOf)));
            sender.await();
        }

        @Actor
        public void signaller() {
            act(SECOND, done(event::signal));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r2 = event.isSignalled();
            r.r3 = rest(channel);
        }
    }

    @JCStressTest
    @State
    @Description("C4: one automatic signal against two selects; the close lets the other one go")
    @Outcome(id = "taken, CLOSED, false", expect = ACCEPTABLE, desc = "the first took it")
    @Outcome(id = "CLOSED, taken, false", expect = ACCEPTABLE, desc = "the other took it")
    @Outcome(id = "CLOSED, CLOSED, true", expect = ACCEPTABLE, desc = "both saw the close")
    public static class SignalOfTwo extends Race {
        private final Event event = Event.shared();
        private final Channel<Integer> end = Channel.rendezvous();

        public SignalOfTwo() {
            super(3);
        }

        private String signalOrEnd() {
            return select(event.onSignal(() -> "taken"), end.onReceiveResult(Race::text));
        }

        @Actor
        public void selecting(LLL_Result r) {
            Fiber<?> other = beside(this::signalOrEnd);
            r.r1 = act(FIRST, this::signalOrEnd);
            r.r2 = other.await();
        }

        @Actor
        public void signaller() {
            act(
                    SECOND,
                    done(
                            () -> {
                                event.signal();
                                end.close();
                            }));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r3 = event.isSignalled();
        }
    }
}
