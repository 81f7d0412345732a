package dev.ropewalk.examples.kv;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of commands, as clients send them. What a kill cut off at its end is cut off for good when
 * that is read. Its calls block; one at a time.
 */
final class LogFile implements AutoCloseable {
    /**
     * A part of it.
     *
     * @param next where the next part begins
     */
    record Part(List<Words> commands, long next, boolean isLast) {}

    private final Path path;
    private FileChannel channel;
    private long bytes;

    private LogFile(Path path, FileChannel channel) throws IOException {
        this.path = path;
        this.channel = channel;
        this.bytes = channel.size();
    }

    /** Opens it, and makes it if there is none; nobody else can open it then. */
    static LogFile open(Path path) throws IOException {
        return new LogFile(path, channel(path));
    }

    private static FileChannel channel(Path path) throws IOException {
        FileChannel opened =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        FileLock lock;
        try {
            lock = opened.tryLock();
        } catch (OverlappingFileLockException thisProcess) {
            lock = null;
        }
        if (lock == null) {
            opened.close();
            throw new IOException(path + " is in use");
        }
        return opened;
    }

    /**
     * Reads on.
     *
     * @param from 0, or where the part before ended
     * @param most so many bytes, and the command that they end in
     */
    Part read(long from, int most) throws IOException {
        List<Words> commands = new ArrayList<>();
        long next = from;
        channel.position(from);
        CommandReader reader =
                new CommandReader(
                        new BufferedInputStream(Channels.newInputStream(channel), 1 << 16));
        try {
            while (next - from < most) {
                Words command = reader.next();
                if (command == null) {
                    break;
                }
                commands.add(command);
                next = from + reader.position();
            }
        } catch (EOFException torn) {
            // The process was killed while it wrote this one, which was not acknowledged.
            channel.truncate(next);
            bytes = next;
        } catch (IOException damaged) {
            throw new IOException(
                    path + " is damaged behind byte " + next + ": " + damaged.getMessage(),
                    damaged);
        }
        return new Part(commands, next, next >= bytes);
    }

    /** Appends all. If that fails, the file has a torn end, and is to be closed. */
    void append(byte[] content) throws IOException {
        channel.position(bytes);
        writeAll(channel, content);
        bytes += content.length;
    }

    /** Makes what was appended safe from a loss of power. */
    void sync() throws IOException {
        channel.force(false);
    }

    /** Puts something else in the place of all that it has, at once or not at all. */
    void replace(byte[] content) throws IOException {
        Path whole = path.resolveSibling(path.getFileName() + ".new");
        try (FileChannel to =
                FileChannel.open(
                        whole,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            writeAll(to, content);
            to.force(true);
        }
        Files.move(whole, path, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(path.toAbsolutePath().getParent())) {
            folder.force(true); // its name is safe as well
        }
        FileChannel old = channel;
        channel = channel(path);
        bytes = channel.size();
        old.close();
    }

    private static void writeAll(FileChannel to, byte[] content) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(content);
        while (left.hasRemaining()) {
            to.write(left);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** As a client would send it. */
    static void encode(Words command, ByteArrayOutputStream to) {
        line('*', command.count(), to);
        for (byte[] each : command.all()) {
            line('$', each.length, to);
            to.writeBytes(each);
            to.write('\r');
            to.write('\n');
        }
    }

    private static void line(char kind, int number, ByteArrayOutputStream to) {
        to.write(kind);
        to.writeBytes(Reply.bytes(Integer.toString(number)));
        to.write('\r');
        to.write('\n');
    }
}
