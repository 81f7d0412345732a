package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.fibers.spi.Waits;

import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.AlreadyClosedException;
import org.apache.ratis.protocol.exceptions.GroupMismatchException;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends requests to the leader until there is an outcome, or their limit passes. All is done by one
 * thread: to hand a request over to the own server may wait for its disk.
 *
 * <p>Each attempt has the same number, by which Ratis knows a request that it has carried out and
 * answers again. That knowledge is lost where a server begins from a snapshot, so it is trusted for
 * nothing:
 *
 * <ul>
 *   <li>a write from a revision may be sent again, because it cannot take effect twice; but when it
 *       is refused then, the refusal may be of its own effect, and the outcome is unknown;
 *   <li>a write of a key without an entry may take effect twice, with a removal in between, so it
 *       is sent again only if no server has taken it.
 * </ul>
 *
 * <p>A server has taken each attempt that it did not certainly turn away. "I do not lead" is not
 * certain: a leader that is deposed says so of what stands in its log.
 *
 * <p>Rejected: the client of Ratis, because it does not tell how often it has sent a request, and a
 * request that it gives up ends all others of its stream.
 */
final class Requests implements AutoCloseable {
    /** Requests that have no outcome yet, at most. */
    static final int MAX_REQUESTS = 1_024;

    /** Bytes of them; one request may pass the bound. */
    static final long MAX_BYTES = 32L << 20;

    private static final long TICK_MS = 10;

    /** Where requests go. Called on the thread alone. */
    interface Link {
        /** Null if none is known that is ready. */
        @Nullable RaftPeerId leader();

        boolean isSelf(RaftPeerId peer);

        CompletableFuture<RaftClientReply> send(RaftPeerId to, long callId, ByteString command);

        void sawFailure(RaftPeerId of, Throwable failure);
    }

    private final String store;
    private final long limitNs;
    private final ScheduledThreadPoolExecutor thread;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /** Of the thread. */
    private final Set<Request> open = new LinkedHashSet<>();

    private boolean isTicking;
    private volatile @Nullable Link link;

    /** Why there are no more outcomes. */
    private volatile @Nullable StoreException end;

    Requests(RatisOptions options) {
        this.store = options.toString();
        this.limitNs = options.callLimit().toNanos();
        this.thread =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("requests of " + store).factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Requests that have come before wait for it. */
    void open(Link ready) {
        link = ready;
    }

    /** Runs it on the thread, unless the store is closed. */
    void execute(Runnable code) {
        try {
            thread.execute(code);
        } catch (RejectedExecutionException closed) {
            // Those that wait were told when it was closed.
        }
    }

    /** From any thread. Waits for nothing. */
    void send(Request request) {
        StoreException over = end;
        long size = request.command.size();
        if (over == null && (count.get() >= MAX_REQUESTS || bytes.get() >= MAX_BYTES)) {
            over =
                    new StoreException(
                            store + ": " + count + " requests of " + bytes + " bytes wait", null);
        }
        if (over != null) {
            request.give(new Request.Outcome.Unknown(over));
            return;
        }
        count.incrementAndGet();
        bytes.addAndGet(size);
        boolean isPosted = false;
        try {
            thread.execute(() -> begin(request));
            isPosted = true;
        } catch (RejectedExecutionException closed) {
            request.give(new Request.Outcome.Unknown(closed(closed)));
        } finally {
            if (!isPosted) {
                release(request);
            }
        }
    }

    private void release(Request request) {
        count.decrementAndGet();
        bytes.addAndGet(-request.command.size());
    }

    private StoreException closed(@Nullable Throwable cause) {
        StoreException why = end;
        return why == null ? new StoreException(store + " is closed", cause) : why;
    }

    // ---------------------------------------------------------------- on the thread

    private void begin(Request request) {
        open.add(request);
        request.deadlineNs = Waits.nanoTime() + limitNs;
        if (end == null) {
            attempt(request);
        } else {
            finish(request, new Request.Outcome.Unknown(closed(null)));
        }
        tickLater();
    }

    private void attempt(Request request) {
        Link to = link;
        RaftPeerId leader = to == null ? null : to.leader();
        if (to == null || leader == null) {
            return;
        }
        request.state(request.state(), Request.State.SENT);
        request.sentTo = leader;
        request.taken++;
        int attempt = ++request.attempts;
        CompletableFuture<?> _ =
                to.send(leader, request.callId, request.command)
                        .whenComplete(
                                (reply, failure) ->
                                        execute(
                                                () ->
                                                        answered(
                                                                request, attempt, leader, reply,
                                                                failure)));
    }

    private void answered(
            Request request,
            int attempt,
            RaftPeerId by,
            @Nullable RaftClientReply reply,
            @Nullable Throwable failure) {
        Throwable problem = problem(reply, failure);
        if (reply != null && problem == null) {
            done(request, Command.outcome(reply.getMessage().getContent()));
            return;
        }
        Throwable why = problem == null ? new IOException("no reply") : problem;
        Link from = link;
        if (from != null) {
            from.sawFailure(by, why);
        }
        if (request.isOver()) {
            return;
        }
        request.lastProblem = why;
        if (isTurnedAway(why)) {
            request.taken--;
        }
        if (request.attempts == attempt) {
            if (request.taken > 0 && !request.isRepeatable) {
                finish(request, new Request.Outcome.Unknown(noAnswer(request)));
            } else {
                request.state(Request.State.SENT, Request.State.WAITING);
            }
        }
    }

    private static @Nullable Throwable problem(
            @Nullable RaftClientReply reply, @Nullable Throwable failure) {
        if (failure != null) {
            return failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
        }
        if (reply == null || reply.isSuccess()) {
            return null;
        }
        Throwable inReply = reply.getException();
        return inReply == null ? new IOException("failed: " + reply) : inReply;
    }

    /** Certainly not in a log. Texts that change with Ratis' version make it uncertain only. */
    private static boolean isTurnedAway(Throwable problem) {
        if (problem instanceof LeaderNotReadyException
                || problem instanceof LeaderSteppingDownException
                || problem instanceof GroupMismatchException) {
            return true;
        }
        if (problem instanceof AlreadyClosedException) {
            return String.valueOf(problem.getMessage()).endsWith("is closed.");
        }
        for (Throwable each = problem; each != null; each = each.getCause()) {
            if (each instanceof ConnectException) {
                return true;
            }
        }
        return false;
    }

    private void done(Request request, long number) {
        if (request.isOver()) {
            return;
        }
        // Whichever attempt this answers: a refusal may be of what another one has done.
        boolean isOwnEffect = number == Command.REFUSED && request.taken > 1;
        finish(
                request,
                isOwnEffect
                        ? new Request.Outcome.Unknown(noAnswer(request))
                        : new Request.Outcome.Done(number));
    }

    private void finish(Request request, Request.Outcome outcome) {
        if (open.remove(request)) {
            release(request);
            request.give(outcome);
        }
    }

    private StoreException noAnswer(Request request) {
        Throwable last = request.lastProblem;
        return new StoreException(
                store
                        + " has no certain answer after "
                        + request.attempts
                        + " attempts"
                        + (request.sentTo == null
                                ? ": no leader; see whether a majority of the servers runs"
                                : ", the last one to " + request.sentTo)
                        + (last == null ? "" : ": " + last),
                last);
    }

    // ---------------------------------------------------------------- time

    private void tickLater() {
        if (!isTicking && !open.isEmpty() && !thread.isShutdown()) {
            isTicking = true;
            try {
                ScheduledFuture<?> _ =
                        thread.schedule(this::tickAgain, TICK_MS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closed) {
                isTicking = false;
            }
        }
    }

    private void tickAgain() {
        isTicking = false;
        tick();
        tickLater();
    }

    /** A request that waits for a leader is sent; one that is late, or left behind, ends. */
    private void tick() {
        Link at = link;
        RaftPeerId leader = at == null ? null : at.leader();
        long now = Waits.nanoTime();
        for (Request each : List.copyOf(open)) {
            if (now - each.deadlineNs >= 0) {
                finish(each, new Request.Outcome.Unknown(noAnswer(each)));
            } else if (each.state() == Request.State.WAITING) {
                attempt(each);
            } else if (at != null && leader != null && isLeftBehind(at, each, leader)) {
                if (each.isRepeatable) {
                    attempt(each);
                } else {
                    finish(each, new Request.Outcome.Unknown(noAnswer(each)));
                }
            }
        }
    }

    /** The own server fails those that it has when it leads no more. */
    private static boolean isLeftBehind(Link at, Request request, RaftPeerId leader) {
        RaftPeerId sentTo = request.sentTo;
        return sentTo != null && !at.isSelf(sentTo) && !sentTo.equals(leader);
    }

    /** There is another leader, perhaps. */
    void leaderChanged() {
        execute(this::tick);
    }

    // ---------------------------------------------------------------- the end

    /** From now on no request has an outcome. From any thread. */
    void end(StoreException why) {
        synchronized (this) {
            if (end == null) {
                end = why;
            }
        }
        execute(this::giveUp);
    }

    private void giveUp() {
        List<Request> left = new ArrayList<>(open);
        left.forEach(each -> finish(each, new Request.Outcome.Unknown(closed(null))));
    }

    @Nullable StoreException ended() {
        return end;
    }

    /** Waits for the thread, a second at most: it may be stuck at the disk. */
    @Override
    public void close() {
        end(new StoreException(store + " is closed", null));
        thread.shutdown();
        try {
            if (!thread.awaitTermination(1, TimeUnit.SECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
        }
    }

    /** For tests, from any thread. */
    void checkInvariants() {
        if (end == null) {
            CompletableFuture.runAsync(this::check, thread).join();
        }
    }

    private void check() {
        long sum = 0;
        for (Request each : open) {
            sum += each.command.size();
            if (each.isOver() || each.taken > each.attempts || each.taken < 0) {
                throw new IllegalStateException(each + " is open, taken=" + each.taken);
            }
        }
        if (count.get() < open.size() || bytes.get() < sum || (!open.isEmpty() && !isTicking)) {
            throw new IllegalStateException(
                    store
                            + ": open="
                            + open.size()
                            + " of "
                            + count
                            + ", bytes="
                            + sum
                            + " of "
                            + bytes
                            + ", isTicking="
                            + isTicking);
        }
    }
}
