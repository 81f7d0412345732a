package dev.ropewalk.channels.races;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

import java.util.concurrent.atomic.AtomicReference;

/** A bare wait against the value that ends it: in place, before it parks, or parked. */
final class WaitRaces {
    private static final String LEFT = "LEFT";

    private WaitRaces() {}

    /** One waits in a cell of its own, which the other one finds. */
    public abstract static class Waiting extends Race {
        private final AtomicReference<@Nullable WaitCell> cell = new AtomicReference<>();

        Waiting() {
            super(2);
        }

        final String await(long limitNanos) {
            WaitCell own = new WaitCell();
            cell.set(own);
            hesitate(FIRST);
            Object given = own.await("the other party", limitNanos);
            return given == Waits.TIMED_OUT ? LEFT : String.valueOf(given);
        }

        final boolean give() {
            WaitCell other = made(cell);
            hesitate(SECOND);
            return other.give(1);
        }
    }

    @JCStressTest
    @State
    @Description("F8: a value that is given while the wait begins")
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "the waiter is woken, or never sleeps")
    public static class AgainstGive extends Waiting {
        @Actor
        public void waiter(LL_Result r) {
            r.r1 = act(FIRST, () -> await(limit().toNanos()));
        }

        @Actor
        public void giver(LL_Result r) {
            r.r2 = act(SECOND, this::give);
        }
    }

    @JCStressTest
    @State
    @Description("F8: a value against a time limit: either the one or the other")
    @Outcome(id = "1, true", expect = ACCEPTABLE, desc = "given in the last moment")
    @Outcome(id = "LEFT, false", expect = ACCEPTABLE, desc = "the giver came too late")
    public static class AgainstLimit extends Waiting {
        @Actor
        public void waiter(LL_Result r) {
            r.r1 = act(FIRST, () -> await(shortLimit().toNanos()));
        }

        @Actor
        public void giver(LL_Result r) {
            r.r2 = act(SECOND, this::give);
        }
    }
}
