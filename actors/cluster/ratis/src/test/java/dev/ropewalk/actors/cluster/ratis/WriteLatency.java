package dev.ropewalk.actors.cluster.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Waits;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Says how long a write of 100 bytes takes, and a read: three servers in three JVMs, by this one,
 * which leads or not. Run it by hand, on a quiet machine:
 *
 * <pre>
 *   java @ropewalk.args -Dropewalk.args.file=ropewalk.args -cp ... dev.ropewalk.actors.cluster.ratis.WriteLatency
 * </pre>
 */
final class WriteLatency {
    private static final long ROUND_NS = 5_000_000_000L;

    private WriteLatency() {}

    /** A directory for the files, if not the default one. */
    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);
        Path folder =
                arguments.length == 0
                        ? Files.createTempDirectory("latency")
                        : Path.of(arguments[0]);
        Servers servers = new Servers(folder, options -> options);
        try (RatisProcess _ = other(servers, folder, "n2");
                RatisProcess _ = other(servers, folder, "n3");
                RatisStore store = servers.open("n1")) {
            Servers.write(store, "warm", new byte[100]);
            for (int round = 0; round < 3; round++) {
                out.println("n1 writes, led by " + store.server().leader());
                for (int writers : new int[] {1, 64}) {
                    out.println("  " + writers + " writers: " + measure(store, writers, true));
                    out.println("  " + writers + " readers: " + measure(store, writers, false));
                }
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static RatisProcess other(Servers servers, Path folder, String name)
            throws IOException {
        return new RatisProcess(servers.options(name), folder.resolve("errors-" + name), "waits");
    }

    private static String measure(Store store, int fibers, boolean isWriting) {
        List<Long> all = new ArrayList<>();
        long endNs = Waits.nanoTime() + ROUND_NS;
        try (Cord cord = Cord.start("measures")) {
            List<Fiber<?>> running = new ArrayList<>();
            for (int i = 0; i < fibers; i++) {
                String key = "key" + i;
                running.add(cord.spin("measures", () -> run(store, key, isWriting, endNs, all)));
            }
            running.forEach(Fiber::await);
        }
        all.sort(Long::compare);
        return all.size() * 1_000_000_000L / ROUND_NS
                + " a second, median "
                + at(all, 0.5)
                + " us, 99 % "
                + at(all, 0.99)
                + " us";
    }

    private static long at(List<Long> sorted, double part) {
        return sorted.get((int) (part * (sorted.size() - 1))) / 1_000;
    }

    /** The list is of the one cord. */
    private static void run(
            Store store, String key, boolean isWriting, long endNs, List<Long> all) {
        long revision = store.read(key).revision();
        for (long before = Waits.nanoTime(); before < endNs; ) {
            if (!isWriting) {
                store.read(key);
            } else if (store.replace(key, revision, new byte[100])
                    instanceof WriteResult.Written(long next)) {
                revision = next;
            } else {
                throw new IllegalStateException(key + " was not written");
            }
            long now = Waits.nanoTime();
            all.add(now - before);
            before = now;
        }
    }
}
