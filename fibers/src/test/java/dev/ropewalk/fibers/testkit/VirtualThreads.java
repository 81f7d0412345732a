package dev.ropewalk.fibers.testkit;

import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

/** How the tests of cords with stacks on virtual threads run a body. */
public final class VirtualThreads {
    private VirtualThreads() {}

    public static CordOptions options(Reports reports) {
        return CordOptions.named("virtual")
                .withStacks(StackKind.VIRTUAL_THREAD)
                .withUncaught(reports);
    }

    public static void run(Action body) {
        Reports reports = new Reports();
        Cord.<@Nullable Object>run(
                options(reports),
                () -> {
                    body.run();
                    CordImpl.current().checkInvariants();
                    return null;
                });
        reports.assertNone();
    }

    /** Runs until the fiber waits for the JDK; real time, so it may take some turns. */
    public static void untilForeign(Fiber<?> fiber) {
        while (!FiberImpl.of(fiber).describeWait().contains("a call of the JDK")) {
            Fiber.snooze();
        }
    }
}
