package dev.ropewalk.channels.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.broadcast.Broadcast;
import dev.ropewalk.channels.broadcast.BroadcastOptions;
import dev.ropewalk.fibers.Fiber;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.L_Result;

import java.util.concurrent.atomic.AtomicReference;

/** Publishing against subscribers that come and go. */
final class BroadcastRaces {
    private BroadcastRaces() {}

    /** Two elements are published while somebody subscribes. */
    abstract static class Subscribing extends Race {
        private final Broadcast<Integer> broadcast;
        private final AtomicReference<ReceivePort<Integer>> port;

        Subscribing(int replay) {
            super(2);
            broadcast = Broadcast.make(BroadcastOptions.create().withReplay(replay));
            port = new AtomicReference<>(broadcast.subscribe(ChannelOptions.buffered(1)));
            port.get().cancel();
        }

        final void publish() {
            act(FIRST, () -> send(broadcast, 1) + send(broadcast, 2));
        }

        final void subscribe() {
            act(SECOND, done(() -> port.set(broadcast.subscribe(ChannelOptions.buffered(4)))));
        }

        final String received() {
            return rest(port.get());
        }
    }

    @JCStressTest
    @State
    @Description("C1: publish against subscribe, no replay: all from some element on")
    @Outcome(id = "1 2", expect = ACCEPTABLE, desc = "subscribed before both")
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "subscribed in between")
    @Outcome(id = "none", expect = ACCEPTABLE, desc = "subscribed after both")
    public static class AgainstSubscribe extends Subscribing {
        public AgainstSubscribe() {
            super(0);
        }

        @Actor
        public void publisher() {
            publish();
        }

        @Actor
        public void subscriber() {
            subscribe();
        }

        @Arbiter
        public void received(L_Result r) {
            r.r1 = received();
        }
    }

    @JCStressTest
    @State
    @Description("C1: publish against subscribe, with replay: none is missed, none comes twice")
    @Outcome(id = "1 2", expect = ACCEPTABLE, desc = "replayed or received")
    public static class AgainstSubscribeWithReplay extends Subscribing {
        public AgainstSubscribeWithReplay() {
            super(2);
        }

        @Actor
        public void publisher() {
            publish();
        }

        @Actor
        public void subscriber() {
            subscribe();
        }

        @Arbiter
        public void received(L_Result r) {
            r.r1 = received();
        }
    }

    @JCStressTest
    @State
    @Description("C1: publish against a full subscriber that leaves: the others get all")
    @Outcome(id = "SENT SENT, 1 2, none", expect = ACCEPTABLE, desc = "it left before both")
    @Outcome(id = "SENT SENT, 1 2, 1", expect = ACCEPTABLE, desc = "it left with the first")
    public static class AgainstLeaving extends Race {
        private final Broadcast<Integer> broadcast = Broadcast.make();
        private final ReceivePort<Integer> leaving =
                broadcast.subscribe(ChannelOptions.buffered(1).withUndelivered(undelivered()));
        private final ReceivePort<Integer> staying =
                broadcast.subscribe(ChannelOptions.buffered(2));

        public AgainstLeaving() {
            super(2);
        }

        @Actor
        public void publisher(LLL_Result r) {
            r.r1 = act(FIRST, () -> send(broadcast, 1) + " " + send(broadcast, 2));
        }

        @Actor
        public void canceller() {
            act(SECOND, done(leaving::cancel));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r2 = rest(staying);
            r.r3 = undeliveredText();
        }
    }

    @JCStressTest
    @State
    @Description("C1: publish against a subscriber that waits, and is cancelled")
    @Outcome(id = "1, SENT, none", expect = ACCEPTABLE, desc = "received before the cancel")
    @Outcome(id = "CLOSED, SENT, 1", expect = ACCEPTABLE, desc = "left over by the cancel")
    @Outcome(id = "CLOSED, SENT, none", expect = ACCEPTABLE, desc = "published to nobody")
    public static class ReceiveAgainstLeaving extends Race {
        private final Broadcast<Integer> broadcast = Broadcast.make();
        private final ReceivePort<Integer> port =
                broadcast.subscribe(ChannelOptions.buffered(1).withUndelivered(undelivered()));

        public ReceiveAgainstLeaving() {
            super(3);
        }

        @Actor
        public void receiver(LLL_Result r) {
            Fiber<?> canceller = beside(done(port::cancel));
            r.r1 = act(FIRST, () -> receive(port));
            canceller.await();
        }

        @Actor
        public void publisher(LLL_Result r) {
            r.r2 = act(SECOND, () -> send(broadcast, 1));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r3 = undeliveredText();
        }
    }

    @JCStressTest
    @State
    @Description("C1: publish against close: all subscribers or none")
    @Outcome(id = "SENT, 1, 1", expect = ACCEPTABLE, desc = "stays receivable for both")
    @Outcome(id = "CLOSED, none, none", expect = ACCEPTABLE, desc = "refused")
    public static class AgainstClose extends Race {
        private final Broadcast<Integer> broadcast = Broadcast.make();
        private final ReceivePort<Integer> one = broadcast.subscribe(ChannelOptions.buffered(1));
        private final ReceivePort<Integer> other = broadcast.subscribe(ChannelOptions.buffered(1));

        public AgainstClose() {
            super(2);
        }

        @Actor
        public void publisher(LLL_Result r) {
            r.r1 = act(FIRST, () -> send(broadcast, 1));
        }

        @Actor
        public void closer() {
            act(SECOND, done(broadcast::close));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r2 = rest(one);
            r.r3 = rest(other);
        }
    }

    @JCStressTest
    @State
    @Description("C1: two publishers: all subscribers see one order")
    @Outcome(id = "1 2, 1 2", expect = ACCEPTABLE, desc = "the first came first")
    @Outcome(id = "2 1, 2 1", expect = ACCEPTABLE, desc = "the other came first")
    public static class TwoPublishers extends Race {
        private final Broadcast<Integer> broadcast = Broadcast.make();
        private final ReceivePort<Integer> one = broadcast.subscribe(ChannelOptions.buffered(2));
        private final ReceivePort<Integer> other = broadcast.subscribe(ChannelOptions.buffered(2));

        public TwoPublishers() {
            super(2);
        }

        @Actor
        public void publisher() {
            act(FIRST, () -> send(broadcast, 1));
        }

        @Actor
        public void otherPublisher() {
            act(SECOND, () -> send(broadcast, 2));
        }

        @Arbiter
        public void left(LL_Result r) {
            r.r1 = rest(one);
            r.r2 = rest(other);
        }
    }
}
