package dev.ropewalk.fibers.internal.stack;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A stack that is a virtual thread of the JDK's own scheduler, by public API alone (rule F11): only
 * Ropewalk's own calls yield on it, as on a light stack.
 *
 * <p>Its thread runs as the cord while it has the {@link Baton}; the mount of the cord says who has
 * it next. Nothing pins it: a wait in a class initialiser or below a native frame keeps the thread
 * that carries this one, of which the JDK has one for each processor.
 *
 * <p>A stack whose fiber was abandoned never gets the baton again: to end its thread would run the
 * fiber's clean-up beside the cord. It is garbage with the few that were started beside it, see
 * {@link PortableThreads}.
 */
public final class PortableStack implements Stack {
    final Baton baton = new Baton();
    private final Thread thread;

    /** It has waited, or can. */
    private boolean hasRoom;

    /** Its thread came out of {@link #await} without the baton. */
    private boolean isDismissed;

    /**
     * Starts its thread, which waits for the baton.
     *
     * @param life what the thread runs when it has it first
     * @throws OutOfMemoryError if there is no memory for the thread; then nothing was started
     */
    public PortableStack(PortableThreads threads, Life life) {
        this.thread = threads.start(() -> run(life));
    }

    /** The life of a stack's thread, from its first turn to its end. */
    public interface Life {
        /**
         * On the thread, which has the baton. Hands it on before it returns, unless dismissed.
         *
         * @param sent what an agent threw at the thread before; as a rule nothing
         */
        void run(PortableStack stack, @Nullable Throwable sent);
    }

    private void run(Life life) {
        Throwable sent = null;
        try {
            if (!baton.await()) {
                return;
            }
        } catch (Throwable thrown) { // with the baton, which must not end with the thread
            sent = thrown;
        }
        life.run(this, sent);
    }

    /** The last thing that the giving thread does as the cord. */
    public void give() {
        baton.give(thread);
    }

    /** Whether its thread has not seen the baton, and never will. */
    public boolean takeBack() {
        return baton.takeBack();
    }

    /**
     * Before its thread hands the baton on and waits: sees whether there is room for that.
     *
     * @throws OutOfMemoryError if the heap has none
     */
    public void makeRoom() {
        if (!hasRoom || HeapRoom.isLow()) {
            HeapRoom.check();
            hasRoom = true;
        }
    }

    /** On its thread, which has handed the baton on; false if it is to end without it. */
    public boolean await() {
        isDismissed = !baton.await();
        return !isDismissed;
    }

    /** On its thread. */
    public boolean isDismissed() {
        return isDismissed;
    }

    /** No fiber is on it; its thread ends. By the thread that has the baton. */
    public void dismiss() {
        baton.dismiss(thread);
    }

    @Override
    public Thread thread() {
        return thread;
    }

    @Override
    public StackTraceElement[] trace() {
        StackTraceElement[] all = thread.getStackTrace();
        for (int i = 0; i < all.length; i++) {
            if (all[i].getClassName().equals(PortableStack.class.getName())) {
                return Arrays.copyOfRange(all, i, all.length); // without how the JDK parks
            }
        }
        return all;
    }

    @Override
    public void enter() {
        throw new IllegalStateException(this + " is given the baton, and not entered");
    }

    @Override
    public void yieldControl() {
        throw new IllegalStateException(this + " hands the baton on, and is not left");
    }

    @Override
    public boolean isMounted() {
        return false; // nothing can be on top of it
    }

    @Override
    public String toString() {
        return "portable stack of " + thread;
    }
}
