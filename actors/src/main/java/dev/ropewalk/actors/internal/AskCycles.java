package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.AskCycleException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the ask that would close a circle (rule A2). Each asker publishes its ask before it
 * searches, so of the asks that close a circle at the same time at least one sees it.
 */
final class AskCycles {
    private static final int LONGEST_PATH = 1_000;

    private AskCycles() {}

    static void check(ActorCell<?> asker) {
        Ask<?, ?> first = asker.asking();
        if (first == null || first.target().asking() == null) {
            return; // nearly always: the asked actor waits for nobody
        }
        List<Ask<?, ?>> circle = circle(asker);
        // An ask that is open after all of them were seen was open all the time.
        while (circle != null && !circle.stream().allMatch(Ask::isOpen)) {
            circle = circle(asker);
        }
        if (circle != null) {
            StringBuilder path = new StringBuilder(asker.ref().toString());
            circle.forEach(ask -> path.append(" -> ").append(ask.target().ref()));
            throw closes(path.toString());
        }
    }

    /** Of an actor that asks itself among others. */
    static AskCycleException toItself(ActorCell<?> asker) {
        return closes(asker.ref() + " -> " + asker.ref());
    }

    private static AskCycleException closes(String path) {
        return new AskCycleException(
                "this ask would close a circle of actors that wait for replies: "
                        + path
                        + "; let one of them tell instead of ask");
    }

    private static @Nullable List<Ask<?, ?>> circle(ActorCell<?> asker) {
        List<Ask<?, ?>> path = new ArrayList<>();
        @Nullable Ask<?, ?> next = asker.asking();
        while (next != null && next.isOpen() && path.size() < LONGEST_PATH) {
            path.add(next);
            if (next.target() == asker) {
                return path;
            }
            next = next.target().asking();
        }
        return null;
    }
}
