package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.StoreException;

import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Reads the log and the newest snapshot of a server before Ratis does, because Ratis lets some
 * damage pass with a line in a log: it deletes a closed segment of which it reads no entry, takes
 * one that is too short, and takes a snapshot whose digest it cannot read for none.
 *
 * <pre>
 *   current/log_0-99         closed: all entries are there, each with its checksum
 *   current/log_inprogress_100  open: its end may be cut in the middle of an entry, as by kill -9,
 *                               and nothing follows
 *   sm/snapshot.3_80         of the entries up to 80; and snapshot.3_80.md5
 * </pre>
 *
 * The segments follow one another without a gap, and the first one begins at 0 or at the latest
 * behind the snapshot. Rejected: to repair an end that is not cut but zeroed or changed, because it
 * may have been acknowledged.
 */
final class LogFiles {
    private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);

    private final Path root;

    private LogFiles(Path root) {
        this.root = root;
    }

    /** A file of the log; {@code last} is -1 if it is open. */
    private record Segment(Path file, long first, long last) {}

    /**
     * Checks the files below the directory of Ratis, if there are any.
     *
     * @throws StoreException if one is damaged
     */
    static void check(RatisOptions options, Path root) {
        try {
            if (Files.exists(root)) {
                new LogFiles(root).check();
            }
        } catch (IOException | RuntimeException damage) {
            throw new StoreException(
                    options
                            + " is damaged: "
                            + damage.getMessage()
                            + "; restore the whole directory as it was last. The group goes on"
                            + " without this server as long as a majority runs",
                    damage);
        }
    }

    private void check() throws IOException {
        long behind = checkSnapshot() + 1;
        long next = 0;
        boolean isAny = false;
        for (Segment each : segments()) {
            // Entries below the snapshot may be missing.
            if (each.first > Math.max(behind, next) || each.first < next) {
                throw new IOException(
                        each.file
                                + " begins at entry "
                                + each.first
                                + ", expected "
                                + Math.max(behind, next)
                                + ": a file of the log or the snapshot is gone");
            }
            next = checkSegment(each);
            isAny = true;
        }
        Path meta = root.resolve("current").resolve("raft-meta");
        if (isAny && !Files.exists(meta)) {
            throw new IOException(meta + " is gone");
        }
    }

    // ---------------------------------------------------------------- snapshot

    /** The last entry of the newest one; -1 if there is none. */
    private long checkSnapshot() throws IOException {
        Path newest = null;
        long last = -1;
        for (Path each : filesOf("sm")) {
            Matcher name = SimpleStateMachineStorage.SNAPSHOT_REGEX.matcher(nameOf(each));
            if (name.matches() && Long.parseLong(name.group(2)) > last) {
                newest = each;
                last = Long.parseLong(name.group(2));
            }
        }
        if (newest != null) {
            Entries _ = SnapshotFile.read(newest);
            MD5Hash stored = MD5FileUtil.readStoredMd5ForFile(newest.toFile());
            if (!MD5FileUtil.computeMd5ForFile(newest.toFile()).equals(stored)) {
                throw new IOException(newest + ".md5 is damaged: digest=" + stored);
            }
        }
        return last;
    }

    private List<Path> filesOf(String name) throws IOException {
        Path directory = root.resolve(name);
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }

    // ---------------------------------------------------------------- log

    private List<Segment> segments() throws IOException {
        List<Segment> found = new ArrayList<>();
        for (Path each : filesOf("current")) {
            Matcher closed = CLOSED.matcher(nameOf(each));
            Matcher open = OPEN.matcher(nameOf(each));
            if (closed.matches()) {
                long last = Long.parseLong(closed.group(2));
                found.add(new Segment(each, Long.parseLong(closed.group(1)), last));
            } else if (open.matches()) {
                found.add(new Segment(each, Long.parseLong(open.group(1)), -1));
            }
        }
        found.sort(Comparator.comparingLong(Segment::first));
        return found;
    }

    /** The entry that comes behind it. */
    private static long checkSegment(Segment segment) throws IOException {
        boolean isOpen = segment.last < 0;
        long next = segment.first;
        try (DataInputStream in =
                new DataInputStream(
                        new BufferedInputStream(Files.newInputStream(segment.file), 1 << 16))) {
            if (readHeader(in, isOpen)) {
                for (LogEntryProto entry = read(in, isOpen);
                        entry != null;
                        entry = read(in, isOpen)) {
                    if (entry.getIndex() != next) {
                        throw new IOException("entry " + entry.getIndex() + " is not " + next);
                    }
                    next++;
                }
            }
        } catch (IOException | RuntimeException damage) {
            throw new IOException(
                    segment.file + " is damaged behind entry " + (next - 1) + ": " + damage,
                    damage);
        }
        if (!isOpen && next != segment.last + 1) {
            throw new IOException(segment.file + " is damaged: it ends with entry " + (next - 1));
        }
        return next;
    }

    /** False if it is cut, as by a kill while the file was made. */
    private static boolean readHeader(DataInputStream in, boolean isOpen) throws IOException {
        byte[] there = in.readNBytes(HEADER.length);
        boolean isCut = there.length < HEADER.length || isZero(there);
        if (!Arrays.equals(there, HEADER) && !(isOpen && isCut)) {
            throw new IOException("it does not begin as a log");
        }
        return !isCut;
    }

    private static boolean isZero(byte[] bytes) {
        int all = 0;
        for (byte each : bytes) {
            all |= each;
        }
        return all == 0;
    }

    /** Null at the end. An entry is its length, its bytes and the checksum of both. */
    private static @Nullable LogEntryProto read(DataInputStream in, boolean isOpen)
            throws IOException {
        int first = in.read();
        if (first <= 0) {
            checkZeros(in);
            return null;
        }
        try {
            ByteBuffer prefix = ByteBuffer.allocate(5);
            int length = readLength(in, first, prefix);
            byte[] entry = new byte[length];
            in.readFully(entry);
            CRC32C sum = new CRC32C();
            sum.update(prefix.flip());
            sum.update(entry);
            if (in.readInt() != (int) sum.getValue()) {
                throw new IOException("a checksum does not fit");
            }
            return LogEntryProto.parseFrom(entry);
        } catch (EOFException cut) {
            if (!isOpen) {
                throw cut;
            }
            return null;
        }
    }

    /** A file is made longer than it is written. */
    private static void checkZeros(DataInputStream in) throws IOException {
        byte[] rest = new byte[1 << 16];
        for (int count = in.read(rest); count > 0; count = in.read(rest)) {
            if (!isZero(count == rest.length ? rest : Arrays.copyOf(rest, count))) {
                throw new IOException("there are bytes behind its end");
            }
        }
    }

    private static int readLength(DataInputStream in, int first, ByteBuffer prefix)
            throws IOException {
        int length = first & 0x7F;
        prefix.put((byte) first);
        int last = first;
        for (int shift = 7; (last & 0x80) != 0; shift += 7) {
            last = in.readUnsignedByte();
            if (shift > 28) {
                throw new IOException("the length of an entry is too long");
            }
            prefix.put((byte) last);
            length |= (last & 0x7F) << shift;
        }
        if (length <= 0 || length > Properties.MAX_ENTRY) {
            throw new IOException("length=" + length + " of an entry");
        }
        return length;
    }
}
