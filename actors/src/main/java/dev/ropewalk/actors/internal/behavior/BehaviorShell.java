package dev.ropewalk.actors.internal.behavior;

import dev.ropewalk.actors.Behavior;

/** A behavior around another one, which is the one that counts when instances are compared. */
public interface BehaviorShell<M> extends Behavior<M> {
    /** The behavior inside. */
    Behavior<M> inner();
}
