package dev.ropewalk.actors.cluster.ratis;

import static org.awaitility.Awaitility.await;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Servers n1 to n3 of a group, in this process, each with a port of loopback and a directory. */
final class Servers implements AutoCloseable {
    static final List<String> NAMES = List.of("n1", "n2", "n3");

    private final Path folder;
    private final Map<String, String> addresses;
    private final UnaryOperator<RatisOptions> with;
    private final Map<String, RatisStore> open = new LinkedHashMap<>();

    Servers(Path folder, UnaryOperator<RatisOptions> with) throws IOException {
        this.folder = folder;
        this.addresses = addresses(NAMES);
        this.with = with;
    }

    /** Free ports of loopback. */
    static Map<String, String> addresses(List<String> names) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        List<ServerSocket> free = new ArrayList<>();
        for (String each : names) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            free.add(socket);
            all.put(each, "127.0.0.1:" + socket.getLocalPort());
        }
        for (ServerSocket each : free) {
            each.close();
        }
        return all;
    }

    Map<String, String> addresses() {
        return addresses;
    }

    RatisOptions options(String name) {
        return with.apply(RatisOptions.of(name, addresses, folder.resolve(name)));
    }

    /** The directory in which Ratis has the files of a server. */
    Path ofRatis(String name) {
        RatisOptions options = options(name);
        return options.directory().resolve(ServerDirectory.idOf(options.group()).toString());
    }

    Servers openAll() {
        NAMES.forEach(this::open);
        return this;
    }

    RatisStore open(String name) {
        RatisStore made = RatisStore.open(options(name));
        open.put(name, made);
        return made;
    }

    RatisStore get(String name) {
        RatisStore there = open.get(name);
        if (there == null) {
            throw new IllegalStateException(name + " is not open");
        }
        return there;
    }

    void close(String name) {
        RatisStore there = open.remove(name);
        if (there != null) {
            there.close();
        }
    }

    /** The name of that which leads; waits for one. */
    String leader() {
        return await().atMost(Duration.ofSeconds(20))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(
                        () ->
                                open.entrySet().stream()
                                        .filter(each -> isLeader(each.getKey(), each.getValue()))
                                        .map(Map.Entry::getKey)
                                        .findFirst()
                                        .orElse(""),
                        name -> !name.isEmpty());
    }

    private static boolean isLeader(String name, RatisStore store) {
        return String.valueOf(store.server().leader()).equals(name);
    }

    /** One of the others. */
    String follower() {
        String leader = leader();
        return open.keySet().stream()
                .filter(name -> !name.equals(leader))
                .findFirst()
                .orElseThrow();
    }

    /** Until it is written: an outcome that is unknown is looked up. */
    static long write(Store store, String key, byte[] value) {
        return await().atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .ignoreException(StoreException.class)
                .until(
                        () -> {
                            StoreEntry now = store.read(key);
                            return store.replace(key, now.revision(), value)
                                            instanceof WriteResult.Written(long revision)
                                    ? revision
                                    : 0L;
                        },
                        revision -> revision > 0);
    }

    /** Until it is read. */
    static StoreEntry read(Store store, String key) {
        return await().atMost(Duration.ofSeconds(30))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .ignoreException(StoreException.class)
                .until(() -> store.read(key), entry -> true);
    }

    void checkInvariants() {
        for (RatisStore each : open.values()) {
            each.checkInvariants();
        }
    }

    /** All at once, because the log of Ratis takes a second to end. */
    @Override
    public void close() {
        List<Thread> closing =
                open.values().stream()
                        .map(each -> Thread.ofPlatform().daemon().start(each::close))
                        .toList();
        open.clear();
        for (Thread each : closing) {
            try {
                each.join();
            } catch (InterruptedException again) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
