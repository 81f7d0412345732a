package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.spi.OpenAsk;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the ask that would close a circle (rule A2). Each asker publishes its ask before it
 * searches, with a fence between the two, so of the asks that close a circle at the same time at
 * least one sees it. An ask of an actor of the same cord that asks nobody closes none, and needs no
 * fence: if the asked one asks another cord's actor later, its fence publishes this ask too. Where
 * an actor of another process is asked, its {@link dev.ropewalk.actors.spi.Target} searches on.
 */
final class AskCycles {
    private static final int LONGEST_PATH = 1_000;

    private static final VarHandle ASKING;

    static {
        try {
            ASKING = MethodHandles.lookup().findVarHandle(ActorCell.class, "asking", OpenAsk.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private AskCycles() {}

    /** The ask in which the actor waits, or null. From any thread. */
    static @Nullable OpenAsk askOf(ActorCell<?> actor) {
        return (OpenAsk) ASKING.getAcquire(actor);
    }

    /**
     * The actor waits for the reply of this ask; null for none. Without a fence: a caller that then
     * reads the asks of others, to find a circle, puts one between.
     */
    static void publish(ActorCell<?> asker, @Nullable OpenAsk ask) {
        ASKING.setRelease(asker, ask);
    }

    static void check(ActorCell<?> asker, ActorCell<?> asked) {
        if (askOf(asked) == null && asked.cord().isCurrent()) {
            return; // nearly always: only this thread writes it, so the asked one asks nobody
        }
        VarHandle.fullFence(); // between the asker's own ask and those of others
        if (askOf(asked) == null) {
            return;
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
        @Nullable OpenAsk next = askOf(asker);
        while (next != null && next.isOpen() && path.size() < LONGEST_PATH) {
            path.add(next);
            next =
                    next.asked().target() instanceof ActorCell<?> asked && asked != asker
                            ? askOf(asked)
                            : null;
        }
        return path;
    }
}
