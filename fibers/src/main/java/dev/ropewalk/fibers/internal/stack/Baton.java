package dev.ropewalk.fibers.internal.stack;

import dev.ropewalk.fibers.internal.platform.Unchecked;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A thread's place in the passing of a cord's baton: the thread waits here until the right to run
 * as the cord is given to it.
 *
 * <pre>
 *   AWAY -> HERE   give, by the thread that had it: the last thing that this does as the cord
 *   HERE -> LATE   it was looked for, and the thread had not seen it
 *   HERE, LATE -> AWAY   the thread comes out of await with it; or it was taken back
 *   AWAY -> OVER   dismiss: the thread is needed no more, and comes out of await without it
 * </pre>
 *
 * <p>It is HERE or LATE at one place of a cord at most, and then no thread runs as the cord. The
 * thread that gets it reads all that the giver wrote before.
 */
public final class Baton {
    private static final int AWAY = 0;
    private static final int HERE = 1;
    private static final int LATE = 2;
    private static final int OVER = 3;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Baton.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // by its handle
    private int state;

    /** Gives it to the thread whose place this is. */
    public void give(Thread thread) {
        STATE.setRelease(this, HERE);
        LockSupport.unpark(thread);
    }

    /** Whether its thread had not seen that it is here, and never will. */
    boolean takeBack() {
        for (; ; ) {
            int seen = (int) STATE.getAcquire(this);
            if (seen == AWAY || seen == OVER) {
                return false;
            }
            if (STATE.compareAndSet(this, seen, AWAY)) { // otherwise it became late just now
                return true;
            }
        }
    }

    /** Whether it has been here since the last call, or before; from any thread. */
    boolean isLate() {
        return !STATE.compareAndSet(this, HERE, LATE) && (int) STATE.getAcquire(this) == LATE;
    }

    /** Ends the wait of a thread that has nothing more to do. */
    public void dismiss(Thread thread) {
        STATE.setRelease(this, OVER);
        LockSupport.unpark(thread);
    }

    /**
     * Waits for it, on the thread whose place this is. The fiber there has no turn meanwhile, so an
     * interrupt is kept, and an exception that an agent sends is thrown when the baton is here.
     *
     * @return false if the thread was dismissed
     */
    public boolean await() {
        return await(null);
    }

    /**
     * As {@link #await()}.
     *
     * @param isLost asked after each LOOK_NS of {@link BatonWatch}; if true the baton is here
     */
    public boolean await(@Nullable BooleanSupplier isLost) {
        boolean wasInterrupted = false;
        Throwable sent = null;
        while (!takeBack()) {
            if ((int) STATE.getAcquire(this) == OVER) {
                return false;
            }
            try {
                if (isLost == null) {
                    LockSupport.park();
                } else {
                    LockSupport.parkNanos(BatonWatch.LOOK_NS);
                    if (isLost.getAsBoolean()) {
                        break;
                    }
                }
                wasInterrupted |= Thread.interrupted(); // which would end each park at once
            } catch (Throwable thrown) { // or there was no memory to park
                sent = thrown;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        throwIfSent(sent);
        return true;
    }

    private static void throwIfSent(@Nullable Throwable sent) {
        if (sent != null) {
            throw Unchecked.<RuntimeException>sneaky(sent);
        }
    }
}
