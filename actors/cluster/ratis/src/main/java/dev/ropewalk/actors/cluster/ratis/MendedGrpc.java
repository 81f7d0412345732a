package dev.ropewalk.actors.cluster.ratis;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * gRPC with a leader that does not lose a server. The one of Ratis 3.2.2 does: if the server needs
 * the first entry that is left of the log, as a leader that was stopped while another one took
 * over, the entry before is gone, the thread that writes to that server ends by an exception, and
 * none starts until another server leads. Ratis has mended that since (RATIS-2487, RATIS-2499).
 *
 * <p>Ratis makes it by its name.
 */
final class MendedGrpc implements RpcType {
    private static final long PAUSE_MS = 100;

    MendedGrpc() {}

    @Override
    public String name() {
        return MendedGrpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters);
    }

    private static final class Factory extends GrpcFactory {
        Factory(Parameters parameters) {
            super(parameters);
        }

        @Override
        public LogAppender newLogAppender(
                RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            return new Appender(server, state, follower);
        }
    }

    private static final class Appender extends GrpcLogAppender {
        Appender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            super(server, state, follower);
        }

        /**
         * Also if the entry before the next one is neither in the log nor the last of a snapshot.
         */
        @Override
        public @Nullable SnapshotInfo shouldInstallSnapshot() {
            SnapshotInfo due = super.shouldInstallSnapshot();
            long previous = getFollower().getNextIndex() - 1;
            if (due != null || previous < 0 || getRaftLog().getTermIndex(previous) != null) {
                return due;
            }
            SnapshotInfo newest = getServer().getStateMachine().getLatestSnapshot();
            return newest != null && newest.getIndex() > previous ? newest : null;
        }

        /** The log may be cut between that question and the next step. */
        @Override
        public void run() throws IOException {
            boolean isOver = false;
            while (!isOver) {
                try {
                    super.run();
                    isOver = true;
                } catch (RuntimeException failure) {
                    if (!isRunning()) {
                        throw failure;
                    }
                    LOG.debug("{}: tried again", this, failure);
                    isOver = !isPauseOver();
                }
            }
        }

        private boolean isPauseOver() {
            try {
                boolean _ = getEventAwaitForSignal().await(PAUSE_MS, TimeUnit.MILLISECONDS);
                return true;
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }
}
