package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.StartFailedException;
import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.examples.server.Places;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.io.Codec;
import dev.ropewalk.fibers.io.IoMetrics;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The store: shards spread over cords, and a listener on each of those. A client's fiber asks the
 * shard that has its key, which may be on another cord.
 */
final class Kv implements ServerProgram.Server {
    static final String VERSION = "0.1.0";

    private static final Logger LOG = LoggerFactory.getLogger(Kv.class);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Between two lines about the same. */
    private static final Duration TOLD_AGAIN = Duration.ofMinutes(1);

    /**
     * What the command line asks for.
     *
     * @param folder where the logs are; null if nothing is to survive the process
     * @param minGrowthBytes a log is not rewritten before it has grown by that
     */
    record Settings(
            ServerOptions server,
            int shards,
            @Nullable Path folder,
            ShardLog.Fsync fsync,
            InstantSource clock,
            Disk disk,
            long minGrowthBytes) {
        private static final long MIN_GROWTH_BYTES = 64L * 1_024 * 1_024;

        /** On the file system of the machine. */
        Settings(
                ServerOptions server,
                int shards,
                @Nullable Path folder,
                ShardLog.Fsync fsync,
                InstantSource clock) {
            this(server, shards, folder, fsync, clock, new SystemDisk(), MIN_GROWTH_BYTES);
        }
    }

    private final Failures failures = new Failures();
    private final Topics topics = new Topics();
    private final AtomicInteger clients = new AtomicInteger();
    private final AtomicLong clientIds = new AtomicLong();
    private final AtomicLong httpToldNs = new AtomicLong();
    private final ActorSystem system;
    private final Supervisor supervisor;
    private final List<ActorRef<ShardMessage>> shards;
    private final boolean isLogged;
    private final Places places;

    /**
     * For plain threads.
     *
     * @throws IOException if a log cannot be read
     */
    Kv(Settings settings) throws IOException {
        this.isLogged = settings.folder() != null;
        ActorSystemOptions cords =
                ActorSystemOptions.defaults().withCords(settings.server().cords());
        this.system = ActorSystem.start(Tree.oneForOne("kv"), cords);
        boolean isUp = false;
        try {
            List<ActorRef<ShardLog.Message>> logs = startLogs(settings);
            this.supervisor = supervise("shards", Shard.rules()); // ends before logs
            this.shards = startShards(settings, logs);
            this.places =
                    Places.on(
                            system.cords(),
                            settings.server().port(),
                            port ->
                                    new Listening(
                                            TcpListener.bind(
                                                    "127.0.0.1", port, settings.server().tcp())));
            isUp = true;
            failures.up();
        } catch (StartFailedException failed) {
            IOException disk = Failures.ofDisk(failed);
            throw disk == null ? new IOException(failed) : disk;
        } finally {
            if (!isUp) {
                system.close();
            }
        }
    }

    private Supervisor supervise(String name, Supervision rules) {
        return system.root().supervise(name, rules.onFailure(failures));
    }

    /** None if nothing is to survive the process. */
    private List<ActorRef<ShardLog.Message>> startLogs(Settings settings) throws IOException {
        List<ActorRef<ShardLog.Message>> logs = new ArrayList<>();
        Path folder = settings.folder();
        if (folder != null) {
            checkFolder(folder, settings.shards());
            Supervisor all = supervise("logs", ShardLog.rules());
            for (int i = 0; i < settings.shards(); i++) {
                Path file = folder.resolve("shard-" + i + suffix(settings.shards()));
                logs.add(
                        all.start(
                                "log-" + i,
                                ShardLog.actor(settings.disk(), file, settings.fsync())));
            }
        }
        return logs;
    }

    /** In turn on the next cord, as the logs: a shard is where its log is. */
    private List<ActorRef<ShardMessage>> startShards(
            Settings settings, List<ActorRef<ShardLog.Message>> logs) {
        List<ActorRef<ShardMessage>> made = new ArrayList<>();
        for (int i = 0; i < settings.shards(); i++) {
            made.add(
                    supervisor.start(
                            "shard-" + i,
                            logs.isEmpty()
                                    ? Shard.inMemory(settings.clock())
                                    : Shard.logged(
                                            logs.get(i),
                                            settings.clock(),
                                            settings.minGrowthBytes())));
        }
        return made;
    }

    private static void checkFolder(Path folder, int shards) throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : files.toList()) {
                String name = each.getFileName().toString();
                if (name.startsWith("shard-")
                        && name.endsWith(".log")
                        && !name.endsWith(suffix(shards))) {
                    throw new IOException(
                            folder + " has " + name + ", and not " + shards + " shards");
                }
            }
        }
    }

    private static String suffix(int shards) {
        return "-of-" + shards + ".log";
    }

    /** What one cord does. */
    private final class Listening implements Places.Listening {
        private final TcpListener listener;

        Listening(TcpListener listener) {
            this.listener = listener;
        }

        @Override
        public int port() {
            return listener.port();
        }

        @Override
        public void serve() {
            Codec<Object> codec = Codec.of(Object.class, CommandDecoder::new, ReplyEncoder::new);
            listener.serveMessages("client", codec, client -> new Client(Kv.this, client));
        }

        @Override
        public void drain(Duration limit) {
            listener.drain(limit);
        }

        @Override
        public ObserverOptions shownBy(ObserverOptions observer) {
            return observer.withMetrics(IoMetrics.listener("kv", listener));
        }
    }

    // ---------------------------------------------------------------- for clients

    List<ActorRef<ShardMessage>> shards() {
        return shards;
    }

    int shardOf(String key) {
        int hash = key.hashCode();
        return Math.floorMod(hash ^ (hash >>> 16), shards.size());
    }

    Topics topics() {
        return topics;
    }

    void clientCame() {
        clients.incrementAndGet();
    }

    void clientLeft() {
        clients.decrementAndGet();
    }

    long nextClientId() {
        return clientIds.incrementAndGet();
    }

    /** A line in the log, once in a while: anybody can make any number of such connections. */
    void tellOfHttp(TcpConnection connection) {
        long nowNs = Cord.current().nanoTime();
        long toldNs = httpToldNs.get();
        if ((toldNs == 0 || nowNs - toldNs >= TOLD_AGAIN.toNanos())
                && httpToldNs.compareAndSet(toldNs, nowNs)) {
            LOG.warn(
                    "{} sent POST or Host: where commands are due, as a browser does that a web"
                            + " page has told to; it is closed",
                    connection);
        }
    }

    /** Waits. */
    Reply info() {
        try {
            return Reply.text(info(ActorRef.askAll(shards, ShardMessage.Describe::new, LIMIT)));
        } catch (AskFailedException | AskTimeoutException failed) {
            return new Reply.Failure("ERR a shard is being started again");
        }
    }

    private String info(List<ShardMessage.Figures> all) {
        long keys = 0;
        long expiring = 0;
        long commands = 0;
        long logBytes = 0;
        for (ShardMessage.Figures each : all) {
            keys += each.keys();
            expiring += each.expiring();
            commands += each.commands();
            logBytes += each.logBytes();
        }
        return String.format(
                        Locale.ROOT,
                        """
                        # Server
                        redis_version:%s
                        server_name:ropewalk-kv
                        process_id:%d
                        tcp_port:%d
                        shards:%d
                        cords:%d

                        # Clients
                        connected_clients:%d

                        # Persistence
                        aof_enabled:%d
                        aof_current_size:%d

                        # Stats
                        total_commands_processed:%d
                        pubsub_channels:%d
                        shard_restarts:%d

                        # Keyspace
                        db0:keys=%d,expires=%d
                        """,
                        VERSION,
                        ProcessHandle.current().pid(),
                        port(),
                        shards.size(),
                        system.cords().size(),
                        clients.get(),
                        isLogged ? 1 : 0,
                        logBytes,
                        commands,
                        topics.count(),
                        supervisor.restarts(),
                        keys,
                        expiring)
                .replace("\n", "\r\n");
    }

    // ---------------------------------------------------------------- the end

    @Override
    public int port() {
        return places.port();
    }

    @Override
    public ObserverOptions shownBy(ObserverOptions observer) {
        return places.shownBy(observer);
    }

    /** Clients first, then what they were told is safe. */
    @Override
    public void close() {
        try (system) {
            places.close();
            for (boolean isSafe : ActorRef.askAll(shards, ShardMessage.Save::new, LIMIT)) {
                if (!isSafe) {
                    LOG.error("not all that was written is safe from a loss of power; see above");
                }
            }
        }
    }
}
