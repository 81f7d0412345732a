package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** The bytes of a file, and the files of a directory, in batches. */
final class FileBatches {
    private static final int WALK_BATCH = 256;

    private FileBatches() {}

    static Feeds.Batches bytes(Path file, int length) throws IOException {
        InputStream in = Files.newInputStream(file);
        return new Feeds.Batches() {
            @Override
            public @Nullable List<byte[]> read() throws IOException {
                byte[] bytes = in.readNBytes(length);
                return bytes.length == 0 ? null : List.of(bytes);
            }

            @Override
            public void close() throws IOException {
                in.close();
            }
        };
    }

    @SuppressWarnings("StreamResourceLeak") // the batches close it
    static Feeds.Batches walk(Path directory) throws IOException {
        Stream<Path> stream = Files.walk(directory);
        Iterator<Path> paths = stream.iterator();
        return new Feeds.Batches() {
            @Override
            public @Nullable List<Path> read() {
                List<Path> batch = new ArrayList<>();
                while (batch.size() < WALK_BATCH && paths.hasNext()) {
                    batch.add(paths.next());
                }
                return batch.isEmpty() ? null : batch;
            }

            @Override
            public void close() {
                stream.close();
            }
        };
    }
}
