package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Objects;

/**
 * The stacks of a cord, and how its thread gets onto one and off again.
 *
 * <p>Confined to the cord's thread.
 */
abstract sealed class CordMount extends CordLook permits CordLoop {
    /*
     * A fiber that has a stack of its own is entered there. Any other fiber is run inline by a
     * worker: a stack whose frame is work(). A worker goes on with the next entry as long as that
     * needs no other stack, so what never waits costs no switch; else it ends, and so it is back at
     * the root frame. A fiber that waits in the middle keeps its worker, and the root frame makes
     * another. Workers are not kept for reuse: to leave one and enter it again costs several times as
     * much as a new one (decision 9). Only virtual threads, which cost more to start, are: they park
     * themselves among the idle ones and leave.
     *
     * Who may run: root frame -> enter -> one stack -> leave -> root frame. Stacks never nest; with
     * late unmount they do, see below. Which one is entered is known by the JVM (LightStack.current),
     * and for virtual threads, below which there may be others, by "mounted".
     */

    /** Virtual threads kept for reuse. */
    private static final int MAX_IDLE_STACKS = 256;

    /** Stacks mounted on top of another; more would only be unmounted again, in a ring for one. */
    private static final int MAX_ON_TOP = 3;

    /** Of the full size at once: to grow needs memory where there may be none. */
    private final ArrayDeque<VirtualStack> idleStacks =
            new ArrayDeque<>(onVirtualThreads ? MAX_IDLE_STACKS : 0);

    /** The body of every stack. */
    private final Runnable worker = this::work;

    /** On virtual threads. */
    private @Nullable VirtualStack mounted;

    private @Nullable Fiber<?> handedOver;

    /** Stacks of no fiber that were blocked in the JDK, in what reports or tells the end of one. */
    private final ArrayDeque<VirtualStack> readyStacks = new ArrayDeque<>();

    /** How many more of those are still blocked; the cord does not end before they are done. */
    private int nobodysBlocked;

    private boolean closingStacks;

    /** Whether the options ask for it and nothing else forbids it. */
    final boolean leavesLate;

    /** Stacks that are mounted on top of another one. */
    private int mountedOnTop;

    /** The fiber that yields late just now had others on top of its stack. */
    private boolean wasBelow;

    /** What a worker threw that was not entered by the root frame. */
    private @Nullable Throwable brokeOnTop;

    CordMount(CordOptions options, Platform platform, @Nullable Scheduler scheduler) {
        super(options, platform, scheduler);
        this.leavesLate =
                options.lateUnmount()
                        && !orderSeeded
                        && !onVirtualThreads
                        && !inTurns
                        && hooks == null
                        && !FiberTimes.ON
                        && !FiberTraces.ON;
    }

    // ---------------------------------------------------------------- by the root frame

    final void enter(Fiber<?> fiber) {
        Stack stack = fiber.stack();
        if (stack == null) {
            try {
                stack = onVirtualThreads ? idleOrNewStack() : new LightStack(self(), worker);
            } catch (OutOfMemoryError full) {
                failWithoutStack(fiber, full);
                return;
            }
            handedOver = fiber;
        } else {
            fiber.beforeEnter();
            running = fiber;
            switchedIn(fiber);
        }
        if (onVirtualThreads) {
            enterVirtual((VirtualStack) stack);
        } else {
            stack.enter();
        }
        Fiber<?> left = running; // null if the worker ended, or yielded between two fibers
        running = null;
        switchedOut(left);
        if (brokeOnTop != null) {
            throw FiberAwait.<RuntimeException>sneaky(brokeOnTop);
        }
    }

    private static void failWithoutStack(Fiber<?> fiber, OutOfMemoryError full) {
        try {
            fiber.failWithoutStack(full);
        } catch (OutOfMemoryError again) {
            fiber.endWithoutMemory(again);
        }
    }

    private Stack idleOrNewStack() {
        VirtualStack idle = idleStacks.poll();
        return idle != null ? idle : new VirtualStack(self(), worker);
    }

    private void enterVirtual(VirtualStack stack) {
        if (stack.isReady() && running != null) {
            takeValue(); // it comes back from the JDK, and takes none
        }
        mounted = stack;
        current = stack.thread();
        try {
            stack.enter();
        } finally {
            current = loopThread;
            mounted = null;
        }
        if (stack.isBlocked()) {
            Fiber<?> blocked = running;
            stack.blockedBy(blocked);
            if (blocked == null) {
                nobodysBlocked++;
            } else {
                blocked.blockForeign(stack);
            }
        }
    }

    /** By message: a stack that was blocked in the JDK can go on. */
    void stackReady(VirtualStack stack, @Nullable Fiber<?> fiber) {
        if (fiber == null) {
            nobodysBlocked--;
            readyStacks.add(stack);
        } else {
            fiber.unblockForeign();
        }
    }

    @Override
    final boolean isStackReady() {
        return !readyStacks.isEmpty();
    }

    final void enterReadyStacks() {
        for (VirtualStack stack = readyStacks.poll(); stack != null; stack = readyStacks.poll()) {
            enterNobody(stack);
        }
    }

    /** Stacks of no fiber that are still to come to their end. */
    final boolean hasNobodysStacks() {
        return nobodysBlocked != 0 || isStackReady();
    }

    /** Their threads end, for the JDK keeps a list of those that have not. */
    final void endIdleStacks() {
        if (onVirtualThreads) {
            closingStacks = true;
            for (VirtualStack idle = idleStacks.poll(); idle != null; idle = idleStacks.poll()) {
                enterNobody(idle);
            }
        }
    }

    private void enterNobody(VirtualStack stack) {
        enterVirtual(stack);
        running = null;
    }

    Stack mountedStack() {
        Stack innermost = onVirtualThreads ? mounted : LightStack.current();
        return Objects.requireNonNull(innermost, "no stack is mounted");
    }

    final int idleStacks() {
        return idleStacks.size();
    }

    // ---------------------------------------------------------------- on a stack

    /** The frame at the bottom of every stack. */
    private void work() {
        for (; ; ) {
            Fiber<?> fiber = handedOver;
            handedOver = null;
            while (fiber != null) {
                running = fiber;
                switchedIn(fiber);
                try {
                    fiber.turn();
                } catch (OutOfMemoryError full) {
                    fiber.endWithoutMemory(full);
                }
                switchedOut(fiber);
                if (mounted != null) {
                    mounted.forgetFiber();
                }
                fiber = nextInline();
            }
            untilPoll++; // the frame below counts the switch that this frame could not do
            running = null;
            if (mounted == null || !keepIdle(mounted)) {
                return;
            }
        }
    }

    /** Until it is entered with the next fiber, or to end; false if it is to end now. */
    private boolean keepIdle(VirtualStack own) {
        if (closingStacks || idleStacks.size() == MAX_IDLE_STACKS) {
            return false;
        }
        idleStacks.push(own);
        try {
            own.yield();
            return true;
        } catch (StackPinnedException | VirtualMachineError cannotWait) {
            idleStacks.pop(); // it ends instead
            return false;
        }
    }

    /**
     * The next entry if a worker can run it on its own stack; null means: back to the root frame.
     */
    private @Nullable Fiber<?> nextInline() {
        if (isPollDueAfterSwitch() || orderSeeded) {
            return null;
        }
        Fiber<?> head = runQueue.peek();
        // On virtual threads what was sent to the task may block.
        if (head == null && tasks != null && !onVirtualThreads) {
            startTask(tasks);
            head = runQueue.peek();
        }
        return head == null || head.stack() != null ? null : runQueue.take();
    }

    // ---------------------------------------------------------------- late unmount

    /*
     * Late unmount (rule F18). A fiber that yields leaves its stack mounted as long as the head of
     * the run queue can be entered on top of it; when that yields in turn, control is back here:
     *
     *   the head is this fiber      it takes its entry and goes on: it never left its stack
     *   the head is not mounted     it is entered on top; one that has no stack gets a new worker
     *   the head is mounted below, too many are mounted, or nothing is runnable
     *                               this fiber leaves its stack, and the frame below polls again
     *
     * Entries are taken in the order of the queue, so nothing changes but the cost: two fibers that
     * wake each other pay one half of a switch for each. What a fiber holds that belongs to a stack
     * (a monitor) is lost when something below it leaves; hence it is an option.
     *
     * Nor is it known in time whether the stack is pinned, so fibers on top of a class initialiser are
     * the thread that initialises the class, and see it half made. Rejected: Continuation.isPinned at
     * each wait, which costs two switches, and is true for stacks that can be left (JDK 25).
     *
     * A stack that turns out to be pinned when it has to be left late cannot let others go first: a
     * fiber that has its value goes on with it out of turn; one that has none gets the pinned error.
     */

    /** A fiber that waits, or is in the run queue, yields; returns when it is to go on. */
    final void yieldLate(Stack own, Fiber<?> fiber) {
        wasBelow = false;
        try {
            if (!goesOnLate(own, fiber)) {
                own.yield();
            }
        } catch (Throwable pinned) { // or too large to be copied
            running = fiber; // first, and without a call: there may be no room for one
            goOnPinned(fiber, pinned);
        }
    }

    /**
     * Lets others go first on top of the stack; true if the fiber is to go on, false if it has to
     * leave. It has returned by then, so it need not be part of the frame that is copied: what the
     * compiler does with it does not matter to a switch.
     */
    private boolean goesOnLate(Stack own, Fiber<?> fiber) {
        for (; ; ) {
            if (--untilPoll <= 0 || marked) {
                pollInTurn(null); // who has yielded does not go on by the poll's being over
            }
            Fiber<?> head = runQueue.peek();
            if (head == null || brokeOnTop != null) {
                break;
            }
            LightStack next = (LightStack) head.stack();
            if (next != own && (mountedOnTop == MAX_ON_TOP || isMounted(next))) {
                break;
            }
            if (next == null) {
                next = handOver(head); // first, for there may be no memory for it
                if (next == null) {
                    break;
                }
            } else {
                head.beforeEnter();
                running = head;
            }
            runQueue.drop();
            if (fiber.rawState() == FiberCore.RUNNING) {
                return true; // it was the head, and never left its stack
            }
            enterOnTop(next);
            wasBelow = true;
        }
        untilPoll++; // the frame below counts the switch
        return false;
    }

    private static boolean isMounted(@Nullable LightStack stack) {
        return stack != null && stack.isMounted();
    }

    private void enterOnTop(LightStack stack) {
        mountedOnTop++;
        try {
            stack.enter();
        } catch (Throwable broken) {
            brokeOnTop = broken; // the root frame's, not this fiber's: all that is mounted leaves
        }
        mountedOnTop--;
    }

    private void goOnPinned(Fiber<?> fiber, Throwable pinned) {
        if (!wasBelow || !fiber.isQueued()) {
            throw FiberAwait.<RuntimeException>sneaky(pinned);
        }
        runQueue.bringToHead(fiber);
        runQueue.drop();
        fiber.beforeEnter();
    }

    /** Null without memory for a stack: the root frame ends the head for it, not who waits here. */
    private @Nullable LightStack handOver(Fiber<?> head) {
        try {
            LightStack stack = new LightStack(self(), worker);
            handedOver = head;
            return stack;
        } catch (OutOfMemoryError full) {
            return null;
        }
    }
}
