package dev.ropewalk.examples.kv;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** The file system of the machine. */
final class SystemDisk implements Disk {
    private static final Set<OpenOption> ANY =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private static final Set<OpenOption> EMPTY =
            Set.of(
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);

    /** The lock ends with the channel. */
    private record Channel(FileChannel channel) implements Content {
        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            return channel.read(to, at);
        }

        @Override
        public void write(ByteBuffer from, long at) throws IOException {
            long next = at;
            while (from.hasRemaining()) {
                next += channel.write(from, next);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    @Override
    public Content open(Path path) throws IOException {
        return locked(path, ANY);
    }

    @Override
    public Content create(Path path) throws IOException {
        return locked(path, EMPTY);
    }

    private static Content locked(Path path, Set<OpenOption> options) throws IOException {
        FileChannel opened = FileChannel.open(path, options);
        boolean isOurs = false;
        try {
            isOurs = lock(opened) != null;
        } finally {
            if (!isOurs) {
                opened.close();
            }
        }
        if (!isOurs) {
            throw new IOException(path + " is in use");
        }
        return new Channel(opened);
    }

    private static @Nullable FileLock lock(FileChannel opened) throws IOException {
        try {
            return opened.tryLock();
        } catch (OverlappingFileLockException thisProcess) {
            return null;
        }
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public boolean delete(Path path) throws IOException {
        return Files.deleteIfExists(path);
    }

    @Override
    public void forceName(Path path) throws IOException {
        try (FileChannel folder = FileChannel.open(path.toAbsolutePath().getParent())) {
            folder.force(true);
        }
    }
}
