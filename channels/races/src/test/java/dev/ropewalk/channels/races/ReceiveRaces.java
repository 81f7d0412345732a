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

/** A receive against what ends it. */
final class ReceiveRaces {
    private ReceiveRaces() {}

    @JCStressTest
    @State
    @Description("C1: receive against a send and a cancel: received, or given to the hook")
    @Outcome(id = "1, SENT, none", expect = ACCEPTABLE, desc = "received before the cancel")
    @Outcome(id = "CLOSED, SENT, 1", expect = ACCEPTABLE, desc = "left over by the cancel")
    public static class AgainstCancel extends Race {
        private final Channel<Integer> channel =
                Channel.make(ChannelOptions.buffered(1).withUndelivered(undelivered()));

        public AgainstCancel() {
            super(2);
        }

        @Actor
        public void receiver(LLL_Result r) {
            r.r1 = act(FIRST, () -> receive(channel));
        }

        @Actor
        public void canceller(LLL_Result r) {
            r.r2 =
                    act(
                            SECOND,
                            () -> {
                                String sent = channel.trySend(1).name();
                                channel.cancel();
                                return sent;
                            });
        }

        @Arbiter
        public void hook(LLL_Result r) {
            r.r3 = undeliveredText();
        }
    }

    @JCStressTest
    @State
    @Description("C1, F8: a receive in a scope that is cancelled, against a trySend")
    @Outcome(id = "1, SENT", expect = ACCEPTABLE, desc = "given in the last moment")
    @Outcome(id = "LEFT, FULL", expect = ACCEPTABLE, desc = "the receive did not happen")
    public static class AgainstScope extends Race {
        private final Channel<Integer> channel = Channel.rendezvous();
        private final AtomicReference<@Nullable CancelScope> scope = new AtomicReference<>();

        public AgainstScope() {
            super(2);
        }

        @Actor
        public void receiver(LL_Result r) {
            r.r1 =
                    actOnCord(
                            FIRST,
                            () -> {
                                CancelScope own = CancelScope.withoutLimit();
                                scope.set(own);
                                return own.callOrElse("LEFT", () -> receive(channel));
                            });
        }

        @Actor
        public void canceller(LL_Result r) {
            r.r2 =
                    act(
                            SECOND,
                            () -> {
                                made(scope).cancel();
                                return channel.trySend(1);
                            });
        }
    }

    @JCStressTest
    @State
    @Description("C1, C2: two receivers and one sender, who sends one and closes")
    @Outcome(id = "1, CLOSED, SENT", expect = ACCEPTABLE, desc = "the first came first")
    @Outcome(id = "CLOSED, 1, SENT", expect = ACCEPTABLE, desc = "the other came first")
    public static class TwoReceivers extends Race {
        private final Channel<Integer> channel = Channel.rendezvous();

        public TwoReceivers() {
            super(3);
        }

        @Actor
        public void receivers(LLL_Result r) {
            Fiber<?> other = beside(() -> receive(channel));
            r.r1 = act(FIRST, () -> receive(channel));
            r.r2 = other.await();
        }

        @Actor
        public void sender(LLL_Result r) {
            r.r3 =
                    act(
                            SECOND,
                            () -> {
                                String sent = send(channel, 1);
                                channel.close();
                                return sent;
                            });
        }
    }

    @JCStressTest
    @State
    @Description("C1: two receivers at a buffer, against its close: it drains first")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "in one order")
    @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "in the other")
    public static class DrainAgainstClose extends Race {
        private final Channel<Integer> channel = Channel.buffered(2);

        public DrainAgainstClose() {
            super(3);
            channel.trySend(0);
            channel.trySend(1);
        }

        @Actor
        public void receiver(LL_Result r) {
            Fiber<?> closer = beside(done(channel::close));
            r.r1 = act(FIRST, () -> receive(channel));
            closer.await();
        }

        @Actor
        public void other(LL_Result r) {
            r.r2 = act(SECOND, () -> receive(channel));
        }
    }
}
