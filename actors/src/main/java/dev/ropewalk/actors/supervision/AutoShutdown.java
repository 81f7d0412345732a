package dev.ropewalk.actors.supervision;

/** Whether a supervisor ends itself when its significant children have ended, as in OTP. */
public enum AutoShutdown {
    /** It goes on; it may have no significant children then. */
    NEVER,
    /** When one of them has ended by itself and is not started again. */
    ANY,
    /** When the last of them has. */
    ALL
}
