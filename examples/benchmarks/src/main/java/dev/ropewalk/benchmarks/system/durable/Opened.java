package dev.ropewalk.benchmarks.system.durable;

import dev.ropewalk.actors.cluster.jdbc.JdbcOptions;
import dev.ropewalk.actors.cluster.jdbc.JdbcStore;
import dev.ropewalk.actors.cluster.ratis.RatisOptions;
import dev.ropewalk.actors.cluster.ratis.RatisStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.benchmarks.scenario.Program;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A store in a folder of its own, which is deleted in the end, or in a database that is there. */
final class Opened implements AutoCloseable {
    /** The address of a database for the rows of PostgreSQL, in the environment of each JVM. */
    private static final String POSTGRESQL = "BENCHMARKS_POSTGRESQL";

    static final String SQLITE_FILE = "store.db";
    private static final int SERVERS = 3;

    private final Path folder;
    private final List<Store> stores;

    private Opened(Path folder, List<Store> stores) {
        this.folder = folder;
        this.stores = stores;
    }

    /** By the names of the scenarios; of a database only where one is given. */
    static Map<String, Program> programs(Program sqlite, Program ratis, Program postgresql) {
        Map<String, Program> all = new TreeMap<>();
        all.put("durable_sqlite", sqlite);
        all.put("durable_ratis", ratis);
        if (System.getenv(POSTGRESQL) != null) {
            all.put("durable_postgresql", postgresql);
        }
        return all;
    }

    static Opened sqlite() {
        Path folder = newFolder();
        JdbcOptions options = JdbcOptions.sqlite(folder.resolve(SQLITE_FILE));
        return new Opened(folder, List.of(JdbcStore.open(options)));
    }

    static Opened postgresql() {
        return new Opened(
                newFolder(), List.of(JdbcStore.open(JdbcOptions.postgresql(postgresqlUrl()))));
    }

    static String postgresqlUrl() {
        String url = System.getenv(POSTGRESQL);
        if (url == null) {
            throw new IllegalStateException(
                    "no database: set "
                            + POSTGRESQL
                            + "=jdbc:postgresql://127.0.0.1/postgres?user=postgres");
        }
        return url;
    }

    /** A group of three in this process. */
    static Opened ratis() {
        Path folder = newFolder();
        Map<String, String> group = freeAddresses();
        List<Store> stores = new ArrayList<>();
        group.keySet()
                .forEach(
                        name ->
                                stores.add(
                                        RatisStore.open(
                                                RatisOptions.of(
                                                        name, group, folder.resolve(name)))));
        return new Opened(folder, stores);
    }

    static Path newFolder() {
        try {
            return Files.createTempDirectory("benchmarks");
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static Map<String, String> freeAddresses() {
        Map<String, String> all = new TreeMap<>();
        List<ServerSocket> free = new ArrayList<>();
        try {
            for (int i = 1; i <= SERVERS; i++) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                free.add(socket);
                all.put("n" + i, "127.0.0.1:" + socket.getLocalPort());
            }
            for (ServerSocket each : free) {
                each.close();
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        return all;
    }

    /** Of this run alone: of letters and digits. */
    String name() {
        return folder.getFileName().toString();
    }

    /** The first one, if there are several. */
    Store store() {
        return stores.getFirst();
    }

    @Override
    public void close() {
        stores.forEach(Store::close);
        delete(folder);
    }

    static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(each -> each.toFile().delete());
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
