package dev.ropewalk.channels.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.pipeline.PipelineRun;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.FiberTimeoutException;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.L_Result;

import java.util.List;

/** Whole pipelines, of which a part ends early. */
final class PipelineRaces {
    private static final String CANCELLED = "CANCELLED";

    private PipelineRaces() {}

    /** What the run made, CANCELLED, or that it hung; in a fiber. */
    private static String run(PipelineRun<List<Integer>> run) {
        try {
            return CancelScope.<String, RuntimeException>cancelAfter(
                    Race.limit(), () -> Race.text(run.run().value()));
        } catch (CancelledException cancelled) {
            return CANCELLED;
        } catch (FiberTimeoutException late) {
            return Race.hung();
        }
    }

    @JCStressTest
    @State
    @Description("C5: take ends the run on another cord, against more sends to its source")
    @Outcome(id = "1, CLOSED", expect = ACCEPTABLE, desc = "the source was cancelled")
    public static class TakeAgainstSource extends Race {
        /** More than the source, the link and the segments can hold. */
        private static final int ENOUGH = 200;

        private final Channel<Integer> source = Channel.buffered(1);
        private final PipelineRun<List<Integer>> taking =
                Pipeline.from(source).on(cordOf(SECOND)).take(1).toList();

        public TakeAgainstSource() {
            super(2);
        }

        @Actor
        public void runner(LL_Result r) {
            r.r1 = actOnCord(FIRST, () -> run(taking));
        }

        @Actor
        public void sender(LL_Result r) {
            r.r2 =
                    act(
                            THIRD,
                            () -> {
                                String last = SendResult.SENT.name();
                                for (int i = 1; i < ENOUGH && last.equals("SENT"); i++) {
                                    last = send(source, i);
                                }
                                return last;
                            });
        }
    }

    @JCStressTest
    @State
    @Description("C5: take on another cord, against a source that is silent after its element")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "the source's segment was left where it waited")
    public static class TakeAgainstSilence extends Race {
        private final Channel<Integer> source = Channel.buffered(1);
        private final PipelineRun<List<Integer>> taking =
                Pipeline.from(source).on(cordOf(SECOND)).take(1).toList();

        public TakeAgainstSilence() {
            super(2);
        }

        @Actor
        public void runner(L_Result r) {
            r.r1 = actOnCord(FIRST, () -> run(taking));
        }

        @Actor
        public void sender() {
            act(THIRD, () -> send(source, 1));
        }
    }

    @JCStressTest
    @State
    @Description("C5: cancel against a run that waits for its source: it is always cancelled")
    @Outcome(id = CANCELLED, expect = ACCEPTABLE, desc = "before it began, or where it waited")
    public static class CancelAgainstWaitingRun extends Race {
        private final PipelineRun<List<Integer>> waiting =
                Pipeline.from(Channel.<Integer>rendezvous()).on(cordOf(SECOND)).toList();

        public CancelAgainstWaitingRun() {
            super(2);
        }

        @Actor
        public void runner(L_Result r) {
            r.r1 = actOnCord(FIRST, () -> run(waiting));
        }

        @Actor
        public void canceller() {
            act(THIRD, done(waiting::cancel));
        }
    }

    @JCStressTest
    @State
    @Description("C5: cancel against a run that ends by itself: its result, or cancelled")
    @Outcome(id = "1 2", expect = ACCEPTABLE, desc = "it was over")
    @Outcome(id = CANCELLED, expect = ACCEPTABLE, desc = "the cancel came first")
    public static class CancelAgainstRun extends Race {
        private final PipelineRun<List<Integer>> running =
                Pipeline.of(1, 2).on(cordOf(SECOND)).toList();

        public CancelAgainstRun() {
            super(2);
        }

        @Actor
        public void runner(L_Result r) {
            r.r1 = actOnCord(FIRST, () -> run(running));
        }

        @Actor
        public void canceller() {
            act(THIRD, done(running::cancel));
        }
    }
}
