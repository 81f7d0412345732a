package dev.ropewalk.channels;

/** The fate of an element that was to be sent, as a value. */
public enum SendResult {
    /** The channel took the element, or a receiver did. */
    SENT,
    /** No receiver waits for it and the buffer is full; the caller keeps the element. */
    FULL,
    /** The limit passed before anybody took it; the caller keeps the element. */
    TIMED_OUT,
    /** The channel is full and drops what comes then; the caller keeps the element. */
    DROPPED,
    /** The channel is closed; the caller keeps the element. */
    CLOSED
}
