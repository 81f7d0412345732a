package dev.ropewalk.actors.supervision;

/** Which children a supervisor starts again when one of them has failed, as in OTP. */
public enum Strategy {
    /** That one. */
    ONE_FOR_ONE,
    /** All: the others are stopped first, the youngest first, and all are started in order. */
    ONE_FOR_ALL,
    /** That one and those that were started after it, which are stopped first. */
    REST_FOR_ONE,
    /** That one; its children come and go, and are stopped side by side. */
    DYNAMIC
}
