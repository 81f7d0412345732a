package dev.ropewalk.channels.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * Elements that newer ones displace: each is received, left in the buffer, or given to the hook,
 * exactly once.
 */
final class DisplacementRaces {
    private DisplacementRaces() {}

    /** A channel of a kind, with the hook of the race. */
    abstract static class Displacing extends Race {
        final Channel<Integer> channel;

        Displacing(ChannelOptions<Object> options) {
            super(2);
            channel = Channel.make(options.withUndelivered(undelivered()));
        }

        void sendAll(int last) {
            for (int i = 1; i <= last; i++) {
                channel.send(i);
            }
        }
    }

    @JCStressTest
    @State
    @Description("C3: three sends to a conflated channel against a receive")
    @Outcome(id = "1, 2, 3", expect = ACCEPTABLE, desc = "received first; 2 was displaced")
    @Outcome(id = "2, 1, 3", expect = ACCEPTABLE, desc = "1 was displaced")
    @Outcome(id = "3, 1 2, none", expect = ACCEPTABLE, desc = "received last")
    public static class Conflated extends Displacing {
        public Conflated() {
            super(ChannelOptions.conflated());
        }

        @Actor
        public void sender() {
            act(FIRST, done(() -> sendAll(3)));
        }

        @Actor
        public void receiver(LLL_Result r) {
            r.r1 = act(SECOND, () -> receive(channel));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r2 = undeliveredText();
            r.r3 = rest(channel);
        }
    }

    @JCStressTest
    @State
    @Description("C3: three sends to a sliding channel of two against a receive")
    @Outcome(id = "1, none, 2 3", expect = ACCEPTABLE, desc = "received before the third")
    @Outcome(id = "2, 1, 3", expect = ACCEPTABLE, desc = "the third displaced the first")
    public static class Sliding extends Displacing {
        public Sliding() {
            super(ChannelOptions.sliding(2));
        }

        @Actor
        public void sender() {
            act(FIRST, done(() -> sendAll(3)));
        }

        @Actor
        public void receiver(LLL_Result r) {
            r.r1 = act(SECOND, () -> receive(channel));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r2 = undeliveredText();
            r.r3 = rest(channel);
        }
    }

    @JCStressTest
    @State
    @Description("C3: three sends to a dropping channel of one against a receive")
    @Outcome(id = "1, 2 3, none", expect = ACCEPTABLE, desc = "received last: both were dropped")
    @Outcome(id = "1, 3, 2", expect = ACCEPTABLE, desc = "received before the second")
    @Outcome(id = "1, 2, 3", expect = ACCEPTABLE, desc = "received between them: 2 was dropped")
    public static class Dropping extends Displacing {
        public Dropping() {
            super(ChannelOptions.dropping(1));
        }

        @Actor
        public void sender() {
            act(FIRST, done(() -> sendAll(3)));
        }

        @Actor
        public void receiver(LLL_Result r) {
            r.r1 = act(SECOND, () -> receive(channel));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r2 = undeliveredText();
            r.r3 = rest(channel);
        }
    }

    @JCStressTest
    @State
    @Description("C3: two sends to a conflated channel against its cancel")
    @Outcome(id = "SENT SENT, 1 2", expect = ACCEPTABLE, desc = "one displaced, one left over")
    @Outcome(id = "SENT CLOSED, 1", expect = ACCEPTABLE, desc = "the second was refused")
    @Outcome(id = "CLOSED CLOSED, none", expect = ACCEPTABLE, desc = "both were refused")
    public static class ConflatedAgainstCancel extends Displacing {
        public ConflatedAgainstCancel() {
            super(ChannelOptions.conflated());
        }

        @Actor
        public void sender(LL_Result r) {
            r.r1 = act(FIRST, () -> channel.trySend(1) + " " + channel.trySend(2));
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
}
