package dev.ropewalk.channels.pipeline;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.ropewalk.channels.races.Race;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.FiberTimeoutException;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

import java.util.concurrent.Callable;

/** The channel between two segments, of which one ends. */
final class LinkRaces {
    private LinkRaces() {}

    /** A link has no limits of its own, so its parties are fibers, in a scope with one. */
    abstract static class Linking extends Race {
        final Link link = new Link(1, false, 1, 1);

        Linking() {
            super(2);
        }

        static StageCounter counter() {
            return new StageCounter("stage", true);
        }

        static Callable<String> limited(Callable<String> act) {
            return () -> {
                try {
                    return CancelScope.<String, Exception>cancelAfter(limit(), act::call);
                } catch (FiberTimeoutException late) {
                    return hung();
                }
            };
        }

        /** The next element, end, or elsewhere after a failure. */
        final String next() {
            try {
                Object element = link.next(counter());
                return element == null ? "end" : element.toString();
            } catch (EndedElsewhere elsewhere) {
                return "elsewhere";
            }
        }
    }

    @JCStressTest
    @State
    @Description("C5: the reader takes one and ends, against the last two puts of the writer")
    @Outcome(
            id = "true true, 1, end",
            expect = ACCEPTABLE,
            desc = "the second went in, and is lost")
    @Outcome(id = "true false, 1, end", expect = ACCEPTABLE, desc = "the second was unwanted")
    public static class TakeAgainstLastPut extends Linking {
        public TakeAgainstLastPut() {}

        @Actor
        public void writer(LLL_Result r) {
            r.r1 =
                    actOnCord(
                            FIRST,
                            limited(
                                    () -> {
                                        StageCounter counter = counter();
                                        boolean first = link.put(1, counter);
                                        boolean second = link.put(2, counter);
                                        link.endWriting(null);
                                        return first + " " + second;
                                    }));
        }

        @Actor
        public void reader(LLL_Result r) {
            r.r2 =
                    actOnCord(
                            SECOND,
                            limited(
                                    () -> {
                                        String taken = next();
                                        link.end(null);
                                        return taken;
                                    }));
        }

        @Arbiter
        public void left(LLL_Result r) {
            r.r3 = next();
        }
    }

    @JCStressTest
    @State
    @Description("C5: the writer fails, against a reader: what was put comes before the failure")
    @Outcome(id = "true, 1 elsewhere", expect = ACCEPTABLE, desc = "nothing overtakes the element")
    public static class FailureAgainstTake extends Linking {
        public FailureAgainstTake() {}

        @Actor
        public void writer(LL_Result r) {
            r.r1 =
                    actOnCord(
                            FIRST,
                            limited(
                                    () -> {
                                        boolean put = link.put(1, counter());
                                        link.endWriting(new IllegalStateException("planted"));
                                        return String.valueOf(put);
                                    }));
        }

        @Actor
        public void reader(LL_Result r) {
            r.r2 = actOnCord(SECOND, limited(() -> next() + " " + next()));
        }
    }

    @JCStressTest
    @State
    @Description("C5: the reader fails, against a writer that waits for room: it is let go")
    @Outcome(id = "true false, elsewhere", expect = ACCEPTABLE, desc = "the second found no room")
    @Outcome(id = "false false, elsewhere", expect = ACCEPTABLE, desc = "both were unwanted")
    public static class PutAgainstFailure extends Linking {
        public PutAgainstFailure() {}

        @Actor
        public void writer(LL_Result r) {
            r.r1 =
                    actOnCord(
                            FIRST,
                            limited(
                                    () -> {
                                        StageCounter counter = counter();
                                        return link.put(1, counter) + " " + link.put(2, counter);
                                    }));
        }

        @Actor
        public void reader() {
            actOnCord(SECOND, done(() -> link.end(new IllegalStateException("planted"))));
        }

        @Arbiter
        public void left(LL_Result r) {
            r.r2 = next();
        }
    }
}
