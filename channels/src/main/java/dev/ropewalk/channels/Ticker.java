package dev.ropewalk.channels;

import dev.ropewalk.channels.internal.TickPort;

import java.time.Duration;

/**
 * Receive ports whose elements come with time, for loops and selects. They have no task and no
 * timer of their own: a tick is computed when it is asked for, so a ticker that is not read costs
 * nothing and needs no closing.
 *
 * <p>Each call takes the time of the cord that it runs on, or the system's on a plain thread. All
 * real clocks agree; a port that is made on a virtual clock is to be read on that clock.
 */
public final class Ticker {
    private Ticker() {}

    /**
     * {@return a port with an element each period, its number, from 1 on}
     *
     * <p>The times are counted from now on, so nothing drifts. Ticks that were missed are not made
     * up for: the next receive gets the newest, as a drain does, and its number shows how many
     * there were.
     *
     * @param period the time between two ticks, above 0
     * @throws IllegalArgumentException if the period is 0 or negative, or longer than 292 years
     */
    public static ReceivePort<Long> every(Duration period) {
        return new TickPort(period, false);
    }

    /**
     * {@return a port with one element, after the delay, which is closed then}
     *
     * @param delay the time until the element is there
     * @throws IllegalArgumentException if the delay is negative, or longer than 292 years
     */
    public static ReceivePort<Long> after(Duration delay) {
        return new TickPort(delay, true);
    }
}
