package dev.ropewalk.actors.internal.observe;

/** A supervisor, as inspectors of its actors see it. */
public interface ObservedSupervisor extends Observed {
    /** {@return how often it has started children again within its period} On its cord. */
    int recentRestarts();
}
