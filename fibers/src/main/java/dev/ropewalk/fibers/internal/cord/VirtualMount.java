package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.stack.Stack;
import dev.ropewalk.fibers.internal.stack.Stacks;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Objects;

/**
 * Stacks that are virtual threads. They cost more to start than to enter, so workers are kept: they
 * park themselves among the idle ones and yield. The JVM does not say which one is entered, because
 * below it there may be others, so it is noted here.
 *
 * <p>Code on a stack may block in the JDK: the code of a fiber, or of the library when it reports a
 * failure or tells an end. Such a stack comes back by {@link #stackReady}.
 */
public final class VirtualMount extends StackMount {
    /** Of the full size at once: to grow needs memory where there may be none. */
    private final ArrayDeque<Stack> idleStacks = new ArrayDeque<>(MAX_IDLE_STACKS);

    /** Stacks of no fiber that were blocked in the JDK. */
    private final ArrayDeque<Stack> readyStacks = new ArrayDeque<>();

    /** How many more of those are still blocked; the cord does not end before they are done. */
    private int nobodysBlocked;

    private @Nullable Stack mounted;
    private boolean isClosing;

    VirtualMount(CordImpl cord) {
        super(cord, false, true);
    }

    // ---------------------------------------------------------------- by the root frame

    @Override
    Stack freshStack() {
        Stack idle = idleStacks.poll();
        return idle != null ? idle : Stacks.virtual(cord, worker);
    }

    @Override
    void enterStack(Stack stack) {
        enterVirtual(stack);
    }

    private void enterVirtual(Stack stack) {
        FiberLoop loop = cord.loop;
        if (stack.isReady() && loop.running != null) {
            loop.takeValue(); // it comes back from the JDK, and takes no value
        }
        mounted = stack;
        loop.current = stack.thread();
        try {
            stack.enter();
        } finally {
            loop.current = loop.loopThread();
            mounted = null;
        }
        if (stack.isBlocked()) {
            FiberImpl<?> blocked = loop.running;
            stack.blockedBy(blocked);
            if (blocked == null) {
                nobodysBlocked++;
            } else {
                blocked.blockForeign(stack);
            }
        }
    }

    @Override
    void stackReady(Stack stack, @Nullable Object blocked) {
        if (blocked == null) {
            nobodysBlocked--;
            readyStacks.add(stack);
        } else {
            ((FiberImpl<?>) blocked).unblockForeign();
        }
    }

    @Override
    boolean isStackReady() {
        return !readyStacks.isEmpty();
    }

    @Override
    void enterReadyStacks() {
        for (Stack stack = readyStacks.poll(); stack != null; stack = readyStacks.poll()) {
            enterNobody(stack);
        }
    }

    @Override
    boolean hasNobodysStacks() {
        return nobodysBlocked != 0 || isStackReady();
    }

    /** Their threads end, because the JDK keeps a list of those that have not. */
    @Override
    void endIdleStacks() {
        isClosing = true;
        for (Stack idle = idleStacks.poll(); idle != null; idle = idleStacks.poll()) {
            enterNobody(idle);
        }
    }

    private void enterNobody(Stack stack) {
        enterVirtual(stack);
        cord.loop.running = null;
    }

    @Override
    int idleStacks() {
        return idleStacks.size();
    }

    // ---------------------------------------------------------------- on a stack

    @Override
    public Stack mountedStack() {
        return Objects.requireNonNull(mounted, "no stack is mounted");
    }

    @Override
    public void switchAway(Stack own, FiberImpl<?> fiber) {
        throw new IllegalStateException(fiber + " runs on a virtual thread, which is left at once");
    }

    @Override
    void forgetFiber() {
        if (mounted != null) {
            mounted.forgetFiber();
        }
    }

    @Override
    boolean keepIdle() {
        Stack own = mounted;
        if (own == null || isClosing || idleStacks.size() == MAX_IDLE_STACKS) {
            return false;
        }
        idleStacks.push(own);
        try {
            own.yieldControl();
            return true;
        } catch (StackPinnedException | VirtualMachineError cannotWait) {
            idleStacks.pop(); // it ends instead
            return false;
        }
    }
}
