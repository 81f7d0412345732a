package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.CordOptions;

/**
 * Is told of a cord whose fiber does not yield, and when that is over, of queues that grow beyond
 * all measure, of a reactor that is not polled (rule F13), and of an idle cord that waits for
 * itself (rule F9). {@link CordOptions#withStuckHandler} sets it.
 */
@FunctionalInterface
public interface WatchdogHandler {
    /**
     * Called on a thread of its own, which is no cord, one report after the other for the whole
     * process; so it may take its time, but must not wait for a cord that is stuck. Its exceptions
     * are logged.
     *
     * @param report what has been found
     */
    void stuck(WatchdogReport report);
}
