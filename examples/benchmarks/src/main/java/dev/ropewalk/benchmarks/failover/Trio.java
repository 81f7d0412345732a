package dev.ropewalk.benchmarks.failover;

import dev.ropewalk.benchmarks.measure.Stopwatch;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A cluster of three processes on this machine, and the lines that they print. It waits for nothing
 * without a limit. Confined to a thread.
 */
final class Trio implements AutoCloseable {
    static final int NODES = 3;

    private static final Duration READY_LIMIT = Duration.ofSeconds(90);

    private final Path folder;
    private final List<MemberProcess> members = new ArrayList<>();
    private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();

    /** Those that were killed, or told to leave. */
    private final Set<MemberProcess> told = new HashSet<>();

    private boolean isBroken;

    /** Of a process. */
    record Line(MemberProcess by, String text) {
        String[] words() {
            return text.split(" ", -1);
        }
    }

    /** Starts them, and waits until all are ready. */
    Trio(Subject subject) throws IOException, InterruptedException {
        folder = Files.createTempDirectory("ropewalk-failover");
        boolean isReady = false;
        try {
            List<Integer> ports = freePorts();
            for (int place = 0; place < NODES; place++) {
                MemberSettings settings =
                        new MemberSettings(place, subject.stableAfter(), folder, ports);
                members.add(
                        new MemberProcess(
                                subject.main(),
                                settings,
                                (by, text) -> lines.add(new Line(by, text))));
            }
            for (int place = 0; place < NODES; place++) {
                await(Console.READY, READY_LIMIT);
            }
            isReady = true;
        } finally {
            if (!isReady) {
                close();
            }
        }
    }

    private static List<Integer> freePorts() throws IOException {
        List<ServerSocket> free = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            free.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        }
        List<Integer> ports = free.stream().map(ServerSocket::getLocalPort).toList();
        for (ServerSocket each : free) {
            each.close();
        }
        return ports;
    }

    MemberProcess member(int place) {
        return members.get(place);
    }

    /** Kill -9. */
    void kill(MemberProcess member) {
        told.add(member);
        member.strike();
    }

    /** Its process ends then. */
    void leave(MemberProcess member) {
        told.add(member);
        member.say(Console.LEAVE);
    }

    /** The next line; null if none comes within the limit. */
    @Nullable Line next(Duration limit) throws IOException, InterruptedException {
        Line line = lines.poll(Math.max(0, limit.toNanos()), TimeUnit.NANOSECONDS);
        if (line == null) {
            return null;
        }
        boolean isEnd = line.text().equals(MemberProcess.ENDED);
        if (isEnd && !told.contains(line.by())) {
            throw broken(line.by() + " has ended by itself");
        }
        if (line.text().startsWith(Console.WRONG)) {
            throw broken(line.by() + " says " + line.text());
        }
        return line;
    }

    /** The words of the next line that begins so; others are lost. */
    String[] await(String word, Duration limit) throws IOException, InterruptedException {
        Stopwatch since = new Stopwatch();
        while (true) {
            Line line = next(limit.minusNanos(since.elapsedNs()));
            if (line == null) {
                throw broken("the line \"" + word + "\" has not come within " + limit);
            }
            if (line.words()[0].equals(word)) {
                return line.words();
            }
        }
    }

    /** Waits, and loses the lines that come meanwhile. */
    void rest(Duration time) throws IOException, InterruptedException {
        Stopwatch since = new Stopwatch();
        while (since.elapsedNs() < time.toNanos()) {
            Line _ = next(time.minusNanos(since.elapsedNs()));
        }
    }

    /** The files stay then. */
    IOException broken(String what) {
        isBroken = true;
        return new IOException(what + "; the logs of the processes are in " + folder);
    }

    /** Kills all. */
    @Override
    public void close() {
        members.forEach(MemberProcess::strike); // all, before any is waited for
        members.forEach(MemberProcess::end);
        if (!isBroken) {
            delete();
        }
    }

    private void delete() {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(Trio::deleteOne);
        } catch (IOException | UncheckedIOException inUse) {
            // It is in the folder for temporary files.
        }
    }

    private static void deleteOne(Path file) {
        try {
            Files.delete(file);
        } catch (IOException inUse) {
            throw new UncheckedIOException(inUse);
        }
    }
}
