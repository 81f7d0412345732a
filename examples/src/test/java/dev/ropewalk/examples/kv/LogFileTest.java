package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class LogFileTest {
    @TempDir private Path folder;
    private Path path = Path.of("log");

    @BeforeEach
    void inFolder() {
        path = folder.resolve("log");
    }

    private static byte[] encoded(String... words) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        LogFile.encode(Words.of((Object[]) words), bytes);
        return bytes.toByteArray();
    }

    /** All that it has, a word list each; read in pages of so many bytes. */
    private static List<List<String>> all(LogFile file, int pageBytes) throws IOException {
        List<List<String>> all = new ArrayList<>();
        long at = 0;
        boolean isLast = false;
        while (!isLast) {
            LogFile.Part part = file.read(at, pageBytes);
            for (Words each : part.commands()) {
                List<String> words = new ArrayList<>();
                for (int i = 0; i < each.count(); i++) {
                    words.add(each.text(i));
                }
                all.add(words);
            }
            at = part.next();
            isLast = part.isLast();
        }
        return all;
    }

    @Test
    void whatIsAppendedIsThere() throws IOException {
        List<List<String>> appended = new ArrayList<>();
        try (LogFile file = LogFile.open(path)) {
            assertEquals(List.of(), all(file, 10));
            for (int i = 0; i < 100; i++) {
                byte[] bytes = encoded("SET", "key " + i, "\r\n$3\0\u00ff".repeat(i));
                assertEquals(
                        bytes.length,
                        Words.of("SET", "key " + i, "\r\n$3\0\u00ff".repeat(i)).encodedBytes());
                file.append(bytes);
                appended.add(List.of("SET", "key " + i, "\r\n$3\0\u00ff".repeat(i)));
            }
            file.sync();
        }
        for (int pageBytes : new int[] {1, 100, 1_000_000}) {
            try (LogFile file = LogFile.open(path)) {
                assertEquals(appended, all(file, pageBytes));
            }
        }
    }

    /** Killed after each byte: the whole commands are there, and what is appended follows them. */
    @Test
    void aTornEndIsCutOff() throws IOException {
        byte[] first = encoded("SET", "a", "1");
        byte[] second = encoded("DEL", "bcd");
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        for (int length = 0; length <= both.length; length++) {
            Files.write(path, Arrays.copyOf(both, length));
            List<List<String>> whole = new ArrayList<>();
            if (length >= first.length) {
                whole.add(List.of("SET", "a", "1"));
            }
            if (length == both.length) {
                whole.add(List.of("DEL", "bcd"));
            }
            try (LogFile file = LogFile.open(path)) {
                assertEquals(whole, all(file, 1_000), "length=" + length);
                file.append(encoded("INCR", "n"));
            }
            whole.add(List.of("INCR", "n"));
            try (LogFile file = LogFile.open(path)) {
                assertEquals(whole, all(file, 7), "length=" + length);
            }
        }
    }

    /** Damage is told with its place, and the file is left as it is. */
    @Test
    void aDamagedFileIsNotTouched() throws IOException {
        byte[] first = encoded("SET", "a", "1");
        for (int at = 0; at < first.length; at++) {
            byte[] bytes = Arrays.copyOf(first, 2 * first.length);
            System.arraycopy(first, 0, bytes, first.length, first.length);
            if (Character.isLetterOrDigit(bytes[first.length + at])) {
                continue; // another value, or a length that is torn or damaged, as it happens
            }
            bytes[first.length + at] ^= 0x40;
            Files.write(path, bytes);
            try (LogFile file = LogFile.open(path)) {
                IOException damaged = assertThrows(IOException.class, () -> all(file, 1_000));
                assertTrue(
                        damaged.toString().contains("is damaged behind byte " + first.length),
                        damaged::toString);
            }
            assertEquals(bytes.length, Files.size(path));
        }
        Files.writeString(path, "*1\r\n$99999999\r\n");
        try (LogFile file = LogFile.open(path)) {
            assertThrows(IOException.class, () -> all(file, 1_000));
        }
        Files.writeString(path, "*0\r\n");
        try (LogFile file = LogFile.open(path)) {
            assertThrows(IOException.class, () -> all(file, 1_000));
        }
    }

    @Test
    void replaced() throws IOException {
        try (LogFile file = LogFile.open(path)) {
            file.append(encoded("SET", "a", "1"));
            file.append(encoded("SET", "a", "2"));
            file.replace(encoded("SET", "a", "2"));
            file.append(encoded("INCR", "a"));
            assertEquals(List.of(List.of("SET", "a", "2"), List.of("INCR", "a")), all(file, 1_000));
        }
        try (LogFile file = LogFile.open(path)) {
            assertEquals(2, all(file, 1_000).size());
        }
    }

    /** A kill in the middle of a replace leaves a half of the new file beside the old one. */
    @Test
    void aHalfReplaceIsForgotten() throws IOException {
        Files.write(path, encoded("SET", "a", "1"));
        Files.writeString(folder.resolve("log.new"), "*3\r\n$3\r\nSE");
        try (LogFile file = LogFile.open(path)) {
            assertEquals(List.of(List.of("SET", "a", "1")), all(file, 1_000));
            file.replace(encoded("SET", "b", "2"));
            assertEquals(List.of(List.of("SET", "b", "2")), all(file, 1_000));
        }
    }

    @Test
    void openedOnce() throws IOException {
        try (LogFile file = LogFile.open(path)) {
            IOException used = assertThrows(IOException.class, () -> LogFile.open(path));
            assertTrue(used.toString().contains(path + " is in use"), used::toString);
            file.replace(new byte[0]);
            assertThrows(IOException.class, () -> LogFile.open(path));
        }
        LogFile.open(path).close();
    }
}
