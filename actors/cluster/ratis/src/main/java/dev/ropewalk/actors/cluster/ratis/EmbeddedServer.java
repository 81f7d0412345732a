package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcFactory;
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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The server of Ratis in this process, and the way to the others. */
final class EmbeddedServer implements Requests.Link, AutoCloseable {
    private static final Log LOG = Logs.logger(EmbeddedServer.class);

    /** Within it another server leads, or the others go on without its help. */
    private static final long HAND_OVER_MS = 2_000;

    /** For one attempt. It takes some ms where nothing else goes on. */
    private static final long TRANSFER_MS = 500;

    private static final long LOOK_MS = 10;

    private final RatisOptions options;
    private final RaftGroupId group;
    private final RaftPeerId self;
    private final ClientId client;
    private final RaftServer server;
    private final RaftClientRpc others;

    /** All of the server's. */
    private final ThreadGroup threads;

    /** A permit for each one that was not waited for. */
    private final Semaphore leaderChanges = new Semaphore(0);

    private EmbeddedServer(
            RatisOptions options, ClientId client, RaftServer server, RaftClientRpc others)
            throws IOException {
        this.options = options;
        this.client = client;
        this.group = groupId(options);
        this.self = RaftPeerId.valueOf(options.server());
        this.server = server;
        this.others = others;
        this.threads = server.getDivision(group).getThreadGroup();
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
            EmbeddedServer made = new EmbeddedServer(options, client, server, others);
            isStarted = true;
            return made;
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

    /** There is another leader, perhaps. */
    void leaderChanged() {
        leaderChanges.release();
    }

    /**
     * Has another server lead, if this one does. Otherwise nothing could be written until the
     * others have missed it and elected one: more than a second, which is too long for the leases
     * of nodes on a slow machine.
     *
     * <p>The one that is asked may lose the election, because an entry came meanwhile; then this
     * one votes in the next election, or leads again.
     */
    private void handOver() {
        int _ = leaderChanges.drainPermits();
        long endNs = Waits.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HAND_OVER_MS);
        try {
            RaftServer.Division division = server.getDivision(group);
            DivisionInfo info = division.getInfo();
            if (!info.isLeader()) {
                return;
            }
            while (Waits.nanoTime() - endNs < 0) {
                RaftPeerId leader = info.getLeaderId();
                if (leader != null && !isSelf(leader)) {
                    LOG.info("{} ends, and {} leads from now on", options, leader);
                    return;
                }
                if (info.isLeader()) {
                    List<RaftPeerId> next = successors(division);
                    if (next.isEmpty()) {
                        break; // nobody is there
                    }
                    transfer(next, info);
                }
                boolean _ = leaderChanges.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS);
            }
            LOG.info("{} ends, and has led; no other server leads yet", options);
        } catch (IOException | RuntimeException failure) {
            LOG.info("{} ends, and the others elect a leader if it has led", options, failure);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Those that have answered lately; first the one that knows most of the log. */
    private static List<RaftPeerId> successors(RaftServer.Division division) {
        Map<String, Long> commits = new HashMap<>();
        division.getCommitInfos()
                .forEach(
                        each ->
                                commits.put(
                                        each.getServer().getId().toStringUtf8(),
                                        each.getCommitIndex()));
        return division.getInfo().getRoleInfoProto().getLeaderInfo().getFollowerInfoList().stream()
                .filter(each -> each.getLastRpcElapsedTimeMs() < Properties.MAX_SILENCE_MS)
                .map(each -> each.getId().getId().toStringUtf8())
                .sorted(Comparator.comparingLong(name -> -commits.getOrDefault(name, 0L)))
                .map(RaftPeerId::valueOf)
                .toList();
    }

    /** Asks one after the other, as long as this server leads. */
    private void transfer(List<RaftPeerId> next, DivisionInfo info)
            throws IOException, InterruptedException {
        for (RaftPeerId each : next) {
            try {
                RaftClientReply reply =
                        server.transferLeadershipAsync(
                                        new TransferLeadershipRequest(
                                                client,
                                                self,
                                                group,
                                                CallId.getAndIncrement(),
                                                each,
                                                TRANSFER_MS))
                                .get(2 * TRANSFER_MS, TimeUnit.MILLISECONDS);
                if (reply.isSuccess()) {
                    return;
                }
                LOG.debug("{} does not hand over to {}", options, each, reply.getException());
            } catch (ExecutionException | TimeoutException failure) {
                LOG.debug("{} does not hand over to {}", options, each, failure);
            }
            if (!info.isLeader()) {
                return; // an election goes on
            }
        }
    }

    /** For tests. */
    List<RaftPeerId> successors() throws IOException {
        return successors(server.getDivision(group));
    }

    /** The disk of a server may hang, and what is asked of it with it. */
    private void tryToHandOver() {
        Thread hands = Thread.ofPlatform().daemon().name("ends " + options).start(this::handOver);
        try {
            hands.join(HAND_OVER_MS + TRANSFER_MS);
        } catch (InterruptedException again) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Has another server lead first, if this one does and another one is there. The second caller
     * waits for the first one, because the files are free afterwards.
     */
    @Override
    public synchronized void close() {
        try (RaftClientRpc _ = others;
                RaftServer _ = server) {
            tryToHandOver();
        } catch (IOException failure) {
            throw new StoreException(options + " cannot be closed: " + failure, failure);
        } finally {
            // One that another server deposes in the middle of its close waits as a follower for
            // ever, unless it is interrupted.
            threads.interrupt();
        }
    }
}
