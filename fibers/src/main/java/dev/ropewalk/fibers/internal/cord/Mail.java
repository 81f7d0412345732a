package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.platform.Platform;

/**
 * How other threads reach a cord: its inbox, its wake-up, and the state of its thread.
 *
 * <p>A wake-up cannot be lost: a sender adds its message and then asks whether the cord sleeps; the
 * cord says that it sleeps, and then reads the inbox once more.
 *
 * <p>For any thread; {@link #activity(Activity)} is the cord's own.
 */
public final class Mail {
    public final Inbox inbox = new Inbox();
    private final Platform platform;

    /**
     * Busy before its thread has begun: a wake-up would find no thread, and the thread polls first.
     */
    private volatile Activity activity = Activity.BUSY;

    /**
     * The state of the cord's thread; only a hint for other threads, but the order of its stores
     * matters.
     */
    public enum Activity {
        BUSY,
        SPINNING,
        ASLEEP
    }

    Mail(Platform platform) {
        this.platform = platform;
    }

    void send(CordMessage message) {
        inbox.add(message);
        platform.wakeUp();
    }

    public void wakeUp() {
        platform.wakeUp();
    }

    public Activity activity() {
        return activity;
    }

    public void activity(Activity now) {
        activity = now;
    }

    public boolean isBusy() {
        return activity != Activity.ASLEEP;
    }

    /** It polls for work, and may have given its CPU up meanwhile. */
    public boolean isSpinning() {
        return activity == Activity.SPINNING;
    }
}
