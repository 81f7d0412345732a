package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Handoff;
import dev.ropewalk.fibers.spi.WaitNode;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Waiting for the first signal of several events.
 *
 * <p>There is one wait, and a place of it in the queue of each event; claiming any place claims the
 * wait. No two guards are ever held at once. So while the waiter goes from event to event, one that
 * it has passed may be signalled; that claims the wait, and from then on the waiter takes no other
 * signal: it claims its own wait before it takes one that it finds. Afterwards it leaves all
 * queues, however the wait ended.
 *
 * <p>Rejected: taking all guards at once in a fixed order, because a list of a thousand events
 * would hold up everybody; and an event of events, which cannot say which one it was and stays
 * behind in the others.
 */
final class EventAny {
    private EventAny() {}

    /** Null if the limit passed. */
    static @Nullable Event await(List<Event> given, long limitNs) {
        List<Event> events = List.copyOf(given);
        check(events);
        Event first = events.getFirst();
        Exclusion guard = first.guard();
        guard.switchpoint(first);
        for (Event each : events) {
            if (each.takeNow()) {
                return each;
            }
        }
        guard.enter(first);
        WaitNode<Event> wait;
        try {
            wait = guard.node(null);
        } finally {
            guard.exit();
        }
        List<WaitNode<Event>> places = new ArrayList<>(events.size());
        Object result;
        try {
            standInAll(events, wait, places);
            result = guard.await(wait, new AnyOf(events, places), limitNs);
        } finally {
            leaveAll(events, places);
        }
        return result instanceof Event signalled ? signalled : null;
    }

    private static void standInAll(
            List<Event> events, WaitNode<Event> wait, List<WaitNode<Event>> places) {
        for (Event each : events) {
            WaitNode<Event> place = wait.place(each);
            if (!each.stand(place)) {
                return;
            }
            places.add(place);
        }
    }

    private static void leaveAll(List<Event> events, List<WaitNode<Event>> places) {
        for (int i = 0; i < places.size(); i++) {
            events.get(i).leave(places.get(i));
        }
    }

    private static void check(List<Event> events) {
        if (events.isEmpty()) {
            throw new IllegalArgumentException("events=[]: give at least one event");
        }
        Event first = events.getFirst();
        for (Event each : events) {
            if (each.guard().isLocal() != first.guard().isLocal()) {
                throw new IllegalArgumentException(
                        first
                                + " and "
                                + each
                                + " cannot be awaited together; make them all shared, or all local"
                                + " to one cord");
            }
        }
    }

    /** Made into text only for reports. */
    private record AnyOf(List<Event> events, List<WaitNode<Event>> places) implements Handoff {
        @Override
        public void reclaim(WaitNode<?> node, Object given) {
            if (given instanceof Event signalled) {
                signalled.reclaim(node, given);
            }
        }

        @Override
        public void abandoned(WaitNode<?> node) {
            leaveAll(events, places);
        }

        @Override
        public String toString() {
            return "any of " + events;
        }
    }
}
