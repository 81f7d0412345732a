package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.observe.ActorActivity;
import dev.ropewalk.actors.observe.ActorDetails;
import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.ActorGlance;

import org.jspecify.annotations.Nullable;

/** An actor, as snapshots and inspectors see it. All but the last is for its cord. */
public interface ObservedActor extends Observed {
    @Override
    Described describe();

    @Override
    ActorDump silent();

    ActorRef<?> ref();

    ActorGlance glance();

    ActorActivity activity();

    /** Without the restarts that there were; its supervisor knows them. */
    ActorDetails details();

    /** From any thread; null if nobody can ask it. */
    @Nullable ObservedSupervisor supervisor();

    /** From now on it says when it changes, once. */
    void watch();

    /** It is not started again. */
    boolean isOver();

    /** The part of it that a program would call its state; null if there is none. */
    @Nullable Object userState();

    void suspend();

    void resume();

    void addTap(Tap tap);

    /** No effect if it is not in. */
    void removeTap(Tap tap);

    /** Now if this is its cord, otherwise by a message; also if the cord has ended. */
    void onCord(Runnable task);
}
