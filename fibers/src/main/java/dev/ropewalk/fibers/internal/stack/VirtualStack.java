package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.platform.Unchecked;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;

/**
 * A stack that is a virtual thread, whose scheduler is the cord (rule F11): any call that blocks a
 * virtual thread yields to the cord's other fibers.
 *
 * <p>The JDK hands a virtual thread that can run to its scheduler as a task; run on the cord's own
 * thread, the task goes on with the thread until it yields. So to enter is to run the task. To
 * leave is {@code Thread.yield}: it needs no permit, it is not disturbed by interrupts, and nothing
 * but the cord ends it; the task that the JDK submits for it is the one that is entered next. Any
 * other way to yield is a call that blocked: the thread then is BLOCKED until the JDK submits its
 * task, from any thread, which comes as a message to the cord.
 *
 * <pre>
 *   FRESH   -> INSIDE    enter: the thread is started
 *   INSIDE  -> LEFT      leave
 *   LEFT    -> INSIDE    enter; or the stack was pinned and has not been left
 *   INSIDE  -> BLOCKED   a call of the JDK blocked, found when enter comes back
 *   BLOCKED -> READY     the JDK's message: the call is over
 *   READY   -> INSIDE    enter
 *   INSIDE  -> DONE      the worker's frame is over
 * </pre>
 *
 * Virtual threads that code on this stack starts inherit its scheduler, this object: their tasks
 * run on the cord's thread too, as no fiber and between fibers; when the cord has ended they go on
 * on the JDK's own scheduler.
 *
 * <p>Confined to the cord, but for {@link #execute}. Rejected: to leave by {@code
 * LockSupport.park}, which blocks the cord's thread when pinned, and which an interrupt or a stray
 * unpark ends.
 */
final class VirtualStack implements Stack, Executor {
    private enum State {
        FRESH,
        INSIDE,
        LEFT,
        BLOCKED,
        READY,
        DONE
    }

    /** As often as a signal is raised. */
    private static final int MAX_INTERRUPTS = 1_000;

    private static final VarHandle THREAD_LOCALS = map("threadLocals");
    private static final VarHandle INHERITABLE_THREAD_LOCALS = map("inheritableThreadLocals");

    private static VarHandle map(String field) {
        try {
            MethodHandles.Lookup lang =
                    MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
            return lang.findVarHandle(
                    Thread.class, field, lang.findClass("java.lang.ThreadLocal$ThreadLocalMap"));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final StackOwner owner;
    private final Thread thread;
    private final @Nullable ClassLoader classLoader;

    /** The exception of the worker's frame. */
    private @Nullable Throwable broken;

    /** The JDK's task that goes on with the thread; always the same. Null until it is started. */
    private @Nullable Runnable task;

    /**
     * The fiber whose call blocks it; null if the call is the library's own, as when the end of a
     * fiber is being told.
     */
    private @Nullable Object blocked;

    private @Nullable Throwable interruptedFor;
    private int interrupts;

    /** Read by other threads in {@link #execute}, where LEFT can be seen by the own thread only. */
    private State state = State.FRESH;

    VirtualStack(StackOwner owner, Runnable worker) {
        this.owner = owner;
        this.thread =
                JdkThreads.builder(this)
                        .name("worker of " + owner.name())
                        .inheritInheritableThreadLocals(false)
                        .unstarted(() -> runToEnd(worker));
        this.classLoader = thread.getContextClassLoader();
    }

    /** An exception of the worker is thrown to the cord, as on a light stack. */
    private void runToEnd(Runnable worker) {
        try {
            worker.run();
        } catch (Throwable thrown) {
            broken = thrown;
        } finally {
            state(State.INSIDE, State.DONE);
        }
    }

    @Override
    public Thread thread() {
        return thread;
    }

    @Override
    public void enter() {
        if (state == State.FRESH) {
            state(State.FRESH, State.INSIDE);
            thread.start();
        } else {
            state(state == State.READY ? State.READY : State.LEFT, State.INSIDE);
        }
        Runnable goesOn = task;
        if (goesOn == null) {
            throw new IllegalStateException(thread + " was started but not given to its scheduler");
        }
        goesOn.run();
        if (broken != null) {
            throw Unchecked.<RuntimeException>sneaky(broken);
        }
        if (state == State.INSIDE) {
            state(State.INSIDE, State.BLOCKED);
        }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // nothing but the cord schedules this thread
    public void yieldControl() {
        state(State.INSIDE, State.LEFT);
        try {
            Thread.yield();
        } catch (Throwable full) {
            state = State.INSIDE; // without a call, for which there may be no room
            throw full;
        }
        if (state == State.LEFT) {
            state(State.LEFT, State.INSIDE);
            // The JDK does not say why; a monitor is no reason, and hooks run as no fiber.
            throw new StackPinnedException(
                    "cannot wait here: the virtual thread of this fiber is pinned. "
                            + PinnedRemedies.NATIVE_FRAME);
        }
    }

    @Override
    public boolean isBlocked() {
        return state == State.BLOCKED;
    }

    @Override
    public StackTraceElement[] trace() {
        return thread.getStackTrace();
    }

    @Override
    public boolean isMounted() {
        return state == State.INSIDE;
    }

    @Override
    public boolean isReady() {
        return state == State.READY;
    }

    @Override
    public void blockedBy(@Nullable Object running) {
        blocked = running;
    }

    @Override
    public void interruptFor(Throwable due) {
        if (interruptedFor != due) {
            interruptedFor = due;
            interrupts = 0;
        }
        if (++interrupts <= MAX_INTERRUPTS) {
            thread.interrupt();
        }
    }

    @Override
    public void forgetFiber() {
        interruptedFor = null;
        Thread.interrupted();
        if (THREAD_LOCALS.get(thread) != null) {
            THREAD_LOCALS.set(thread, null);
        }
        if (INHERITABLE_THREAD_LOCALS.get(thread) != null) {
            INHERITABLE_THREAD_LOCALS.set(thread, null);
        }
        if (thread.getContextClassLoader() != classLoader) {
            thread.setContextClassLoader(classLoader);
        }
    }

    @Override
    public boolean wasInterruptedFor(@Nullable Throwable due) {
        return due != null && interruptedFor == due;
    }

    @Override
    public void forgetInterruptFor(Throwable over) {
        if (interruptedFor == over) {
            interruptedFor = null;
            Thread.interrupted();
        }
    }

    /**
     * The JDK: one of its virtual threads can run; this one, or one started on it. Any thread. Of
     * this one also after its trace was taken, however often.
     */
    @Override
    public void execute(Runnable runnable) {
        if (task == null) {
            task = runnable; // by start, in enter
        } else if (runnable != task) {
            // A virtual thread that is no fiber; it outlives the cord, on the JDK's own scheduler.
            owner.post(runnable, () -> JdkThreads.goOn(runnable));
        } else if (state != State.LEFT) {
            owner.post(this::callIsOver, () -> {}); // otherwise its fiber was abandoned
        }
    }

    private void callIsOver() {
        // To take the thread's trace makes the JDK tell of one call more than once.
        if (state == State.BLOCKED && thread.getState() == Thread.State.RUNNABLE) {
            state(State.BLOCKED, State.READY);
            owner.stackReady(this, blocked);
        }
    }

    private void state(State from, State to) {
        if (Checks.ON && state != from) {
            throw new IllegalStateException("state=" + state + " != from=" + from + " in " + this);
        }
        state = to;
    }

    @Override
    public String toString() {
        return "stack of " + thread;
    }
}
