package dev.ropewalk.channels.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

import java.util.concurrent.atomic.AtomicReference;

/** A send against what ends it. */
final class SendRaces {
    private SendRaces() {}

    @JCStressTest
    @State
    @Description("C1: send against cancel: who sent, what the hook got")
    @Outcome(id = "SENT, 1", expect = ACCEPTABLE, desc = "buffered, then cancelled")
    @Outcome(id = "CLOSED, none", expect = ACCEPTABLE, desc = "refused, the sender keeps it")
    public static class AgainstCancel extends Race {
        private final Channel<Integer> channel =
                Channel.make(ChannelOptions.buffered(1).withUndelivered(undelivered()));

        public AgainstCancel() {
            super(2);
        }

        @Actor
        public void sender(LL_Result r) {
            r.r1 = act(FIRST, () -> send(channel, 1));
        }

        @Actor
        public void canceller() {
            act(SECOND, done(channel::cancel));
        }

        @Arbiter
        public void hook(LL_Result r) {
            r.r2 = undeliveredText();
        }
    }

    @JCStressTest
    @State
    @Description("C1: a send that waits for room, against a receive and a cancel")
    @Outcome(id = "SENT, 0, 1", expect = ACCEPTABLE, desc = "moved into the buffer, then cancelled")
    @Outcome(id = "CLOSED, 0, none", expect = ACCEPTABLE, desc = "refused")
    public static class WaitingAgainstCancel extends Race {
        private final Channel<Integer> channel =
                Channel.make(ChannelOptions.buffered(1).withUndelivered(undelivered()));

        public WaitingAgainstCancel() {
            super(2);
            channel.trySend(0);
        }

        @Actor
        public void sender(LLL_Result r) {
            r.r1 = act(FIRST, () -> send(channel, 1));
        }

        @Actor
        public void canceller(LLL_Result r) {
            r.r2 =
                    act(
                            SECOND,
                            () -> {
                                String taken = tryReceive(channel);
                                channel.cancel();
                                return taken;
                            });
        }

        @Arbiter
        public void hook(LLL_Result r) {
            r.r3 = undeliveredText();
        }
    }

    @JCStressTest
    @State
    @Description("C1: send against close: received later, or refused")
    @Outcome(id = "SENT, 1", expect = ACCEPTABLE, desc = "stays receivable")
    @Outcome(id = "CLOSED, none", expect = ACCEPTABLE, desc = "refused")
    public static class AgainstClose extends Race {
        private final Channel<Integer> channel = Channel.buffered(1);

        public AgainstClose() {
            super(2);
        }

        @Actor
        public void sender(LL_Result r) {
            r.r1 = act(FIRST, () -> send(channel, 1));
        }

        @Actor
        public void closer() {
            act(SECOND, done(channel::close));
        }

        @Arbiter
        public void left(LL_Result r) {
            r.r2 = rest(channel);
        }
    }

    @JCStressTest
    @State
    @Description("C1: a rendezvous against close: both or neither")
    @Outcome(id = "SENT, 1", expect = ACCEPTABLE, desc = "met before the close")
    @Outcome(id = "CLOSED, CLOSED", expect = ACCEPTABLE, desc = "the close came first")
    public static class RendezvousAgainstClose extends Race {
        private final Channel<Integer> channel = Channel.rendezvous();

        public RendezvousAgainstClose() {
            super(3);
        }

        @Actor
        public void sender(LL_Result r) {
            Fiber<?> closer = beside(done(channel::close));
            r.r1 = act(FIRST, () -> send(channel, 1));
            closer.await();
        }

        @Actor
        public void receiver(LL_Result r) {
            r.r2 = act(SECOND, () -> receive(channel));
        }
    }

    @JCStressTest
    @State
    @Description("C1, F8: a send and a receive, each against a limit that passes")
    @Outcome(id = "SENT, 1", expect = ACCEPTABLE, desc = "met in time")
    @Outcome(id = "TIMED_OUT, none", expect = ACCEPTABLE, desc = "neither happened")
    public static class AgainstLimit extends Race {
        private final Channel<Integer> channel = Channel.rendezvous();

        public AgainstLimit() {
            super(2);
        }

        @Actor
        public void sender(LL_Result r) {
            r.r1 = act(FIRST, () -> channel.sendResult(1, shortLimit()));
        }

        @Actor
        public void receiver(LL_Result r) {
            r.r2 = act(SECOND, () -> text(channel.receiveResult(shortLimit())));
        }
    }

    @JCStressTest
    @State
    @Description("C1, F8: a send in a scope that is cancelled, against a receive")
    @Outcome(id = "SENT, 1", expect = ACCEPTABLE, desc = "taken in the last moment")
    @Outcome(id = "LEFT, none", expect = ACCEPTABLE, desc = "the send did not happen")
    public static class AgainstScope extends Race {
        private final Channel<Integer> channel = Channel.rendezvous();
        private final AtomicReference<@Nullable CancelScope> scope = new AtomicReference<>();

        public AgainstScope() {
            super(2);
        }

        @Actor
        public void sender(LL_Result r) {
            r.r1 =
                    actOnCord(
                            FIRST,
                            () -> {
                                CancelScope own = CancelScope.withoutLimit();
                                scope.set(own);
                                return own.callOrElse("LEFT", () -> send(channel, 1));
                            });
        }

        @Actor
        public void canceller(LL_Result r) {
            r.r2 =
                    act(
                            SECOND,
                            () -> {
                                made(scope).cancel();
                                return tryReceive(channel);
                            });
        }
    }

    @JCStressTest
    @State
    @Description("C1, C2: two senders and one receiver, who takes one and closes")
    @Outcome(id = "SENT, CLOSED, 1", expect = ACCEPTABLE, desc = "the first came first")
    @Outcome(id = "CLOSED, SENT, 2", expect = ACCEPTABLE, desc = "the other came first")
    public static class TwoSenders extends Race {
        private final Channel<Integer> channel = Channel.rendezvous();

        public TwoSenders() {
            super(3);
        }

        @Actor
        public void senders(LLL_Result r) {
            Fiber<?> other = beside(() -> send(channel, 2));
            r.r1 = act(FIRST, () -> send(channel, 1));
            r.r2 = other.await();
        }

        @Actor
        public void receiver(LLL_Result r) {
            r.r3 =
                    act(
                            SECOND,
                            () -> {
                                String taken = receive(channel);
                                channel.close();
                                return taken;
                            });
        }
    }

    @JCStressTest
    @State
    @Description("C1: trySend against tryReceive, no buffer: a try waits for nobody")
    @Outcome(id = "FULL, none", expect = ACCEPTABLE, desc = "neither waits, so they never meet")
    public static class TriesWithoutBuffer extends Race {
        private final Channel<Integer> channel = Channel.rendezvous();

        public TriesWithoutBuffer() {
            super(2);
        }

        @Actor
        public void sender(LL_Result r) {
            r.r1 = act(FIRST, () -> channel.trySend(1));
        }

        @Actor
        public void receiver(LL_Result r) {
            r.r2 = act(SECOND, () -> tryReceive(channel));
        }
    }

    @JCStressTest
    @State
    @Description("C1: trySend against tryReceive, an empty buffer of one")
    @Outcome(id = "SENT, 1, none", expect = ACCEPTABLE, desc = "sent, then received")
    @Outcome(id = "SENT, none, 1", expect = ACCEPTABLE, desc = "received too early")
    public static class TriesAtEmpty extends Race {
        private final Channel<Integer> channel = Channel.buffered(1);

        public TriesAtEmpty() {
            super(2);
        }

        @Actor
        public void sender(LLL_Result r) {
            r.r1 = act(FIRST, () -> channel.trySend(1));
        }

        @Actor
        public void receiver(LLL_Result r) {
            r.r2 = act(SECOND, () -> tryReceive(channel));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r3 = rest(channel);
        }
    }

    @JCStressTest
    @State
    @Description("C1: trySend against tryReceive, a full buffer of one; no try fails spuriously")
    @Outcome(id = "SENT, 0, 1", expect = ACCEPTABLE, desc = "received, then sent")
    @Outcome(id = "FULL, 0, none", expect = ACCEPTABLE, desc = "sent too early")
    public static class TriesAtFull extends Race {
        private final Channel<Integer> channel = Channel.buffered(1);

        public TriesAtFull() {
            super(2);
            channel.trySend(0);
        }

        @Actor
        public void sender(LLL_Result r) {
            r.r1 = act(FIRST, () -> channel.trySend(1));
        }

        @Actor
        public void receiver(LLL_Result r) {
            r.r2 = act(SECOND, () -> tryReceive(channel));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r3 = rest(channel);
        }
    }
}
