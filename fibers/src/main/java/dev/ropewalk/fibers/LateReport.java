package dev.ropewalk.fibers;

/**
 * Tells the uncaught handler what comes to light as another fiber ends: not at once, for then that
 * fiber is half dead, but by a message to the cord, also to one that has just ended.
 */
final class LateReport extends CordMessage {
    private final Fiber<?> fiber;
    private final Throwable failure;

    LateReport(Fiber<?> fiber, Throwable failure) {
        this.fiber = fiber;
        this.failure = failure;
    }

    /** To the cord of the fiber. */
    void send() {
        fiber.cord.send(this);
    }

    @Override
    protected void onCord() {
        fiber.cord.reportUncaught(fiber, failure);
    }

    @Override
    protected void onClosed() {
        fiber.cord.reportUncaught(fiber, failure);
    }
}
