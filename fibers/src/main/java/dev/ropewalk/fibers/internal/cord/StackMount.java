package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.stack.Stack;

import org.jspecify.annotations.Nullable;

/**
 * The stacks of a cord, and how its thread gets onto one and off again.
 *
 * <p>A fiber that has a stack of its own is entered there. Any other fiber is run inline by a
 * worker: a stack whose frame is {@link #work}. A worker goes on with the next entry as long as
 * that needs no other stack, so a fiber that never waits costs no switch. Otherwise the worker
 * ends, and control is back at the root frame. A fiber that waits in the middle keeps its worker,
 * and the root frame makes another.
 *
 * <p>The way of control: root frame -> enter -> one stack -> yield -> root frame. Stacks never
 * nest, but with late unmount, see {@link LightMount}.
 *
 * <p>Confined to the cord's thread.
 */
public abstract sealed class StackMount permits LightMount, VirtualMount, PortableMount {
    /** Threads kept for reuse, where stacks are threads. */
    static final int MAX_IDLE_STACKS = 256;

    final CordImpl cord;

    /** The body of every stack. */
    final Runnable worker = this::work;

    /**
     * Whether a fiber that yields sees itself to the next one: with late unmount, and on portable
     * stacks. Otherwise its stack is left, and the root frame does.
     */
    public final boolean switchesItself;

    /** For waits that are likely to be over before the stack is left. */
    public final WaitInPlace inPlace;

    /** The fiber that the next worker runs first. */
    private @Nullable FiberImpl<?> handedOver;

    /** Stacks are threads, which keep things for a fiber: asked in each turn, so not by a call. */
    private final boolean hasThreads;

    StackMount(CordImpl cord, boolean switchesItself, boolean hasThreads) {
        this.cord = cord;
        this.switchesItself = switchesItself;
        this.hasThreads = hasThreads;
        this.inPlace = new WaitInPlace(cord);
    }

    static StackMount of(CordImpl cord) {
        return switch (cord.stacks) {
            case LIGHT -> new LightMount(cord);
            case VIRTUAL_THREAD -> new VirtualMount(cord);
            case PORTABLE -> new PortableMount(cord);
        };
    }

    // ---------------------------------------------------------------- by the root frame

    public final void enter(FiberImpl<?> fiber) {
        Stack stack = fiber.stack();
        FiberLoop loop = cord.loop;
        if (stack == null) {
            try {
                stack = freshStack();
            } catch (OutOfMemoryError full) {
                failWithoutStack(fiber, full);
                return;
            }
            handedOver = fiber;
        } else {
            fiber.beforeEnter();
            loop.running = fiber;
            loop.switchedIn(fiber);
        }
        enterStack(stack);
        FiberImpl<?> left = loop.running; // null if the worker ended, or yielded between two fibers
        loop.running = null;
        loop.switchedOut(left);
    }

    private static void failWithoutStack(FiberImpl<?> fiber, OutOfMemoryError full) {
        try {
            fiber.failWithoutStack(full);
        } catch (OutOfMemoryError again) {
            Abandonment.endWithoutMemory(fiber, again);
        }
    }

    /** A stack at the beginning of {@link #work}, or in the middle of it. */
    abstract Stack freshStack();

    abstract void enterStack(Stack stack);

    /** By message: a stack that was blocked in the JDK can go on. */
    void stackReady(Stack stack, @Nullable Object blocked) {
        throw new IllegalStateException(stack + " never blocks apart from " + cord);
    }

    /** Whether a stack of no fiber can go on, which only the root frame can enter. */
    boolean isStackReady() {
        return false;
    }

    void enterReadyStacks() {}

    /** Stacks of no fiber that are still to come to their end. */
    boolean hasNobodysStacks() {
        return false;
    }

    abstract void endIdleStacks();

    /** No stack is entered again, and no fiber has one any more; needs no memory. */
    void dropAllStacks() {}

    /** How many stacks are kept for the next fibers; from other threads a hint. */
    abstract int idleStacks();

    // ---------------------------------------------------------------- on a stack

    /** The one that the calling code runs on. */
    public abstract Stack mountedStack();

    /** A fiber that waits, or is in the run queue, yields; returns when it is to go on. */
    public abstract void switchAway(Stack own, FiberImpl<?> fiber);

    /** The running fiber is dead in the middle of its code: it yields and never goes on. */
    public void leaveForEver() {
        for (; ; ) {
            mountedStack().yieldControl();
        }
    }

    /** Has the next worker begin with the fiber. */
    final void handOver(FiberImpl<?> fiber) {
        handedOver = fiber;
    }

    /** The frame at the bottom of every stack. */
    private void work() {
        FiberLoop loop = cord.loop;
        do {
            FiberImpl<?> fiber = handedOver;
            handedOver = null;
            while (fiber != null) {
                loop.running = fiber;
                loop.switchedIn(fiber);
                try {
                    fiber.turn(loop);
                } catch (OutOfMemoryError full) {
                    Abandonment.endWithoutMemory(fiber, full);
                }
                loop.switchedOut(fiber);
                if (hasThreads) {
                    forgetFiber();
                }
                fiber = nextInline(loop);
            }
            loop.untilPoll++; // the frame below counts the switch that this frame could not do
            loop.running = null;
        } while (hasThreads && keepIdle());
    }

    /** The next fiber finds nothing of the last one on this stack. */
    abstract void forgetFiber();

    /** Until it is entered with the next fiber; false if this worker is to end now. */
    abstract boolean keepIdle();

    /**
     * The next entry if a worker can run it on its own stack; null means: back to the root frame.
     */
    private @Nullable FiberImpl<?> nextInline(FiberLoop loop) {
        if (loop.isPollDueAfterSwitch() || cord.orderSeeded) {
            return null;
        }
        FiberImpl<?> head = loop.runQueue.next();
        // A message that was sent to a task may block its stack, as those of a poll may.
        if (head == null && cord.tasks != null && !loop.pollsAtRootOnly) {
            loop.startTask(cord.tasks);
            head = loop.runQueue.peek();
        }
        if (head == null || head.stack() != null) {
            return null;
        }
        loop.runQueue.drop();
        return head;
    }
}
