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
    private final Path file;
    private final LongConsumer malformed;

    /** Null while there is no file. */
    private @Nullable Opened opened;

    FollowedFile(Path file, LongConsumer malformed) {
        this.file = file;
        this.malformed = malformed;
    }

    /** One file that had the name. */
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
        List<String> batch = current.lines().read();
        if (batch != null && !batch.isEmpty()) {
            return batch;
        }
        if (!isOver(current)) {
            return List.of();
        }
        List<String> rest = current.lines().rest();
        current.channel().close();
        opened = null;
        return rest == null ? List.of() : rest;
    }

    private @Nullable Opened open() throws IOException {
        try {
            Object key = keyOfFile();
            FileChannel channel = FileChannel.open(file);
            return new Opened(
                    channel,
                    new Lines(Channels.newInputStream(channel), file.toString(), malformed, true),
                    key);
        } catch (NoSuchFileException notYet) {
            return null;
        }
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
