package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.report.FiberTimes;
import dev.ropewalk.fibers.internal.report.FiberTraces;
import dev.ropewalk.fibers.internal.stack.Stack;
import dev.ropewalk.fibers.internal.stack.Stacks;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * Stacks that are continuations. Their workers are not kept for reuse: to yield on one and enter it
 * again costs several times as much as a new one (decision 9). The JVM knows which one is entered.
 */
public final class LightMount extends StackMount {
    /*
     * Late unmount (rule F18). A fiber that yields leaves its stack mounted as long as the head of
     * the run queue can be entered on top of it; when that yields in turn, control is back here:
     *
     *   the head is this fiber      it takes its entry and goes on: it never left its stack
     *   the head is not mounted     it is entered on top; one that has no stack gets a new worker
     *   the head is mounted below, too many are mounted, or nothing is runnable
     *                               this fiber leaves its stack, and the frame below sees again
     *
     * Entries are taken in the order of the queue, so nothing changes but the cost: two fibers that
     * wake each other pay one half of a switch for each. A monitor, or anything else of a fiber
     * that belongs to a stack, is lost when a frame below it leaves; hence it is an option.
     *
     * Nor is it known in time whether the stack is pinned, so fibers on top of a class initialiser
     * are the thread that initialises the class, and see it half made. Rejected:
     * Continuation.isPinned at each wait, which costs two switches, and is true for stacks that can
     * be left (JDK 25).
     *
     * A stack that turns out to be pinned when it has to be left late cannot let others go first: a
     * fiber that has its value goes on with it out of turn; a fiber without a value gets the pinned
     * error.
     */

    /** Stacks mounted on top of another; more would only be unmounted again, in a ring say. */
    private static final int MAX_ON_TOP = 3;

    /** Stacks that are mounted on top of another one. */
    private int mountedOnTop;

    /** The fiber that yields late just now had others on top of its stack. */
    private boolean wasBelow;

    /** The exception of a worker that was not entered by the root frame. */
    private @Nullable Throwable brokeOnTop;

    LightMount(CordImpl cord) {
        super(cord, leavesLate(cord), false);
    }

    /** Whether the options ask for it and nothing else forbids it. */
    private static boolean leavesLate(CordImpl cord) {
        return cord.options.lateUnmount()
                && !cord.orderSeeded
                && !cord.inTurns
                && cord.loop.hooks == null
                && !FiberTimes.ON
                && !FiberTraces.ON;
    }

    // ---------------------------------------------------------------- by the root frame

    @Override
    Stack freshStack() {
        return Stacks.light(cord, worker);
    }

    @Override
    void enterStack(Stack stack) {
        stack.enter();
        if (brokeOnTop != null) {
            throw Unchecked.<RuntimeException>sneaky(brokeOnTop);
        }
    }

    @Override
    void endIdleStacks() {}

    @Override
    int idleStacks() {
        return 0;
    }

    // ---------------------------------------------------------------- on a stack

    @Override
    public Stack mountedStack() {
        return Objects.requireNonNull(Stacks.mountedLight(), "no stack is mounted");
    }

    @Override
    void forgetFiber() {}

    @Override
    boolean keepIdle() {
        return false;
    }

    // ---------------------------------------------------------------- late unmount

    @Override
    public void switchAway(Stack own, FiberImpl<?> fiber) {
        wasBelow = false;
        try {
            if (!goesOnLate(own, fiber)) {
                own.yieldControl();
            }
        } catch (Throwable pinned) { // or too large to be copied
            cord.loop.running = fiber; // first, and without a call: there may be no room for one
            goOnPinned(fiber, pinned);
        }
    }

    /**
     * Lets others go first on top of the stack; true if the fiber is to go on, false if it has to
     * leave. It has returned by then, so it need not be part of the frame that is copied: its
     * compiled form does not matter to a switch.
     */
    private boolean goesOnLate(Stack own, FiberImpl<?> fiber) {
        FiberLoop loop = cord.loop;
        RunQueue runQueue = loop.runQueue;
        for (; ; ) {
            if (--loop.untilPoll <= 0 || loop.marked) {
                loop.pollInTurn(
                        null); // a fiber that yielded does not go on because the poll is over
            }
            FiberImpl<?> head = runQueue.next();
            if (head == null || brokeOnTop != null) {
                break;
            }
            Stack next = head.stack();
            if (next != own && (mountedOnTop == MAX_ON_TOP || isMounted(next))) {
                break;
            }
            if (next == null) {
                next = workerFor(head); // first, because there may be no memory for it
                if (next == null) {
                    break;
                }
            } else {
                head.beforeEnter();
                loop.running = head;
            }
            runQueue.drop();
            if (fiber.rawState() == FiberImpl.RUNNING) {
                return true; // it was the head, and never left its stack
            }
            enterOnTop(next);
            wasBelow = true;
        }
        loop.untilPoll++; // the frame below counts the switch
        return false;
    }

    private static boolean isMounted(@Nullable Stack stack) {
        return stack != null && stack.isMounted();
    }

    private void enterOnTop(Stack stack) {
        mountedOnTop++;
        try {
            stack.enter();
        } catch (Throwable broken) {
            brokeOnTop = broken; // the root frame's, not this fiber's: all that is mounted leaves
        }
        mountedOnTop--;
    }

    private void goOnPinned(FiberImpl<?> fiber, Throwable pinned) {
        if (!wasBelow || !fiber.isQueued()) {
            throw Unchecked.<RuntimeException>sneaky(pinned);
        }
        RunQueue runQueue = cord.loop.runQueue;
        runQueue.bringToHead(fiber);
        runQueue.drop();
        fiber.beforeEnter();
    }

    /** Null without memory for a stack: the root frame ends the head for it, not the caller. */
    private @Nullable Stack workerFor(FiberImpl<?> head) {
        try {
            Stack stack = Stacks.light(cord, worker);
            handOver(head);
            return stack;
        } catch (OutOfMemoryError full) {
            return null;
        }
    }
}
