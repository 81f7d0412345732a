package dev.ropewalk.channels.flow;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The subscription that a publisher gave. Its calls are made one after the other (rule 2.7) though
 * they come from any thread: one that finds a call under way leaves its own to that thread.
 *
 * <p>Rejected: a lock around the calls, because the publisher may call its subscriber inside them,
 * for as long as it likes.
 */
final class Upstream {
    private static final Log LOG = Logs.logger(Flows.class);

    private final Flow.Subscription subscription;
    private final Consumer<? super Throwable> onBroken;

    /** How many calls have come and are not made; the thread that makes it 1 makes them all. */
    private final AtomicInteger due = new AtomicInteger();

    private final AtomicLong toRequest = new AtomicLong();
    private volatile boolean isCancelled;

    /** The thread that makes a call at the moment. */
    private volatile @Nullable Thread busy;

    /** For the thread that makes the calls: the publisher was told. */
    private boolean isTold;

    /** Exceptions of the publisher's {@code request} go to {@code onBroken} alone (rule 3.16). */
    Upstream(Flow.Subscription subscription, Consumer<? super Throwable> onBroken) {
        this.subscription = subscription;
        this.onBroken = onBroken;
    }

    void request(long n) {
        toRequest.addAndGet(n);
        makeCalls();
    }

    void cancel() {
        isCancelled = true;
        if (busy == Thread.currentThread()) {
            tellCancel(); // from inside request, which may never return unless it is told
        } else {
            makeCalls();
        }
    }

    private void makeCalls() {
        if (due.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            busy = Thread.currentThread();
            makeCall();
            busy = null;
            seen = due.addAndGet(-seen);
        } while (seen != 0);
    }

    private void makeCall() {
        long n = toRequest.getAndSet(0);
        if (isCancelled) {
            tellCancel();
        } else if (n > 0) {
            try {
                subscription.request(n);
            } catch (Throwable broken) {
                onBroken.accept(broken);
            }
        }
    }

    private void tellCancel() {
        if (isTold) {
            return;
        }
        isTold = true;
        try {
            subscription.cancel();
        } catch (Throwable broken) {
            Logs.tellBroken(
                    LOG, broken, "the cancel of subscription {} threw (rule 3.15)", subscription);
        }
    }
}
