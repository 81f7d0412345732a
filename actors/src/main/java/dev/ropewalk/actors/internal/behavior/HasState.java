package dev.ropewalk.actors.internal.behavior;

/** A behavior that knows which part of it a program would call its state. */
public interface HasState {
    Object state();
}
