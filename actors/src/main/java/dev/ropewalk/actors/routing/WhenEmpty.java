package dev.ropewalk.actors.routing;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;

/** The rule of a router without a member. */
public sealed interface WhenEmpty {
    /**
     * {@return the rule that the message is a {@link dev.ropewalk.actors.DeadLetter}; an ask fails
     * at once}
     */
    static WhenEmpty deadLetter() {
        return new ToDeadLetters();
    }

    /**
     * {@return the rule that the sender gets a {@link NoMembersException}} What an actor tells is a
     * {@link dev.ropewalk.actors.DeadLetter} all the same, because it would fail by that; an ask
     * fails with an {@link dev.ropewalk.actors.AskFailedException} whose cause it is.
     */
    static WhenEmpty fail() {
        return new Fail();
    }

    /**
     * {@return the rule that the sender waits for a member, and gets a {@link NoMembersException},
     * as by {@link #fail}, if the limit passes} Calls that may not wait, {@code tryTell} and {@code
     * askLater}, fail at once.
     *
     * @param limit how long to wait
     * @throws IllegalArgumentException if it is negative
     */
    static WhenEmpty await(Duration limit) {
        Waits.nanos(limit);
        return new Await(limit);
    }

    /** See {@link #deadLetter}. */
    record ToDeadLetters() implements WhenEmpty {}

    /** See {@link #fail}. */
    record Fail() implements WhenEmpty {}

    /**
     * See {@link #await}.
     *
     * @param limit how long to wait
     */
    record Await(Duration limit) implements WhenEmpty {}
}
