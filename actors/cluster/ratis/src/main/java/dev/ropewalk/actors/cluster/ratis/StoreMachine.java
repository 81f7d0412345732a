package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The entries as Ratis sees them: it carries out the log, entry by entry, on one thread of Ratis',
 * and writes and reads snapshots. The revision of a write is its number in the log, which the log
 * gives once.
 */
final class StoreMachine extends BaseStateMachine {
    private static final Log LOG = Logs.logger(StoreMachine.class);

    /** Bytes of writes after which a snapshot is due, unless the entries are more. */
    private static final long SNAPSHOT_BYTES = 64L << 20;

    /** The store hears of it. Each call is short. */
    interface Listener {
        /** An entry of the log was carried out. */
        void applied(long index);

        /** Keys have other entries now, or perhaps. */
        void changed(List<String> keys);

        void leaderChanged();

        /** A snapshot should be written. */
        void snapshotIsDue();

        /** The server works no more. */
        void failed(Throwable cause);
    }

    private final RatisOptions options;
    private final Listener listener;
    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private volatile Entries entries = new Entries();

    // Of the thread that carries out the log.
    private int entriesSinceSnapshot;
    private long bytesSinceSnapshot;

    StoreMachine(RatisOptions options, Listener listener) {
        this.options = options;
        this.listener = listener;
    }

    Entries entries() {
        return entries;
    }

    long appliedIndex() {
        return getLastAppliedTermIndex().getIndex();
    }

    // ---------------------------------------------------------------- the log

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext context) {
        LogEntryProto entry = context.getLogEntry();
        Command command = Command.decode(entry.getStateMachineLogEntry().getLogData());
        long revision = carryOut(command, entry.getIndex());
        updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
        if (command.key != null && revision != Command.REFUSED) {
            listener.changed(List.of(command.key));
        }
        listener.applied(entry.getIndex());
        countForSnapshot(entry.getSerializedSize());
        return CompletableFuture.completedFuture(Message.valueOf(Command.outcome(revision)));
    }

    /** A barrier gives the number of its entry, like a write. */
    private long carryOut(Command command, long index) {
        return command.key == null
                ? index
                : entries.write(command.key, command.from, command.value, index);
    }

    /** An entry of Ratis' own. */
    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        super.notifyTermIndexUpdated(term, index);
        listener.applied(index);
        countForSnapshot(0);
    }

    private void countForSnapshot(long bytes) {
        entriesSinceSnapshot++;
        bytesSinceSnapshot += bytes;
        boolean isDue =
                entriesSinceSnapshot >= options.snapshotEvery()
                        || bytesSinceSnapshot >= SNAPSHOT_BYTES + entries.bytes();
        if (isDue) {
            startCountingForSnapshot(); // once, also if it fails: then after as many again
            listener.snapshotIsDue();
        }
    }

    private void startCountingForSnapshot() {
        entriesSinceSnapshot = 0;
        bytesSinceSnapshot = 0;
    }

    // ---------------------------------------------------------------- snapshots

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage ratis)
            throws IOException {
        super.initialize(server, group, ratis);
        storage.init(ratis);
        getLifeCycle()
                .startAndTransition(() -> load(storage.getLatestSnapshot()), IOException.class);
    }

    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    /** A snapshot of the leader has come, because the log that this server lacks is gone. */
    @Override
    public void reinitialize() throws IOException {
        Entries before = entries;
        load(storage.loadLatestSnapshot());
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
        listener.changed(before.changes(entries));
        listener.applied(appliedIndex());
    }

    private void load(@Nullable SingleFileSnapshotInfo snapshot) throws IOException {
        if (snapshot != null) {
            entries = SnapshotFile.read(snapshot.getFile().getPath());
            setLastAppliedTermIndex(snapshot.getTermIndex());
            startCountingForSnapshot();
        }
    }

    @Override
    public long takeSnapshot() throws IOException {
        TermIndex last = getLastAppliedTermIndex();
        SingleFileSnapshotInfo there = storage.getLatestSnapshot();
        if (last.getIndex() < 0) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        if (there != null && there.getIndex() >= last.getIndex()) {
            return there.getIndex();
        }
        File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
        try {
            MD5Hash digest = SnapshotFile.write(file.toPath(), entries);
            FileInfo info = new FileInfo(file.toPath(), digest);
            SingleFileSnapshotInfo _ =
                    storage.updateLatestSnapshot(new SingleFileSnapshotInfo(info, last));
        } catch (IOException failure) {
            LOG.warn("{}: no snapshot was written, and the log grows", options, failure);
            throw failure;
        }
        startCountingForSnapshot();
        return last.getIndex();
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    // ---------------------------------------------------------------- events

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
        listener.leaderChanged();
    }

    @Override
    public void notifyLeaderReady() {
        listener.leaderChanged();
    }

    /** The disk is full, or fails: Ratis writes nothing more. */
    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        listener.failed(cause);
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean isAll) {
        listener.failed(new IOException("the server of Ratis has ended"));
    }

    @Override
    public String toString() {
        return options.toString();
    }
}
