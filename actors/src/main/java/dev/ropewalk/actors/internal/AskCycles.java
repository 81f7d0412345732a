package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.spi.OpenAsk;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the ask that would close a circle (rule A2). Each asker publishes its ask before it
 * searches, so of the asks that close a circle at the same time at least one sees it. Where an
 * actor of another process is asked, its {@link dev.ropewalk.actors.spi.Target} searches on.
 */
final class AskCycles {
    private static final int LONGEST_PATH = 1_000;

    private AskCycles() {}

    static void check(ActorCell<?> asker, ActorCell<?> asked) {
        if (asked.asking() == null) {
            return; // nearly always: the asked actor waits for nobody
        }
        List<OpenAsk> path = pathFrom(asker);
        // An ask that is open after all of them were seen was open all the time.
        while (isCircle(path, asker) && !path.stream().allMatch(OpenAsk::isOpen)) {
            path = pathFrom(asker);
        }
        if (isCircle(path, asker)) {
            StringBuilder text = new StringBuilder(asker.ref().toString());
            path.forEach(ask -> text.append(" -> ").append(ask.asked()));
            throw closes(text.toString());
        }
        if (!path.isEmpty()) {
            OpenAsk last = path.getLast();
            last.asked().target().seekCircle(asker.ref(), last);
        }
    }

    /** Of an actor that asks itself among others. */
    static AskCycleException toItself(ActorCell<?> asker) {
        return closes(asker.ref() + " -> " + asker.ref());
    }

    static AskCycleException closes(String path) {
        return new AskCycleException(
                "this ask would close a circle of actors that wait for replies: "
                        + path
                        + "; let one of them tell instead of ask");
    }

    private static boolean isCircle(List<OpenAsk> path, ActorCell<?> asker) {
        return !path.isEmpty() && path.getLast().asked().target() == asker;
    }

    /** The open asks one after the other, up to the asker's own or to one that leads elsewhere. */
    private static List<OpenAsk> pathFrom(ActorCell<?> asker) {
        List<OpenAsk> path = new ArrayList<>();
        @Nullable OpenAsk next = asker.asking();
        while (next != null && next.isOpen() && path.size() < LONGEST_PATH) {
            path.add(next);
            next =
                    next.asked().target() instanceof ActorCell<?> asked && asked != asker
                            ? asked.asking()
                            : null;
        }
        return path;
    }
}
