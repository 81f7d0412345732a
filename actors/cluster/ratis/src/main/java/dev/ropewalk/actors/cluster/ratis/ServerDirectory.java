package dev.ropewalk.actors.cluster.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.StoreException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * The directory of one server, which this process has alone: a file {@code lock}, a file {@code
 * server} that says whose it is, and a directory of Ratis. Made if it is not there.
 *
 * <p>Ratis has a lock, too, and no name of the server: a directory that went to another server
 * would vote for both.
 */
final class ServerDirectory implements AutoCloseable {
    private final RatisOptions options;
    private final Path root;
    private final FileChannel lock;

    private ServerDirectory(RatisOptions options, FileChannel lock) {
        this.options = options;
        this.root = options.directory();
        this.lock = lock;
    }

    /** The group in the words of Ratis. */
    static UUID idOf(String group) {
        return UUID.nameUUIDFromBytes(("ropewalk/" + group).getBytes(UTF_8));
    }

    static ServerDirectory open(RatisOptions options) {
        FileChannel lock = null;
        boolean isOpen = false;
        try {
            Files.createDirectories(options.directory());
            lock = lockOf(options);
            ServerDirectory made = new ServerDirectory(options, lock);
            made.checkOwner();
            LogFiles.check(options, made.ofRatis());
            isOpen = true;
            return made;
        } catch (IOException failure) {
            throw new StoreException(
                    options
                            + " cannot be opened: "
                            + failure
                            + "; give a directory that this process may write to",
                    failure);
        } finally {
            if (lock != null && !isOpen) {
                closeQuietly(lock);
            }
        }
    }

    private static FileChannel lockOf(RatisOptions options) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        options.directory().resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            isLocked = channel.tryLock() != null;
        } catch (OverlappingFileLockException here) {
            isLocked = false;
        } finally {
            if (!isLocked) {
                channel.close();
            }
        }
        if (!isLocked) {
            throw new StoreException(
                    options
                            + " cannot be opened: another process or store has the directory open;"
                            + " give each a directory of its own",
                    null);
        }
        return channel;
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException ignored) {
            // It has nothing that could be lost.
        }
    }

    /** Where Ratis has its log and its snapshots. */
    Path ofRatis() {
        return root.resolve(idOf(options.group()).toString());
    }

    private void checkOwner() throws IOException {
        Path file = root.resolve("server");
        String owner = ownerOf(options);
        String there = Files.exists(file) ? Files.readString(file) : null;
        if (there != null && !there.equals(owner)) {
            throw new StoreException(
                    options
                            + " cannot be opened: the directory is of another server or group, or"
                            + " the servers are others: there="
                            + inOneLine(there)
                            + ", options="
                            + inOneLine(owner)
                            + "; give the options that it was made with, or a directory of its own",
                    null);
        }
        if (there == null) {
            checkNew();
            write(file, owner);
        }
    }

    private static String ownerOf(RatisOptions options) {
        StringBuilder text = new StringBuilder("format 1\n");
        text.append("group ").append(options.group()).append('\n');
        text.append("server ").append(options.server()).append('\n');
        options.servers()
                .forEach((name, at) -> text.append(name).append(" at ").append(at).append('\n'));
        return text.toString();
    }

    private static String inOneLine(String text) {
        return '"' + text.strip().replace('\n', ';') + '"';
    }

    private void checkNew() throws IOException {
        if (Files.exists(ofRatis())) {
            throw new StoreException(
                    options
                            + " is damaged: the file "
                            + root.resolve("server")
                            + " is gone; restore the whole directory",
                    null);
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path beside = file.resolveSibling("server.part");
        try (FileChannel channel =
                FileChannel.open(
                        beside,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            for (var bytes = UTF_8.encode(text); bytes.hasRemaining(); ) {
                int _ = channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
        @Nullable Path parent = file.getParent();
        if (parent != null) {
            SnapshotFile.force(parent);
        }
    }

    @Override
    public void close() {
        closeQuietly(lock);
    }
}
