package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorDetails;
import dev.ropewalk.actors.observe.ActorDetails.RestartLimit;
import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.ActorStatistics;
import dev.ropewalk.actors.observe.ActorTrace;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.internal.dump.CordQuery;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.function.Supplier;

/** The requests of an inspector to one actor, on the actor's cord. */
public final class Inspection {
    /** Answered in place of what an actor that is over cannot do. */
    private static final Object OVER = new Object();

    private static final Object DONE = new Object();

    private final ObservedActor actor;
    private final long limitNs;

    /**
     * Of the actor behind the address.
     *
     * @throws IllegalArgumentException if that is no actor of this process
     */
    public Inspection(ActorRef<?> ref, long limitNs) {
        if (!(ref.target() instanceof ObservedActor own)) {
            throw new IllegalArgumentException(
                    ref
                            + " leads to "
                            + ref.target()
                            + ", which is no actor; inspect the members of a router one by one");
        }
        this.actor = own;
        this.limitNs = limitNs;
    }

    public ActorDump dump() {
        return (ActorDump) ask("a dump", () -> actor.describe().dump());
    }

    public ActorActivity activity() {
        return (ActorActivity) ask("its activity", actor::activity);
    }

    public ActorDetails details() {
        ActorDetails told = (ActorDetails) ask("details", actor::details);
        ObservedSupervisor above = actor.supervisor();
        Object recent =
                above == null
                        ? null
                        : CordQuery.ask(above.cord(), above::recentRestarts).awaitOrAnswer(limitNs);
        RestartLimit limit = told.restartLimit();
        return recent == null
                ? told
                : new ActorDetails(
                        told.activity(),
                        told.links(),
                        told.monitors(),
                        told.watchers(),
                        told.openAsks(),
                        told.timers(),
                        new RestartLimit(
                                limit.supervisor(), (int) recent, limit.max(), limit.period()),
                        told.lastFailure());
    }

    public @Nullable Object state() {
        Optional<?> state =
                (Optional<?>) askLiving("state", () -> Optional.ofNullable(actor.userState()));
        return state.orElse(null);
    }

    public void suspend() {
        doLiving("suspend", actor::suspend);
    }

    public void resume() {
        doLiving("resume", actor::resume);
    }

    public ActorTrace trace(int max) {
        TraceTap trace = new TraceTap(max, this::remove);
        add("trace", trace);
        return trace;
    }

    public ActorStatistics statistics(boolean hearsSends) {
        CountTap count = new CountTap(hearsSends, this::remove);
        add("statistics", count);
        return count;
    }

    private void add(String what, Tap tap) {
        Taps.opened(tap);
        boolean isIn = false;
        try {
            doLiving(what, () -> actor.addTap(tap));
            isIn = true;
        } finally {
            if (!isIn) {
                actor.onCord(
                        () -> {
                            actor.removeTap(tap); // it may have come in at the last moment
                            Taps.closed(tap);
                        });
            }
        }
    }

    private void remove(Tap tap) {
        actor.onCord(
                () -> {
                    actor.removeTap(tap);
                    Taps.closed(tap);
                });
    }

    private void doLiving(String what, Runnable action) {
        askLiving(
                what,
                () -> {
                    action.run();
                    return DONE;
                });
    }

    private Object askLiving(String what, Supplier<Object> question) {
        Object told = ask(what, () -> actor.isOver() ? OVER : question.get());
        if (told == OVER) {
            throw new IllegalStateException(
                    what + " of " + actor + ": it has ended, and is not started again");
        }
        return told;
    }

    private Object ask(String what, Supplier<Object> question) {
        Object told = CordQuery.ask(actor.cord(), question).awaitOrAnswer(limitNs);
        if (told == null) {
            throw new FiberTimeoutException(
                    what
                            + " of "
                            + actor
                            + ": no answer within "
                            + limitNs / 1_000_000
                            + " ms; a fiber keeps the cord, see cord.dump()");
        }
        return told;
    }

    @Override
    public String toString() {
        return "an inspector of " + actor;
    }
}
