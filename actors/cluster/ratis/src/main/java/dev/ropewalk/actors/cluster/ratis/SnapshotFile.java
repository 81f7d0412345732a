package dev.ropewalk.actors.cluster.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;

import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.util.MD5FileUtil;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * All entries in a file: a magic number, how many there are, each, and a checksum over all that. It
 * has its name when it is whole and on the disk.
 */
final class SnapshotFile {
    /** "Rope" and the version of the format. */
    private static final long MAGIC = 0x526F_7065_0000_0001L;

    private SnapshotFile() {}

    /**
     * Writes it beside, forces it to the disk, and gives it its name. Its digest, by which Ratis
     * sends it to other servers, is there before.
     */
    static MD5Hash write(Path file, Entries entries) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".part");
        try (FileChannel channel =
                FileChannel.open(
                        beside,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            writeTo(Channels.newOutputStream(channel), entries);
            channel.force(true);
        }
        MD5Hash digest = MD5FileUtil.computeMd5ForFile(beside.toFile());
        MD5FileUtil.saveMD5File(file.toFile(), digest);
        Files.move(
                beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        force(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        return digest;
    }

    private static void writeTo(OutputStream to, Entries entries) throws IOException {
        CheckedOutputStream checked =
                new CheckedOutputStream(new BufferedOutputStream(to, 1 << 16), new CRC32C());
        DataOutputStream out = new DataOutputStream(checked);
        out.writeLong(MAGIC);
        out.writeInt(entries.count());
        for (StoreEntry each : entries.all()) {
            byte[] key = each.key().getBytes(UTF_8);
            out.writeShort(key.length);
            out.write(key);
            out.writeLong(each.revision());
            out.writeInt(each.value().length);
            out.write(each.value());
        }
        out.writeLong(checked.getChecksum().getValue());
        out.flush();
    }

    /** So that the new name survives a loss of power. */
    static void force(Path directory) throws IOException {
        try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
            opened.force(true);
        }
    }

    /** Reads it whole, or fails and says what is wrong. */
    static Entries read(Path file) throws IOException {
        try (CheckedInputStream checked =
                new CheckedInputStream(
                        new BufferedInputStream(Files.newInputStream(file), 1 << 16),
                        new CRC32C())) {
            DataInputStream in = new DataInputStream(checked);
            Entries entries = new Entries();
            if (in.readLong() != MAGIC) {
                throw new IOException("it does not begin as a snapshot");
            }
            int count = in.readInt();
            for (int i = 0; i < count; i++) {
                entries.put(readEntry(in));
            }
            long sum = checked.getChecksum().getValue();
            if (in.readLong() != sum || in.read() != -1 || entries.count() != count) {
                throw new IOException("its checksum does not fit");
            }
            return entries;
        } catch (IOException | RuntimeException failure) {
            throw new IOException(
                    "the snapshot " + file + " is damaged: " + failure.getMessage(), failure);
        }
    }

    private static StoreEntry readEntry(DataInputStream in) throws IOException {
        int keyLength = in.readUnsignedShort();
        String key = new String(exactly(in, keyLength, Store.MAX_KEY), UTF_8);
        long revision = in.readLong();
        byte[] value = exactly(in, in.readInt(), Store.MAX_VALUE);
        return new StoreEntry(key, revision, value);
    }

    private static byte[] exactly(DataInputStream in, int length, int max) throws IOException {
        if (length < 0 || length > max) {
            throw new IOException("length=" + length + " is not from 0 to " + max);
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }
}
