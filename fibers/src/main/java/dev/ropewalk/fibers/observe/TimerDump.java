package dev.ropewalk.fibers.observe;

import java.time.Duration;

/**
 * A timer in a {@link CordDump}.
 *
 * @param kind {@code wait} for one that ends a wait of a fiber, a sleep for example; {@code limit}
 *     for one that cancels a {@link dev.ropewalk.fibers.CancelScope}, or lifts a shield; {@code
 *     alarm} for one that runs code of a library
 * @param owner the fiber, or the code as one line
 * @param due how long until it goes off; negative if it is overdue
 */
public record TimerDump(String kind, String owner, Duration due) {}
