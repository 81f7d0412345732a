package dev.ropewalk.fibers.internal.cord;

/** A scheduler, as it is when its cords are made. */
public interface CordGroup {
    TaskSource newSource(CordImpl cord);

    /** Before the cord's thread starts, so that it finds everything when it leaves at once. */
    void enter(CordImpl cord);

    /** Its thread could not be started. */
    void forget(CordImpl cord);
}
