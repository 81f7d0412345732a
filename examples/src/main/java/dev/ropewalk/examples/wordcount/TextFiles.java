package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds the files to count, one {@link #next} at a time, in an order that is the same every time.
 *
 * <p>Links are followed; a directory that contains itself that way is entered once. Of each
 * directory on the way down, the names are in memory, no more. A pipe or device is given if it is
 * named, and never if it is met on the way. Calls block; they may come from different threads, but
 * one after the other.
 */
final class TextFiles {
    /** Reads the names in a directory; tests put in directories that cannot be read. */
    interface Lister {
        List<Path> list(Path directory) throws IOException;
    }

    private static final int MAX_BATCH = 256;

    /** Tells the kind of the standard input, where the system has it. */
    private static final Path STDIN = Path.of("/dev/stdin");

    /** A directory that is being walked. */
    private record Level(Path path, Object key, Iterator<Path> names) {}

    private final Iterator<String> roots;
    private final boolean own;
    private final Consumer<Problem> problems;
    private final Lister lister;
    private final Deque<Level> levels = new ArrayDeque<>();

    /** The root that is being walked, if it is a directory. */
    private @Nullable Path root;

    /** Whether that root has given a file or a problem yet. */
    private boolean rootGave;

    /** Keys of the streams that were given. */
    private final Set<Object> streams = new HashSet<>();

    /** A stream that begins the next batch. */
    private @Nullable Source ahead;

    TextFiles(List<String> roots, boolean own, Consumer<Problem> problems, Lister lister) {
        this.roots = List.copyOf(roots).iterator();
        this.own = own;
        this.problems = problems;
        this.lister = lister;
    }

    /** The files that are named, and all files below the directories that are named. */
    static TextFiles named(List<String> paths, Consumer<Problem> problems) {
        return new TextFiles(paths, false, problems, TextFiles::sortedNames);
    }

    /**
     * The text files below a directory ("" is the working directory), as a repository has them:
     * without names that begin with a dot, directories named target, and binary files.
     */
    static TextFiles ownFiles(String base, Consumer<Problem> problems) {
        return new TextFiles(List.of(base), true, problems, TextFiles::sortedNames);
    }

    /**
     * The next files, of together about a chunk; none if there are no more. A stream, which may
     * have to be waited for, is alone.
     *
     * @throws InterruptedIOException if the thread is interrupted, which it stays
     */
    List<Source> nextBatch() throws InterruptedIOException {
        List<Source> batch = new ArrayList<>();
        long bytes = 0;
        while (bytes < ChunkReader.CHUNK_BYTES && batch.size() < MAX_BATCH) {
            Source source = ahead == null ? next() : ahead;
            ahead = null;
            if (source == null) {
                break;
            }
            if (!source.isFile()) {
                if (batch.isEmpty()) {
                    return List.of(source);
                }
                ahead = source;
                break;
            }
            batch.add(source);
            bytes += source.size();
        }
        return batch;
    }

    /**
     * The next file, or null if there are no more.
     *
     * @throws InterruptedIOException if the thread is interrupted, which it stays
     */
    @Nullable Source next() throws InterruptedIOException {
        while (true) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while looking for files");
            }
            Level level = levels.peek();
            Source file;
            if (level == null) {
                endRoot();
                if (!roots.hasNext()) {
                    return null;
                }
                file = visitRoot(roots.next());
            } else if (level.names().hasNext()) {
                file = visit(level.names().next());
            } else {
                levels.pop();
                continue;
            }
            if (file != null) {
                rootGave = true;
                return file;
            }
        }
    }

    private @Nullable Source visitRoot(String name) {
        if (name.equals(Source.STDIN_NAME)) {
            return stream(Source.stdin(), stdinKey());
        }
        if (name.isEmpty() && !own) {
            // Most likely from a shell variable that is not set: not the working directory then.
            problems.accept(new Problem("\"\"", "an empty name; the working directory is ."));
            return null;
        }
        Path path;
        try {
            path = Path.of(name);
        } catch (InvalidPathException e) {
            problems.accept(new Problem(name, "not a possible path here: " + e.getReason()));
            return null;
        }
        rootGave = false;
        Source file = visit(path);
        root = levels.isEmpty() ? null : path;
        return file;
    }

    private void endRoot() {
        if (root != null && !rootGave) {
            report(root, own ? "no text files" : "no files");
        }
        root = null;
    }

    /** Gives the path if it is a file; a directory's names come next. */
    private @Nullable Source visit(Path path) {
        if (own && isHidden(path)) {
            return null;
        }
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            if (attributes.isDirectory()) {
                if (!own || levels.isEmpty() || !path.endsWith("target")) {
                    enter(path, attributes);
                }
                return null;
            }
            if (!attributes.isRegularFile()) {
                if (levels.isEmpty()) {
                    Object key = attributes.fileKey();
                    return stream(Source.stream(path), key == null ? path : key);
                }
                report(
                        path,
                        "neither a file nor a directory but a device, pipe or socket, skipped");
                return null;
            }
            return own && isBinary(path) ? null : Source.file(path, attributes.size());
        } catch (IOException e) {
            report(path, Files.isSymbolicLink(path) ? linkReason(path, e) : Problem.reason(e));
            return null;
        }
    }

    /** Once only: two readers would each get a part of it. */
    private @Nullable Source stream(Source source, Object key) {
        if (streams.add(key)) {
            return source;
        }
        report(source.path(), "named again, but a pipe or device can be read only once");
        return null;
    }

    private static Object stdinKey() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(STDIN, BasicFileAttributes.class);
            Object key = attributes.isRegularFile() ? null : attributes.fileKey();
            return key == null ? Source.STDIN_NAME : key;
        } catch (IOException e) {
            return Source.STDIN_NAME;
        }
    }

    private void enter(Path directory, BasicFileAttributes attributes) throws IOException {
        Object key = attributes.fileKey();
        if (key == null) {
            key = directory.toRealPath();
        }
        for (Level above : levels) {
            if (above.key().equals(key)) {
                report(directory, "symlink loop back to " + shown(above.path()) + ", skipped");
                return;
            }
        }
        levels.push(new Level(directory, key, lister.list(directory).iterator()));
    }

    private static List<Path> sortedNames(Path directory) throws IOException {
        List<Path> names = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(names::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        Collections.sort(names);
        return names;
    }

    private boolean isHidden(Path path) {
        Path name = path.getFileName();
        return !levels.isEmpty() && name != null && name.toString().startsWith(".");
    }

    /** A file that cannot be read is not binary: who opens it next reports why. */
    private static boolean isBinary(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] head = in.readNBytes(ChunkReader.HEAD_BYTES);
            return ChunkReader.indexOfNul(head, head.length) >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static String linkReason(Path link, IOException failure) {
        try {
            String target = "symlink to " + Files.readSymbolicLink(link);
            if (failure instanceof NoSuchFileException) {
                return target + ", which does not exist";
            }
            String reason = circles(link) ? "a symlink loop, skipped" : Problem.reason(failure);
            return target + ": " + reason;
        } catch (IOException e) {
            e.addSuppressed(failure);
            return Problem.reason(e);
        }
    }

    /** Whether the link, followed step by step, comes back to where it was. */
    private static boolean circles(Path link) throws IOException {
        Set<Path> seen = new HashSet<>();
        Path at = link.toAbsolutePath().normalize();
        while (seen.add(at)) {
            if (!Files.isSymbolicLink(at)) {
                return false;
            }
            at = at.resolveSibling(Files.readSymbolicLink(at)).normalize();
        }
        return true;
    }

    private void report(Path path, String reason) {
        rootGave = true;
        problems.accept(Problem.of(path, reason));
    }

    private static String shown(Path path) {
        String name = path.toString();
        return name.isEmpty() ? "." : name;
    }
}
