package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.ExitUtils;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The server of Ratis in this process, and the way to the others. */
final class EmbeddedServer implements Requests.Link, AutoCloseable {
    private static final Log LOG = Logs.logger(EmbeddedServer.class);

    /**
     * For each server that might lead next: it takes some ms, and an election without it a second.
     */
    private static final long HAND_OVER_MS = 400;

    private final RatisOptions options;
    private final RaftGroupId group;
    private final RaftPeerId self;
    private final ClientId client;
    private final RaftServer server;
    private final RaftClientRpc others;

    private EmbeddedServer(
            RatisOptions options, ClientId client, RaftServer server, RaftClientRpc others) {
        this.options = options;
        this.client = client;
        this.group = groupId(options);
        this.self = RaftPeerId.valueOf(options.server());
        this.server = server;
        this.others = others;
    }

    /** Starts it. It knows no leader yet. */
    static EmbeddedServer start(RatisOptions options, StoreMachine machine) {
        // Otherwise Ratis ends the whole JVM when its port is taken.
        ExitUtils.disableSystemExit();
        RaftProperties properties = Properties.of(options);
        RaftGroup group = groupOf(options);
        RaftServer server = null;
        boolean isStarted = false;
        try {
            server =
                    RaftServer.newBuilder()
                            .setServerId(RaftPeerId.valueOf(options.server()))
                            .setGroup(group)
                            .setProperties(properties)
                            .setStateMachine(machine)
                            .setOption(RaftStorage.StartupOption.RECOVER)
                            .build();
            server.start();
            ClientId client = ClientId.randomId();
            RaftClientRpc others =
                    new GrpcFactory(new Parameters()).newRaftClientRpc(client, properties);
            others.addRaftPeers(group.getPeers());
            isStarted = true;
            return new EmbeddedServer(options, client, server, others);
        } catch (IOException | RuntimeException failure) {
            throw failed(options, failure);
        } finally {
            if (server != null && !isStarted) {
                closeQuietly(server);
            }
        }
    }

    private static StoreException failed(RatisOptions options, Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return new StoreException(
                options
                        + " cannot be opened: "
                        + root
                        + "; see whether "
                        + options.bindHost()
                        + ":"
                        + options.port()
                        + " is free, and an address of this machine",
                failure);
    }

    private static RaftGroup groupOf(RatisOptions options) {
        List<RaftPeer> peers =
                options.servers().entrySet().stream()
                        .map(
                                each ->
                                        RaftPeer.newBuilder()
                                                .setId(each.getKey())
                                                .setAddress(each.getValue())
                                                .build())
                        .toList();
        return RaftGroup.valueOf(groupId(options), peers);
    }

    private static RaftGroupId groupId(RatisOptions options) {
        return RaftGroupId.valueOf(ServerDirectory.idOf(options.group()));
    }

    private static void closeQuietly(RaftServer server) {
        try {
            server.close();
        } catch (IOException ignored) {
            // It was not started, and the first failure says why.
        }
    }

    @Override
    public @Nullable RaftPeerId leader() {
        try {
            DivisionInfo info = server.getDivision(group).getInfo();
            if (info.isLeader()) {
                return info.isLeaderReady() ? self : null;
            }
            return info.isAlive() ? info.getLeaderId() : null;
        } catch (IOException closed) {
            return null;
        }
    }

    @Override
    public boolean isSelf(RaftPeerId peer) {
        return self.equals(peer);
    }

    /**
     * Hands a request over: to this server, or by the network to another one. May wait for the log
     * of this server.
     */
    @Override
    public CompletableFuture<RaftClientReply> send(RaftPeerId to, long callId, ByteString command) {
        RaftClientRequest request =
                RaftClientRequest.newBuilder()
                        .setClientId(client)
                        .setServerId(to)
                        .setGroupId(group)
                        .setCallId(callId)
                        .setMessage(Message.valueOf(command))
                        .setType(RaftClientRequest.writeRequestType())
                        .build();
        try {
            return isSelf(to)
                    ? server.submitClientRequestAsync(request)
                    : others.sendRequestAsyncUnordered(request);
        } catch (IOException | RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    /** The next one is sent by a new connection, if the failure is one of the network. */
    @Override
    public void sawFailure(RaftPeerId of, Throwable failure) {
        if (!isSelf(of) && others.shouldReconnect(failure)) {
            others.handleException(of, failure, true);
        }
    }

    /** Has a snapshot written, soon, and the log before it removed. */
    CompletableFuture<?> writeSnapshot() {
        try {
            return server.snapshotManagementAsync(
                    SnapshotManagementRequest.newCreate(
                            client, self, group, CallId.getAndIncrement(), 60_000, 1));
        } catch (RuntimeException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    /**
     * Has another server lead, if this one does. Otherwise nothing could be written until the
     * others have missed it and elected one: more than a second, which is too long for the leases
     * of nodes on a slow machine.
     */
    private void handOver() {
        try {
            DivisionInfo info = server.getDivision(group).getInfo();
            for (RaftPeerId each : info.isLeader() ? heardFrom(info) : List.<RaftPeerId>of()) {
                if (isLedBy(each)) {
                    LOG.info("{} ends, and {} leads from now on", options, each);
                    return;
                }
            }
        } catch (IOException | RuntimeException failure) {
            LOG.debug("{} ends, and the others elect a leader", options, failure);
        }
    }

    /** The others that are there, beginning with the last one that was heard from. */
    private static List<RaftPeerId> heardFrom(DivisionInfo info) {
        return info.getRoleInfoProto().getLeaderInfo().getFollowerInfoList().stream()
                .filter(each -> each.getLastRpcElapsedTimeMs() < Properties.MAX_SILENCE_MS)
                .sorted(Comparator.comparingLong(ServerRpcProto::getLastRpcElapsedTimeMs))
                .map(each -> RaftPeerId.valueOf(each.getId().getId()))
                .toList();
    }

    private boolean isLedBy(RaftPeerId next) throws IOException {
        try {
            return server.transferLeadershipAsync(
                            new TransferLeadershipRequest(
                                    client,
                                    self,
                                    group,
                                    CallId.getAndIncrement(),
                                    next,
                                    HAND_OVER_MS))
                    .get(2 * HAND_OVER_MS, TimeUnit.MILLISECONDS)
                    .isSuccess();
        } catch (ExecutionException | TimeoutException failure) {
            LOG.debug("{} does not hand over to {}", options, next, failure);
            return false;
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(options + " is interrupted while it ends");
        }
    }

    /** The others go on at once, if this one has led and they are there. */
    @Override
    public void close() {
        handOver();
        try (RaftClientRpc _ = others) {
            server.close();
        } catch (IOException failure) {
            throw new StoreException(options + " cannot be closed: " + failure, failure);
        }
    }
}
