package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.observe.CordAnswer;
import dev.ropewalk.actors.internal.observe.CountTap;
import dev.ropewalk.actors.internal.observe.Tap;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.internal.observe.TraceTap;
import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.ActorStatistics;
import dev.ropewalk.actors.observe.ActorTrace;
import dev.ropewalk.fibers.TimeoutException;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.function.Supplier;

/** What an inspector asks one actor, on the actor's cord. */
public final class Inspection {
    private final ActorCell<?> cell;
    private final long limitNs;

    /**
     * Of the actor behind the address.
     *
     * @throws IllegalArgumentException if that is no actor of this process
     */
    public Inspection(ActorRef<?> actor, long limitNs) {
        if (!(actor.target() instanceof ActorCell<?> own)) {
            throw new IllegalArgumentException(
                    actor
                            + " leads to "
                            + actor.target()
                            + ", which is no actor; inspect the members of a router one by one");
        }
        this.cell = own;
        this.limitNs = limitNs;
    }

    public ActorDump dump() {
        return ask("a dump", () -> (ActorDump) cell.describe().dump());
    }

    public @Nullable Object state() {
        return ask("the state", () -> Optional.ofNullable(living("state").userState()))
                .orElse(null);
    }

    public void suspend() {
        ask("a suspension", () -> living("suspend").suspend());
    }

    public void resume() {
        ask("a resumption", () -> living("resume").resume());
    }

    public ActorTrace trace(int max) {
        TraceTap trace = new TraceTap(max, this::remove);
        add("trace", trace);
        return trace;
    }

    public ActorStatistics statistics() {
        CountTap count = new CountTap(this::remove);
        add("statistics", count);
        return count;
    }

    private void add(String what, Tap tap) {
        Taps.opened();
        boolean isIn = false;
        try {
            isIn = ask(what, () -> living(what).addTap(tap));
        } finally {
            if (!isIn) {
                cell.onCord(
                        () -> {
                            cell.removeTap(tap); // it may have come in at the last moment
                            Taps.closed();
                        });
            }
        }
    }

    private void remove(Tap tap) {
        cell.onCord(
                () -> {
                    if (cell.removeTap(tap)) {
                        Taps.closed();
                    }
                });
    }

    private ActorCell<?> living(String what) {
        if (cell.isOver()) {
            throw new IllegalStateException(
                    what + " of " + cell.name() + ": it has ended, and is not started again");
        }
        return cell;
    }

    private <T> T ask(String what, Supplier<T> question) {
        String asked = what + " of " + cell;
        T told = CordAnswer.of(cell.cord(), asked, question).await(limitNs);
        if (told == null) {
            throw new TimeoutException(
                    "no answer within "
                            + limitNs / 1_000_000
                            + " ms: "
                            + asked
                            + "; a fiber keeps the cord, see cord.dump()");
        }
        return told;
    }

    @Override
    public String toString() {
        return "an inspector of " + cell;
    }
}
