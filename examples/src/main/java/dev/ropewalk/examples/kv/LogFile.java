package dev.ropewalk.examples.kv;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of commands, as clients send them. Its calls block; one at a time, but that a {@link
 * #sync} may go on beside an {@link #append}.
 *
 * <p>What a kill cut off at its end is cut off for good when that is read. A call that fails leaves
 * the file as it was before, or as it can be mended by the next call: whoever wrote to it goes on
 * with it.
 */
final class LogFile implements AutoCloseable {
    /**
     * A part of it.
     *
     * @param next where the next part begins
     */
    record Part(List<Words> commands, long next, boolean isLast) {}

    private static final Logger LOG = LoggerFactory.getLogger(LogFile.class);
    private static final int PIECE_BYTES = 1 << 20;
    private static final int BUFFER_BYTES = 1 << 16;

    /** Of one that a client sends, with a head for each word. */
    private static final long MAX_COMMAND_BYTES = 80L * 1_024 * 1_024;

    private final Disk disk;
    private final Path path;
    private Disk.Content content;

    /** How long it is with all that was appended; what stands behind them is to be cut off. */
    private long bytes;

    /** Something may stand behind them: an append failed, and so did it to cut that off. */
    private boolean hasRest;

    /** The file has a name that a loss of power may give to the one before it. */
    private boolean isNameUnsafe;

    private LogFile(Disk disk, Path path, Disk.Content content) throws IOException {
        this.disk = disk;
        this.path = path;
        this.content = content;
        this.bytes = content.size();
        this.isNameUnsafe = bytes == 0; // it may be new
    }

    /** Opens it, and makes it if there is none; nobody else can open it then. */
    static LogFile open(Disk disk, Path path) throws IOException {
        Disk.Content content = disk.open(path);
        boolean isOpen = false;
        try {
            LogFile file = new LogFile(disk, path, content);
            file.deleteLeftOver();
            isOpen = true;
            return file;
        } finally {
            if (!isOpen) {
                content.close();
            }
        }
    }

    /** Of a process that was killed while it rewrote the log. */
    private void deleteLeftOver() {
        try {
            disk.delete(beside());
        } catch (IOException e) {
            LOG.warn("{} is left over, and cannot be deleted: {}", beside(), e.toString());
        }
    }

    /** For the file that is to take its place. */
    private Path beside() {
        return path.resolveSibling(path.getFileName() + ".new");
    }

    // ---------------------------------------------------------------- reading

    /**
     * Reads on.
     *
     * @param from 0, or where the part before ended
     * @param most so many bytes, and the command that they end in
     * @throws LogException if it cannot be read, or is damaged, which leaves it as it is
     */
    Part read(long from, int most) throws LogException {
        try {
            return readOrCut(from, most);
        } catch (LogException damaged) {
            throw damaged;
        } catch (IOException failed) {
            throw LogException.unreadable(path, failed);
        }
    }

    private Part readOrCut(long from, int most) throws IOException {
        cutRest();
        List<Words> commands = new ArrayList<>();
        long next = from;
        CommandReader reader =
                new CommandReader(new BufferedInputStream(new Input(from), BUFFER_BYTES));
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
            cutOff(next);
        } catch (CommandReader.MalformedException damaged) {
            if (endWithoutZeros(next) == bytes) {
                throw LogException.damaged(
                        path, next, String.valueOf(damaged.getMessage()), damaged);
            }
            cutOff(next);
        }
        return new Part(commands, next, next >= bytes);
    }

    /** Takes away what a kill or a loss of power has left of a command that was not written. */
    private void cutOff(long at) throws IOException {
        long end = endWithoutZeros(at);
        if (end - at > MAX_COMMAND_BYTES) {
            throw LogException.damaged(
                    path, at, (end - at) + " bytes are more than a command has", null);
        }
        byte[] torn = new Input(at).readNBytes((int) (end - at));
        int whole = TornEnd.wholeCommand(torn);
        if (whole >= 0) {
            throw LogException.damaged(
                    path,
                    at,
                    "the command there is not whole, but one behind it is, at byte " + (at + whole),
                    null);
        }
        long count = bytes - at;
        content.truncate(at);
        bytes = at;
        LOG.warn(
                "{}: cut off behind byte {}, bytes={}: a part of a command that was not written to"
                        + " its end",
                path,
                at,
                count);
    }

    /** A command ends with a line end; zeros are what a loss of power makes of bytes. */
    private long endWithoutZeros(long from) throws IOException {
        byte[] piece = new byte[BUFFER_BYTES];
        for (long end = bytes; end > from; ) {
            long at = Math.max(from, end - piece.length);
            int count = new Input(at).readNBytes(piece, 0, (int) (end - at));
            for (int i = count - 1; i >= 0; i--) {
                if (piece[i] != 0) {
                    return at + i + 1;
                }
            }
            end = at;
        }
        return from;
    }

    /** Of what was appended. */
    private final class Input extends InputStream {
        private long at;

        Input(long from) {
            this.at = from;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] to, int from, int count) throws IOException {
            int most = (int) Math.min(count, bytes - at);
            if (most <= 0) {
                return -1;
            }
            int got = content.read(ByteBuffer.wrap(to, from, most), at);
            at += Math.max(got, 0);
            return got;
        }
    }

    // ---------------------------------------------------------------- writing

    /**
     * Appends all or, if it fails, nothing: what was written of it is cut off again.
     *
     * @param isSafe also makes it safe from a loss of power
     */
    void append(byte[] more, boolean isSafe) throws IOException {
        cutRest();
        hasRest = true;
        try {
            content.write(ByteBuffer.wrap(more), bytes);
            if (isSafe) {
                sync();
            }
        } catch (IOException failed) {
            try {
                cutRest();
            } catch (IOException later) {
                failed.addSuppressed(later);
            }
            throw failed;
        }
        hasRest = false;
        bytes += more.length;
    }

    private void cutRest() throws IOException {
        if (hasRest) {
            content.truncate(bytes);
            hasRest = false;
        }
    }

    /**
     * Makes what was appended safe from a loss of power. If that fails nobody knows what of it is
     * safe, also if it succeeds the next time, because the system may have given up what it could
     * not write: then only {@link #replace} helps.
     */
    void sync() throws IOException {
        if (isNameUnsafe) {
            disk.forceName(path);
            isNameUnsafe = false;
        }
        content.force();
    }

    /**
     * Puts something else in the place of all that it has, at once or not at all. The next {@link
     * #sync} makes that safe from a loss of power if this could not.
     *
     * @throws IOException if it has what it had, and nothing is left over
     */
    void replace(List<Words> commands) throws IOException {
        Path beside = beside();
        Disk.Content next = disk.create(beside);
        long length;
        try {
            length = writeAll(commands, next);
            next.force();
            disk.move(beside, path);
        } catch (IOException failed) {
            discard(next, beside, failed);
            throw failed;
        }
        Disk.Content before = content;
        content = next;
        bytes = length;
        hasRest = false;
        isNameUnsafe = true;
        try (before) {
            disk.forceName(path);
            isNameUnsafe = false;
        } catch (IOException e) {
            LOG.warn("{}: its name is not safe from a loss of power: {}", path, e.toString());
        }
    }

    private static long writeAll(List<Words> commands, Disk.Content to) throws IOException {
        long at = 0;
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        for (Words each : commands) {
            encode(each, piece);
            if (piece.size() >= PIECE_BYTES) {
                to.write(ByteBuffer.wrap(piece.toByteArray()), at);
                at += piece.size();
                piece.reset();
            }
        }
        to.write(ByteBuffer.wrap(piece.toByteArray()), at);
        return at + piece.size();
    }

    private void discard(Disk.Content next, Path beside, IOException failed) {
        try (next) {
            disk.delete(beside);
        } catch (IOException later) {
            failed.addSuppressed(later);
        }
    }

    @Override
    public void close() {
        try (Disk.Content last = content) {
            if (hasRest) {
                last.truncate(bytes);
            }
        } catch (IOException e) {
            LOG.warn(
                    "{}: what was refused may stand behind byte {}: {}", path, bytes, e.toString());
        }
    }

    // ---------------------------------------------------------------- what it is made of

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
