package dev.ropewalk.examples.wordcount;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Something that was not counted, or not as it should be: one line for people. */
record Problem(String name, String reason) {
    static Problem of(Path path, String reason) {
        String name = path.toString();
        return new Problem(name.isEmpty() ? "." : name, reason);
    }

    static Problem of(Path path, IOException failure) {
        return of(path, reason(failure));
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
