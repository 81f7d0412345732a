package dev.ropewalk.actors.spi;

/** A behavior that knows which part of it a program would call its state. */
public interface HasState {
    /** {@return the state} */
    Object state();
}
