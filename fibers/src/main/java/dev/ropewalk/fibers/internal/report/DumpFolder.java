package dev.ropewalk.fibers.internal.report;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The directory of the files of dumps: a file is there whole or not at all, may be read by its
 * owner alone, and the oldest ones go, also those of other processes. Their names sort by time.
 */
final class DumpFolder {
    private static final Pattern NAME =
            Pattern.compile("ropewalk-\\d{8}T\\d{6}\\.\\d{3}Z-\\d+-[\\w-]+\\.txt");
    private static final Pattern PART = Pattern.compile("\\." + NAME.pattern() + "\\.part");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    /** A process that was killed while it wrote left its part behind. */
    private static final Duration OLD_PART = Duration.ofHours(1);

    private static final int MAX_SAME_NAMES = 100;

    private final Path directory;
    private final int maxFiles;
    private final int maxBytes;

    DumpFolder(Path directory, int maxFiles, int maxBytes) {
        this.directory = directory;
        this.maxFiles = maxFiles;
        this.maxBytes = maxBytes;
    }

    /** Makes the directory, and sees whether files can be written there. */
    void check() throws IOException {
        Files.createDirectories(directory);
        Path probe = Files.createTempFile(directory, ".ropewalk-", ".part");
        Files.delete(probe);
    }

    Path write(Instant time, String reason, String text) throws IOException {
        Files.createDirectories(directory);
        String begin = "ropewalk-" + TIME.format(time) + "-" + ProcessHandle.current().pid() + "-";
        for (int i = 1; ; i++) {
            Path file = directory.resolve(begin + reason + (i == 1 ? "" : "-" + i) + ".txt");
            try {
                return write(file, text, time);
            } catch (FileAlreadyExistsException taken) {
                if (i == MAX_SAME_NAMES) {
                    throw taken;
                }
            }
        }
    }

    private Path write(Path file, String text, Instant time) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        Path part = directory.resolve("." + file.getFileName() + ".part");
        boolean isMoved = false;
        try {
            fill(part, text);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            isMoved = true;
        } finally {
            if (!isMoved) {
                Files.deleteIfExists(part);
            }
        }
        removeOld(file, time);
        return file;
    }

    /** Closed before it gets its name, because a full disk may be told then. */
    private void fill(Path part, String text) throws IOException {
        try (WritableByteChannel channel =
                Files.newByteChannel(
                        part,
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW),
                        ownersAlone())) {
            ByteBuffer bytes = encoded(text);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    /** It names what the program has. */
    private FileAttribute<?>[] ownersAlone() {
        boolean isPosix = directory.getFileSystem().supportedFileAttributeViews().contains("posix");
        return isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    /** No more than fits. */
    private ByteBuffer encoded(String text) {
        int size = (int) Math.min(maxBytes, 3L * text.length());
        ByteBuffer bytes = ByteBuffer.allocate(size);
        StandardCharsets.UTF_8
                .newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)
                .encode(CharBuffer.wrap(text), bytes, true);
        return bytes.flip();
    }

    /**
     * Never the one that was just written. Another process may remove or rename files at the same
     * time, and some may be of another user: what cannot be removed stays.
     */
    private void removeOld(Path written, Instant time) {
        found(NAME, Comparator.reverseOrder()).stream()
                .skip(maxFiles)
                .filter(each -> !each.equals(written))
                .forEach(DumpFolder::remove);
        for (Path each : found(PART, Comparator.naturalOrder())) {
            try {
                if (Files.getLastModifiedTime(each).toInstant().isBefore(time.minus(OLD_PART))) {
                    remove(each);
                }
            } catch (IOException gone) {
                // It was renamed.
            }
        }
    }

    private static void remove(Path old) {
        try {
            Files.deleteIfExists(old);
        } catch (IOException ofAnotherUser) {
            // The next dump tries again.
        }
    }

    private List<Path> found(Pattern name, Comparator<Path> order) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            files.forEach(
                    each -> {
                        if (name.matcher("" + each.getFileName()).matches()) {
                            found.add(each);
                        }
                    });
        } catch (IOException | DirectoryIteratorException unreadable) {
            return List.of();
        }
        found.sort(order);
        return found;
    }
}
