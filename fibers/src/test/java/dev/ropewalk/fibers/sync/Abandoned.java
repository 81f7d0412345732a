package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCord;

import java.time.Duration;

/** A fiber that waits somewhere and is abandoned there; on a virtual clock. */
final class Abandoned {
    private static final Duration FAR = Duration.ofDays(1);

    /** The stop limit of a test cord: when it is over, who does not end is abandoned. */
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

    private final Fiber<?> parent;

    private Abandoned(Fiber<?> parent) {
        this.parent = parent;
    }

    /** Nothing ends its wait. */
    static Abandoned waitsIn(Action wait) {
        return waitsUnshieldedIn(() -> CancelScope.shielded(FAR, wait::run));
    }

    /** Its wait is ended, but something in it goes on. */
    static Abandoned waitsUnshieldedIn(Action wait) {
        TestCord.expectUncaught(FiberAbandonedException.class);
        Fiber<?> parent =
                Fiber.spin(
                        "parent",
                        () -> {
                            Fiber.spin("abandoned", wait);
                            Fiber.suspend();
                        });
        Form.settle();
        return new Abandoned(parent);
    }

    /** Returns when the fiber has been abandoned. */
    void abandon() {
        parent.terminate();
        parent.awaitEnd(Waits.FOREVER);
    }

    /** The action is run in the turn before the fiber is abandoned; in FIFO order. */
    void abandonAfter(Action action) throws Exception {
        Fiber.spin("ender", parent::terminate);
        Fiber.sleep(STOP_LIMIT);
        action.run();
        parent.awaitEnd(Waits.FOREVER);
    }
}
