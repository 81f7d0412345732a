package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/** The lines of a file that grows, as log files do, and is shortened or replaced now and then. */
final class FollowedFile implements Feeds.Batches {
    /** How often a file that is replaced while it is opened is opened at once again. */
    private static final int MAX_OPENS = 10;

    private final Path file;
    private final LongConsumer malformed;

    /** Null while there is no file. */
    private @Nullable Opened opened;

    /** Of the files before; the lines are numbered on. */
    private long linesBefore;

    FollowedFile(Path file, LongConsumer malformed) {
        this.file = file;
        this.malformed = malformed;
    }

    /** A file that had the name. */
    private record Opened(FileChannel channel, Lines lines, @Nullable Object key) {}

    @Override
    public List<String> read() throws IOException {
        if (opened == null) {
            opened = open();
        }
        Opened current = opened;
        if (current == null) {
            return List.of();
        }
        List<String> batch = linesOf(current);
        if (!batch.isEmpty() || !isOver(current)) {
            return batch;
        }
        // The bytes appended between that read and the file's replacement.
        List<String> last = linesOf(current);
        return last.isEmpty() ? leave(current) : last;
    }

    private static List<String> linesOf(Opened current) throws IOException {
        List<String> batch = current.lines().read();
        return batch == null ? List.of() : batch;
    }

    private List<String> leave(Opened current) throws IOException {
        List<String> rest = current.lines().rest();
        linesBefore = current.lines().count();
        opened = null;
        current.channel().close();
        return rest == null ? List.of() : rest;
    }

    /**
     * The name may be given to another file in between: the key belongs to the opened file if it is
     * the same before and after.
     */
    private @Nullable Opened open() throws IOException {
        try {
            for (int i = 0; i < MAX_OPENS; i++) {
                Object before = keyOfFile();
                FileChannel channel = FileChannel.open(file);
                Opened found = null;
                try {
                    if (Objects.equals(before, keyOfFile())) {
                        found = opened(channel, before);
                    }
                } finally {
                    if (found == null) {
                        channel.close();
                    }
                }
                if (found != null) {
                    return found;
                }
            }
        } catch (NoSuchFileException notYet) {
            // It is looked for again.
        }
        return null;
    }

    private Opened opened(FileChannel channel, @Nullable Object key) {
        Lines lines =
                Lines.followed(
                        Channels.newInputStream(channel), file.toString(), malformed, linesBefore);
        return new Opened(channel, lines, key);
    }

    private @Nullable Object keyOfFile() throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    private boolean isOver(Opened current) throws IOException {
        if (current.channel().size() < current.channel().position()) {
            return true;
        }
        try {
            return !Objects.equals(current.key(), keyOfFile());
        } catch (NoSuchFileException removed) {
            return false; // the next one is not there yet
        }
    }

    @Override
    public void close() throws IOException {
        if (opened != null) {
            opened.channel().close();
        }
    }
}
