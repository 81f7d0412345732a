package dev.ropewalk.examples.build;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.sync.ResourceFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * Directories for what commands need and nobody keeps. A directory goes from task to task; it is
 * emptied when the next one has it, so the end of a task, which may be a hasty one, need not wait.
 */
final class Scratch implements ResourceFactory<Path>, AutoCloseable {
    /** How long the deletion of one may go on though its task was ended. */
    private static final Duration DELETE_LIMIT = Duration.ofSeconds(5);

    private final Path parent;

    /** Not the common pool: a directory whose fiber was ended while it was made is deleted. */
    private final BlockingPool files =
            new BlockingPool(
                    BlockingOptions.named("scratch").withUndelivered(made -> close((Path) made)));

    private final Queue<String> complaints = new ConcurrentLinkedQueue<>();

    /**
     * Makes them below a directory.
     *
     * @param parent exists
     */
    Scratch(Path parent) {
        this.parent = parent;
    }

    @Override
    public Path make() throws IOException {
        return files.call(() -> Files.createTempDirectory(parent, "build-"));
    }

    /** One that cannot be deleted is no failure of a task. */
    @Override
    public void close(Path directory) {
        try {
            if (Fiber.currentOrNull() == null) {
                delete(directory, true);
            } else {
                CancelScope.shielded(DELETE_LIMIT, () -> files.run(() -> delete(directory, true)));
            }
        } catch (IOException e) {
            complaints.add("scratch directory " + directory + " cannot be deleted: " + e);
        }
    }

    /** Deletes what the last task left; false if it is no empty directory even so. */
    boolean empty(Path directory) {
        try {
            return files.call(
                    () -> {
                        delete(directory, false);
                        return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS);
                    });
        } catch (IOException e) {
            return false;
        }
    }

    /** Waits until those are deleted that no task has come to have. */
    @Override
    public void close() {
        files.close();
    }

    /** What was left behind, for people. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    private static void delete(Path directory, boolean itself) throws IOException {
        if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return; // a command may have done it
        }
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(directory)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path each : deepestFirst) {
            if (itself || !each.equals(directory)) {
                Files.deleteIfExists(each);
            }
        }
    }
}
