package dev.ropewalk.examples.wordcount;

import dev.ropewalk.examples.cli.Plain;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Something that was not counted, or not as it should be: one line for people.
 *
 * @param counted whether everything was counted all the same, so that this is a warning only
 */
record Problem(String name, String reason, boolean counted) {
    Problem(String name, String reason) {
        this(name, reason, false);
    }

    static Problem of(Path path, String reason) {
        return new Problem(name(path), reason);
    }

    static Problem warning(Path path, String reason) {
        return new Problem(name(path), reason, true);
    }

    static Problem of(Path path, IOException failure) {
        return of(path, reason(failure));
    }

    private static String name(Path path) {
        String name = path.toString();
        return name.isEmpty() ? "." : name;
    }

    /** Why, without the path, which most messages of the JDK repeat or consist of. */
    static String reason(IOException failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "no such file or directory";
            case AccessDeniedException _ -> "permission denied";
            case FileSystemException f when f.getReason() != null -> f.getReason();
            case IOException f when f.getMessage() != null && !(f instanceof FileSystemException) ->
                    f.getMessage();
            default -> failure.getClass().getSimpleName();
        };
    }

    /** The line for stderr, without its end; a file's name cannot break it. */
    String line() {
        return "wordcount: " + Plain.text(name) + ": " + Plain.text(reason);
    }
}
