package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

@Timeout(60)
class ProblemTest {
    private static String line(IOException failure) {
        return Problem.of(Path.of("dir", "file"), failure).line();
    }

    @Test
    void namesThePathOnceAndTheReason() {
        assertEquals(
                "wordcount: dir/file: no such file or directory",
                line(new NoSuchFileException("dir/file")));
        assertEquals(
                "wordcount: dir/file: permission denied",
                line(new AccessDeniedException("dir/file")));
        assertEquals(
                "wordcount: dir/file: Is a directory",
                line(new FileSystemException("dir/file", null, "Is a directory")));
        assertEquals(
                "wordcount: dir/file: FileSystemException",
                line(new FileSystemException("dir/file")));
        assertEquals(
                "wordcount: dir/file: Input/output error",
                line(new IOException("Input/output error")));
        assertEquals("wordcount: dir/file: EOFException", line(new EOFException()));
    }

    @Test
    void isOneLineWhateverTheNameIs() {
        assertEquals("wordcount: a\\u000ab: really\\u000d", new Problem("a\nb", "really\r").line());
    }

    @Test
    void theWorkingDirectoryHasAName() {
        assertEquals("wordcount: .: no files", Problem.of(Path.of(""), "no files").line());
    }
}
