package dev.ropewalk.actors;

/** When a supervisor starts an ended actor again. */
public enum Restart {
    /** Always. */
    PERMANENT,
    /** Only if it failed; not after a normal end or a termination. */
    TRANSIENT,
    /** Never. */
    TEMPORARY
}
