package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.log.RootLocal;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.platform.Unchecked;
import dev.ropewalk.fibers.internal.stack.Baton;
import dev.ropewalk.fibers.internal.stack.BatonWatch;
import dev.ropewalk.fibers.internal.stack.PortableStack;
import dev.ropewalk.fibers.internal.stack.PortableThreads;
import dev.ropewalk.fibers.internal.stack.Stack;
import dev.ropewalk.fibers.internal.stack.StackRoom;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;

/**
 * Stacks that are virtual threads of the JDK's own scheduler, of which one at a time runs as the
 * cord: the one that has the baton.
 *
 * <p>The way of the baton. The root frame, on the cord's own thread, hands it to the stack of the
 * first fiber. A fiber that gives way takes the head of the run queue, and hands the baton STRAIGHT
 * to that fiber's stack, or to an idle or a new one; so does a worker that has no more fibers for
 * itself. It goes back to the root frame if nothing is runnable, because that one sleeps in the
 * reactor; if the reactor is due, which belongs to the cord's own thread; if the cord shares its
 * thread; or if something fails. Messages and timers that are due are handled by a worker, because
 * the stack of a fiber may be nearly full.
 *
 * <p>The thread that hands it on sets all of the cord first ({@link #pass}), and touches nothing of
 * the cord after that, until it comes out of the wait for the baton.
 *
 * <p>Rejected: by way of the cord's own thread at each switch, which wakes two threads of the
 * system, and takes 15 to 25 µs where the straight way takes about half a microsecond; spinning
 * before a thread parks, which takes the processor from the one that is to run.
 */
public final class PortableMount extends StackMount {
    /** Of the full size at once: to grow needs memory where there may be none. */
    private final ArrayDeque<PortableStack> idleStacks = new ArrayDeque<>(MAX_IDLE_STACKS);

    private final PortableThreads threads;

    /** The place of the root frame. */
    private final Baton root = new Baton();

    private final BatonWatch watch = new BatonWatch();
    private final BooleanSupplier isLost = this::isLost;

    /** The stack that has the baton; null if the root frame has it. */
    private @Nullable PortableStack mounted;

    /** The exception that a worker ended with, or that kept the baton from being handed on. */
    private @Nullable Throwable broken;

    /** The context class loader of the root frame's thread. */
    private @Nullable ClassLoader classLoader;

    /** Of the root frame's thread, as the stacks see them. */
    private final RootLocal.Values rootValues = new RootLocal.Values();

    private boolean isLinked;
    private boolean isClosing;

    PortableMount(CordImpl cord) {
        super(cord, true, true);
        this.threads = new PortableThreads(cord.name());
        CurrentCord.expectPortableStacks();
    }

    // ---------------------------------------------------------------- by the root frame

    @Override
    PortableStack freshStack() {
        PortableStack idle = idleStacks.poll();
        return idle != null ? idle : new PortableStack(threads, this::live);
    }

    @Override
    void enterStack(Stack stack) {
        classLoader = Thread.currentThread().getContextClassLoader();
        rootValues.see();
        if (!isLinked) {
            passToRoot(); // links what it takes, because later there may be no memory for that
            root.await();
            isLinked = true;
        }
        watch.begin();
        pass((PortableStack) stack);
        root.await(isLost);
        if (broken != null) {
            throw Unchecked.<RuntimeException>sneaky(broken);
        }
    }

    private boolean isLost() {
        PortableStack given = mounted; // as this thread sees it
        if (!watch.isLost(given, RealPlatform.now())) {
            return false;
        }
        mounted = null;
        cord.loop.current = Thread.currentThread();
        broken = lost(given);
        return true;
    }

    private static Throwable lost(@Nullable PortableStack given) {
        try {
            Object last = given == null ? "the cord's own thread" : given.thread();
            return new OutOfMemoryError("no thread has the baton, which was given last to " + last);
        } catch (Throwable full) {
            return full;
        }
    }

    @Override
    void endIdleStacks() {
        isClosing = true;
        for (PortableStack idle = idleStacks.poll(); idle != null; idle = idleStacks.poll()) {
            dismiss(idle);
        }
        dropAllStacks();
    }

    /** The others are to end, and the cord, also if this one cannot be woken. */
    private static void dismiss(PortableStack idle) {
        try {
            idle.dismiss();
        } catch (OutOfMemoryError | RejectedExecutionException full) {
            // It is garbage with its executor.
        }
    }

    @Override
    void dropAllStacks() {
        threads.forgetAll();
    }

    @Override
    int idleStacks() {
        return idleStacks.size();
    }

    // ---------------------------------------------------------------- on a stack

    @Override
    public Stack mountedStack() {
        return mounted();
    }

    private PortableStack mounted() {
        return Objects.requireNonNull(mounted, "no stack has the baton");
    }

    @Override
    public void switchAway(Stack own, FiberImpl<?> fiber) {
        StackRoom.check();
        PortableStack from = (PortableStack) own;
        from.makeRoom();
        FiberLoop loop = cord.loop;
        loop.switchedOut(fiber);
        loop.running = null;
        if (handsOn(from, nextAfter(fiber))) {
            from.await();
        }
    }

    private @Nullable PortableStack nextAfter(FiberImpl<?> fiber) {
        try {
            return nextOfFiber();
        } catch (Throwable none) {
            cord.loop.running = fiber; // which goes on
            throw none;
        }
    }

    /**
     * Hands the baton on, unless the next stack is this one. Apart from the wait behind it, because
     * an interpreted frame keeps what its variables hold: a stack that waits would keep the next
     * one, and that the next.
     */
    private boolean handsOn(PortableStack from, @Nullable PortableStack next) {
        if (next == from) {
            return false;
        }
        pass(next);
        return true;
    }

    @Override
    public void leaveForEver() {
        StackRoom.check();
        PortableStack from = mounted();
        canWait(from); // if not, it keeps a carrier
        for (; ; ) {
            pass(null);
            from.await();
        }
    }

    /** The life of a stack's thread. */
    private void live(PortableStack stack, @Nullable Throwable sent) {
        PortableStack next = null;
        try {
            if (sent != null) {
                throw Unchecked.<RuntimeException>sneaky(sent);
            }
            CurrentCord.set(cord);
            rootValues.show();
            forgetClassLoader();
            worker.run();
            if (stack.isDismissed()) {
                return;
            }
            next = nextOfWorker();
        } catch (Throwable thrown) {
            broken = thrown;
        }
        pass(next);
    }

    /** Its thread-locals stay on the thread: nothing of public API removes them all. */
    @Override
    void forgetFiber() {
        Thread.interrupted();
        forgetClassLoader();
    }

    /** Fibers begin with that of the cord's own thread. */
    private void forgetClassLoader() {
        Thread own = Thread.currentThread();
        if (own.getContextClassLoader() != classLoader) {
            own.setContextClassLoader(classLoader);
        }
    }

    @Override
    boolean keepIdle() {
        PortableStack own = mounted();
        if (isClosing || idleStacks.size() == MAX_IDLE_STACKS || !canWait(own)) {
            return false;
        }
        idleStacks.push(own);
        boolean isKept = !handsOn(own, nextOfWorker()) || own.await();
        Thread.interrupted(); // which came while it was nobody's
        return isKept;
    }

    /** Without room it would keep a carrier. */
    private static boolean canWait(PortableStack stack) {
        try {
            stack.makeRoom();
            return true;
        } catch (OutOfMemoryError full) {
            return false;
        }
    }

    /**
     * For a fiber that gives way, perhaps with little room left: what may call more than that, a
     * poll or a task's start, is for a worker, whose stack is empty.
     */
    private @Nullable PortableStack nextOfFiber() {
        FiberLoop loop = cord.loop;
        if (--loop.untilPoll <= 0 || loop.marked) {
            return pollingWorker();
        }
        FiberImpl<?> head = loop.runQueue.next();
        if (head != null) {
            return stackOf(head);
        }
        return cord.tasks != null || mayIdleHere() ? pollingWorker() : toRoot();
    }

    /** For a worker that has no fiber on its stack. */
    private @Nullable PortableStack nextOfWorker() {
        FiberLoop loop = cord.loop;
        for (; ; ) {
            if (loop.isPollDueAfterSwitch()) {
                return toRoot();
            }
            FiberImpl<?> head = loop.runQueue.next();
            if (head == null && cord.tasks != null) {
                loop.startTask(cord.tasks);
                head = loop.runQueue.next();
            }
            if (head != null) {
                return stackOf(head);
            }
            if (!mayIdleHere()) {
                return toRoot();
            }
            cord.idle.idle();
        }
    }

    /** On a virtual clock nothing sleeps: time goes on to the next timer. */
    private boolean mayIdleHere() {
        return cord.platform.isVirtual()
                && !cord.inTurns
                && cord.roster.root.outcome() == null
                && cord.timers.earliest() != null;
    }

    /** A worker that runs no fiber first; null if none can be had, or only the root frame polls. */
    private @Nullable PortableStack pollingWorker() {
        if (cord.loop.pollsAtRootOnly) {
            return toRoot();
        }
        try {
            return freshStack(); // nothing is handed over to it
        } catch (OutOfMemoryError full) {
            return toRoot();
        }
    }

    /** The root frame is to go on, and counts the switch. */
    private @Nullable PortableStack toRoot() {
        cord.loop.untilPoll++;
        return null;
    }

    /**
     * Takes the head of the run queue; returns the stack that it goes on with. Without memory for a
     * thread the root frame ends the fiber for it, not the caller.
     */
    private @Nullable PortableStack stackOf(FiberImpl<?> head) {
        FiberLoop loop = cord.loop;
        PortableStack next = (PortableStack) head.stack();
        if (next != null) {
            head.beforeEnter();
            loop.running = head;
            loop.switchedIn(head);
        } else {
            try {
                next = freshStack();
            } catch (OutOfMemoryError full) {
                return toRoot();
            }
            handOver(head);
        }
        loop.runQueue.drop();
        return next;
    }

    /**
     * Hands the baton to the stack, or to the root frame. The caller is not the cord after that.
     */
    private void pass(@Nullable PortableStack next) {
        mounted = next;
        if (next == null) {
            passToRoot();
            return;
        }
        cord.loop.current = next.thread();
        try {
            next.give();
        } catch (Throwable failed) { // without memory its thread cannot be woken
            if (next.takeBack()) {
                broken = failed;
                mounted = null;
                passToRoot();
            }
        }
    }

    private void passToRoot() {
        Thread thread = Objects.requireNonNull(cord.loop.loopThread()); // no text to be made
        cord.loop.current = thread;
        root.give(thread);
    }
}
