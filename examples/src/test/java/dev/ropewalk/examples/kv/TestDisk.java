package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/**
 * A disk in memory that fails when it is told to, is full, or dies with its process. It knows what
 * a kill leaves and what a loss of power leaves: a name is safe when it was forced, and bytes when
 * they were, but for those that a force has failed for, which the system gives up.
 */
final class TestDisk implements Disk {
    /** What becomes of a step. */
    enum Fault {
        NONE,
        FAIL,

        /** This step and all that follow. */
        DIE
    }

    /** Which steps fail. */
    interface Plan {
        /**
         * Asked before each step.
         *
         * @param number from 1 on
         * @throws IOException fails it in a way of its own
         */
        Fault of(int number, String step) throws IOException;
    }

    /** As the system says it of a file that is open. */
    static final class NamelessException extends IOException {
        private static final long serialVersionUID = 1L;

        NamelessException() {
            super("Input/output error");
        }
    }

    /** A file, however many names it has. */
    private static final class Node {
        private byte[] bytes = new byte[0];
        private byte[] safe = new byte[0];
        private BitSet dirty = new BitSet();
        private boolean isOpen;
    }

    private final Map<Path, Node> names = new HashMap<>();
    private final Map<Path, Node> safeNames = new HashMap<>();
    private final Random random;
    private Plan plan = (_, _) -> Fault.NONE;
    private long capacity = Long.MAX_VALUE;
    private volatile @Nullable CountDownLatch forcesHeld;
    private int steps;
    private int moves;
    private boolean isDead;
    private final List<String> failures = new ArrayList<>();

    TestDisk(long seed) {
        random = new Random(seed);
    }

    // ---------------------------------------------------------------- for tests

    synchronized void plan(Plan next) {
        plan = next;
    }

    /** All steps that begin so fail, until the next plan. */
    void fail(String... some) {
        plan((_, step) -> Arrays.stream(some).anyMatch(step::startsWith) ? Fault.FAIL : Fault.NONE);
    }

    void heal() {
        plan((_, _) -> Fault.NONE);
        capacity(Long.MAX_VALUE);
    }

    /** Whoever forces a file waits for it from now on; null for no longer. */
    void holdForces(@Nullable CountDownLatch until) {
        forcesHeld = until;
    }

    /** Of all files that have a name. */
    synchronized void capacity(long bytes) {
        capacity = bytes;
    }

    synchronized int steps() {
        return steps;
    }

    /** How many files took the place of another one. */
    synchronized int moves() {
        return moves;
    }

    synchronized boolean isDead() {
        return isDead;
    }

    synchronized List<String> failures() {
        return List.copyOf(failures);
    }

    synchronized long used() {
        return names.values().stream().mapToLong(each -> each.bytes.length).sum();
    }

    synchronized boolean has(Path path) {
        return names.containsKey(path);
    }

    synchronized byte[] bytes(Path path) {
        return node(path).bytes.clone();
    }

    private Node node(Path path) {
        Node node = names.get(path);
        if (node == null) {
            throw new IllegalArgumentException(path + " is none of " + names.keySet());
        }
        return node;
    }

    synchronized void put(Path path, byte[] bytes) {
        Node node = new Node();
        node.bytes = bytes.clone();
        node.safe = bytes.clone();
        names.put(path, node);
        safeNames.put(path, node);
    }

    /** What another process finds when this one was killed. */
    synchronized TestDisk afterKill() {
        TestDisk next = new TestDisk(random.nextLong());
        names.forEach((path, node) -> next.put(path, node.bytes));
        return next;
    }

    /** What another process finds after a loss of power; names and bytes may be safe unforced. */
    synchronized TestDisk afterPowerLoss() {
        TestDisk next = new TestDisk(random.nextLong());
        (random.nextBoolean() ? names : safeNames)
                .forEach((path, node) -> next.put(path, leftOf(node)));
        return next;
    }

    private byte[] leftOf(Node node) {
        if (random.nextBoolean()) {
            return node.safe;
        }
        byte[] left = Arrays.copyOf(node.safe, node.bytes.length);
        int written = random.nextInt(node.bytes.length + 1);
        for (int i = 0; i < written; i++) {
            left[i] = node.dirty.get(i) ? node.bytes[i] : left[i];
        }
        return left;
    }

    // ---------------------------------------------------------------- as a disk

    private void step(String what) throws IOException {
        steps++;
        Fault fault = isDead ? Fault.DIE : plan.of(steps, what);
        isDead |= fault == Fault.DIE;
        if (fault != Fault.NONE) {
            failures.add(what);
            throw new IOException("the test lets fail: " + what);
        }
    }

    @Override
    public synchronized Content open(Path path) throws IOException {
        step("open " + path);
        return opened(path, names.computeIfAbsent(path, _ -> new Node()));
    }

    @Override
    public synchronized Content create(Path path) throws IOException {
        step("create " + path);
        Node node = new Node();
        names.put(path, node);
        return opened(path, node);
    }

    private Content opened(Path path, Node node) throws IOException {
        if (node.isOpen) {
            throw new IOException(path + " is in use");
        }
        node.isOpen = true;
        return new Opened(path, node);
    }

    @Override
    public synchronized void move(Path from, Path to) throws IOException {
        step("move " + from);
        @Nullable Node moved = names.remove(from);
        if (moved == null) {
            throw new NoSuchFileException(from.toString());
        }
        names.put(to, moved);
        moves++;
    }

    @Override
    public synchronized boolean delete(Path path) throws IOException {
        step("delete " + path);
        return names.remove(path) != null;
    }

    @Override
    public synchronized void forceName(Path path) throws IOException {
        step("forceName " + path);
        safeNames.clear();
        safeNames.putAll(names);
    }

    /** A file that is open. */
    private final class Opened implements Content {
        private final Path path;
        private final Node node;

        Opened(Path path, Node node) {
            this.path = path;
            this.node = node;
        }

        @Override
        public long size() {
            synchronized (TestDisk.this) {
                return node.bytes.length;
            }
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            synchronized (TestDisk.this) {
                step("read " + path);
                int count = (int) Math.min(to.remaining(), node.bytes.length - at);
                if (count <= 0) {
                    return -1;
                }
                to.put(node.bytes, (int) at, count);
                return count;
            }
        }

        /** One that fails has written a part. */
        @Override
        public void write(ByteBuffer from, long at) throws IOException {
            synchronized (TestDisk.this) {
                try {
                    step("write " + path);
                } catch (IOException failed) {
                    put(from, at, random.nextInt(from.remaining() + 1));
                    throw failed;
                }
                long room = capacity - used() + Math.max(0, node.bytes.length - at);
                if (room < from.remaining()) {
                    put(from, at, (int) Math.max(0, room));
                    throw new IOException("No space left on the disk of the test");
                }
                put(from, at, from.remaining());
            }
        }

        private void put(ByteBuffer from, long at, int count) {
            int end = (int) at + count;
            node.bytes = Arrays.copyOf(node.bytes, Math.max(node.bytes.length, end));
            from.get(node.bytes, (int) at, count);
            node.dirty.set((int) at, end);
        }

        @Override
        public void truncate(long size) throws IOException {
            synchronized (TestDisk.this) {
                step("truncate " + path);
                node.bytes = Arrays.copyOf(node.bytes, (int) Math.min(size, node.bytes.length));
                node.dirty.clear(node.bytes.length, Integer.MAX_VALUE);
            }
        }

        @Override
        public void force() throws IOException {
            CountDownLatch until = forcesHeld;
            if (until != null) {
                try {
                    until.await();
                } catch (InterruptedException e) {
                    throw new InterruptedIOException();
                }
            }
            synchronized (TestDisk.this) {
                BitSet written = node.dirty;
                node.dirty = new BitSet();
                step("force " + path);
                byte[] safe = Arrays.copyOf(node.safe, node.bytes.length);
                for (int i = written.nextSetBit(0); i >= 0; i = written.nextSetBit(i + 1)) {
                    safe[i] = node.bytes[i];
                }
                node.safe = safe;
            }
        }

        @Override
        public void close() {
            synchronized (TestDisk.this) {
                node.isOpen = false;
            }
        }
    }
}
