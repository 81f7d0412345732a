package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.internal.store.StoreWatches;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A store that the processes of a cluster keep themselves: each has a server of Apache Ratis, which
 * replicates a log to the others by Raft.
 *
 * {@snippet file="dev/ropewalk/actors/cluster/ratis/RatisSnippetsTest.java" region="open"}
 *
 * <p>A write is acknowledged when a majority of the servers has it on the disk ({@code
 * raft.server.log.unsafe-flush.enabled} and {@code raft.server.log.async-flush.enabled} are false),
 * and the leader has carried it out. Its revision is its number in the log. A read goes through the
 * log, too, so it sees each acknowledged write, at any server. Both need a majority: without it a
 * write is unknown and a read fails when the limit of the options has passed.
 *
 * <p>All entries are in memory at each server, and in its snapshots: a store for some 100 MB. Calls
 * wait while other threads work; cords go on meanwhile. A call that is left may take effect. Their
 * number is bounded: beyond 1,024 requests or 32 MB writes are answered as unknown at once. Not for
 * fibers on a virtual clock.
 *
 * <p>A server whose disk is full, or fails, ends: its store gives no answers any more, the others
 * go on, and it is opened again when there is room.
 */
public final class RatisStore implements Store {
    private static final Log LOG = Logs.logger(RatisStore.class);

    private final RatisOptions options;
    private final ServerDirectory directory;
    private final Requests requests;
    private final StoreWatches watches;
    private final StoreMachine machine;
    private final Reads reads;
    private final EmbeddedServer server;

    /** The same, for what happens before it has started. */
    private volatile @Nullable EmbeddedServer started;

    private volatile boolean isClosed;

    /** A write whose caller waits for its outcome. */
    private static final class PendingWrite extends WaitCell {
        private final String key;

        PendingWrite(String key) {
            this.key = key;
        }

        @Override
        public String toString() {
            return "the write of " + key;
        }
    }

    private RatisStore(RatisOptions options) {
        this.options = options;
        this.directory = ServerDirectory.open(options);
        this.requests = new Requests(options);
        this.watches = StoreWatches.told(options.toString());
        this.machine = new StoreMachine(options, new Events());
        this.reads = new Reads(options, requests, machine::appliedIndex);
        boolean isStarted = false;
        try {
            this.server = EmbeddedServer.start(options, machine);
            isStarted = true;
        } finally {
            if (!isStarted) {
                isClosed = true;
                requests.close();
                directory.close();
            }
        }
        started = server;
        requests.open(server);
        StoreException failure = requests.ended();
        if (failure != null) {
            closeAll();
            throw failure;
        }
    }

    /**
     * Opens the server of this process, and checks what it keeps. Does not wait for the others:
     * calls do, until there is a leader. A switchpoint.
     *
     * @param options which server
     * @return the store
     * @throws StoreException if the directory cannot be written to, is of another server or group,
     *     is open already, or is damaged; if the port is taken
     */
    public static RatisStore open(RatisOptions options) {
        Objects.requireNonNull(options, "options");
        return Blocking.call(() -> new RatisStore(options));
    }

    // ---------------------------------------------------------------- reading

    @Override
    public StoreEntry read(String key) {
        Store.checkKey(key);
        reads.await("the read of " + key);
        return machine.entries().read(key);
    }

    @Override
    public List<StoreEntry> list(String prefix, String after, int max) {
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(after, "after");
        if (max < 1) {
            throw new IllegalArgumentException("max=" + max + " < 1");
        }
        reads.await("the list of " + prefix);
        return machine.entries().page(prefix, after, max);
    }

    // ---------------------------------------------------------------- writing

    @Override
    public WriteResult replace(String key, long revision, byte @Nullable [] value) {
        Store.checkWrite(key, revision, value);
        Waits.switchpoint();
        PendingWrite write = new PendingWrite(key);
        requests.send(new Request(Command.write(key, revision, value), revision > 0, write::give));
        Object outcome = write.await(write, options.callLimit().toNanos());
        if (outcome instanceof Request.Outcome.Done(long number)) {
            return number == Command.REFUSED
                    ? new WriteResult.Refused()
                    : new WriteResult.Written(number);
        }
        return new WriteResult.Unknown(
                outcome instanceof Request.Outcome.Unknown(Throwable cause)
                        ? cause
                        : new StoreException(
                                options + " has no answer within " + options.callLimit(), null));
    }

    // ---------------------------------------------------------------- the rest

    /**
     * Tells of changes when this server has carried them out, also of those that a snapshot of
     * another server has brought.
     *
     * @throws IllegalStateException if the store is closed
     */
    @Override
    public StoreWatch watch(String prefix, Consumer<String> changed) {
        return watches.watch(
                Objects.requireNonNull(prefix, "prefix"),
                Objects.requireNonNull(changed, "changed"));
    }

    /** News of the machine, on threads of Ratis'. */
    private final class Events implements StoreMachine.Listener {
        @Override
        public void applied(long index) {
            reads.applied(index);
        }

        @Override
        public void changed(List<String> keys) {
            watches.changed(keys);
        }

        @Override
        public void leaderChanged() {
            requests.leaderChanged();
            EmbeddedServer at = started;
            if (at != null) {
                at.leaderChanged();
            }
        }

        @Override
        public void snapshotIsDue() {
            requests.execute(
                    () -> {
                        // A failure has been told of where the snapshot is written.
                        EmbeddedServer at = started;
                        if (at != null) {
                            CompletableFuture<?> _ = at.writeSnapshot();
                        }
                    });
        }

        /** The server ends on a thread of its own, because this one is the server's. */
        @Override
        public void failed(Throwable cause) {
            if (!isClosed && requests.ended() == null) {
                StoreException why =
                        new StoreException(
                                options
                                        + " works no more: "
                                        + cause
                                        + "; close it, make room on its disk if it is full, and"
                                        + " open it again",
                                cause);
                LOG.error("{}", why.getMessage(), cause);
                end(why);
                EmbeddedServer at = started;
                if (at != null) {
                    Thread.ofPlatform().daemon().name("ends " + options).start(at::close);
                }
            }
        }
    }

    private void end(StoreException why) {
        requests.end(why);
        requests.execute(() -> reads.giveUp(why));
    }

    /**
     * Ends the server; the others go on if they are a majority. One that leads has another server
     * lead first, if one is there, and waits up to 2 s for it. Calls that wait fail, with an
     * unknown outcome. A switchpoint.
     */
    @Override
    public void close() {
        Waits.cleanUp(
                () -> {
                    Blocking.run(this::closeAll);
                    return true;
                });
    }

    private void closeAll() {
        isClosed = true;
        try (ServerDirectory _ = directory;
                EmbeddedServer _ = server) {
            end(new StoreException(options + " is closed", null));
            watches.close();
            requests.close();
        }
    }

    /** For tests. */
    StoreMachine machine() {
        return machine;
    }

    /** For tests. */
    EmbeddedServer server() {
        return server;
    }

    /** For tests. */
    void checkInvariants() {
        requests.checkInvariants();
    }

    @Override
    public String toString() {
        return options.toString();
    }
}
