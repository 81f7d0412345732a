package dev.ropewalk.actors.internal.observe;

/** How a timer of an actor goes off. */
public enum TimerKind {
    ONCE,
    FIXED_DELAY,
    FIXED_RATE,
    /** Once, unless the state changes before. */
    STATE,
    /** Once, unless another message comes before. */
    IDLE;

    /** It is over when its message is. */
    public boolean isOnce() {
        return this != FIXED_DELAY && this != FIXED_RATE;
    }
}
