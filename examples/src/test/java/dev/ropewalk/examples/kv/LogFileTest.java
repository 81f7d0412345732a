package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LogFileTest {
    private static final Disk DISK = new SystemDisk();
    private static final Path LOG = Path.of("/disk/log");

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
        try (LogFile file = LogFile.open(DISK, path)) {
            assertEquals(List.of(), all(file, 10));
            for (int i = 0; i < 100; i++) {
                byte[] bytes = encoded("SET", "key " + i, "\r\n$3\0\u00ff".repeat(i));
                assertEquals(
                        bytes.length,
                        Words.of("SET", "key " + i, "\r\n$3\0\u00ff".repeat(i)).encodedBytes());
                file.append(bytes, false);
                appended.add(List.of("SET", "key " + i, "\r\n$3\0\u00ff".repeat(i)));
            }
            file.sync();
        }
        for (int pageBytes : new int[] {1, 100, 1_000_000}) {
            try (LogFile file = LogFile.open(DISK, path)) {
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
            try (LogFile file = LogFile.open(DISK, path)) {
                assertEquals(whole, all(file, 1_000), "length=" + length);
                file.append(encoded("INCR", "n"), false);
            }
            whole.add(List.of("INCR", "n"));
            try (LogFile file = LogFile.open(DISK, path)) {
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
            try (LogFile file = LogFile.open(DISK, path)) {
                IOException damaged = assertThrows(IOException.class, () -> all(file, 1_000));
                assertTrue(
                        damaged.toString().contains("is damaged behind byte " + first.length),
                        damaged::toString);
            }
            assertEquals(bytes.length, Files.size(path));
        }
        Files.writeString(path, "*1\r\n$99999999\r\n");
        try (LogFile file = LogFile.open(DISK, path)) {
            assertThrows(IOException.class, () -> all(file, 1_000));
        }
        Files.writeString(path, "*0\r\n");
        try (LogFile file = LogFile.open(DISK, path)) {
            assertThrows(IOException.class, () -> all(file, 1_000));
        }
    }

    /** There is one way to write a command, so the place of each follows from those before it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "*02,$3,DEL,$1,a,",
                "*2,$03,DEL,$1,a,",
                "*2,$3,DEL,$00,,",
                "*2,$3,DEL,$,,",
                "*,",
                "*2,$3,DEL,$-1,",
                "*2,$3,DEL,$99999999999999999999,a,",
            })
    void aNumberThatNobodyWritesIsDamage(String lines) throws IOException {
        byte[] first = encoded("SET", "a", "1");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(first);
        bytes.writeBytes(Reply.bytes(lines.replace(",", "\r\n")));
        Files.write(path, bytes.toByteArray());
        try (LogFile file = LogFile.open(DISK, path)) {
            IOException damaged = assertThrows(IOException.class, () -> all(file, 1_000));
            assertTrue(
                    damaged.toString().contains("is damaged behind byte " + first.length),
                    damaged::toString);
        }
    }

    /** What a log of hundred keys is made of. */
    private static List<byte[]> hundred(int valueBytes) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(encoded("SET", String.format(Locale.ROOT, "k%03d", i), "v".repeat(valueBytes)));
        }
        return all;
    }

    private static byte[] joined(List<byte[]> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }

    /** Reads it on a disk of its own; null if that is refused. */
    private static @Nullable Integer keysOf(TestDisk disk) throws IOException {
        try (LogFile file = LogFile.open(disk, LOG)) {
            return all(file, 1_000).size();
        } catch (IOException refused) {
            assertTrue(
                    refused.toString().contains(LOG + " is damaged behind byte "),
                    refused::toString);
            assertTrue(refused.toString().contains("truncate -s "), refused::toString);
            return null;
        }
    }

    /** It is longer than the rest of the file, as the length of a torn command is. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 49, 98})
    void aLengthThatIsTooLargeInTheMiddleIsDamage(int at) throws IOException {
        List<byte[]> parts = hundred(1_000);
        String damaged = new String(parts.get(at), ISO_8859_1).replace("$1000", "$9000000");
        parts.set(at, Reply.bytes(damaged));
        byte[] bytes = joined(parts);
        TestDisk disk = new TestDisk(1);
        disk.put(LOG, bytes);
        assertNull(keysOf(disk));
        assertArrayEquals(bytes, disk.bytes(LOG));
    }

    /** Each bit of the log, turned: all keys, all but the last one, or a refusal. */
    @Test
    void oneBitLosesOneKeyAtMost() throws IOException {
        byte[] bytes = joined(hundred(3).subList(0, 12));
        int refused = 0;
        for (int bit = 0; bit < 8 * bytes.length; bit++) {
            byte[] turned = bytes.clone();
            turned[bit / 8] ^= (byte) (1 << bit % 8);
            TestDisk disk = new TestDisk(bit);
            disk.put(LOG, turned);
            Integer keys = keysOf(disk);
            if (keys == null) {
                refused++;
                assertArrayEquals(turned, disk.bytes(LOG), "bit=" + bit);
            } else {
                assertTrue(keys == 12 || keys == 11, "bit=" + bit + " leaves keys=" + keys);
            }
        }
        assertTrue(refused > 1_000, "refused=" + refused);
    }

    /** Cut anywhere, with zeros behind it or without, as a kill or a loss of power leaves it. */
    @Test
    void aTornEndWithZerosIsCutOff() throws IOException {
        List<byte[]> parts = hundred(3).subList(0, 3);
        byte[] bytes = joined(parts);
        for (int length = 0; length <= bytes.length; length++) {
            for (int zeros : new int[] {0, 1, 4_096, 200_000}) {
                TestDisk disk = new TestDisk(1);
                disk.put(LOG, Arrays.copyOf(Arrays.copyOf(bytes, length), length + zeros));
                int whole = length / parts.getFirst().length;
                assertEquals(whole, keysOf(disk), "length=" + length + " zeros=" + zeros);
                assertEquals(whole * parts.getFirst().length, disk.bytes(LOG).length);
            }
        }
    }

    /** A value may have whole commands in it: of those, one that no log has is no damage. */
    @ParameterizedTest
    @ValueSource(strings = {"PING", "GET a", "NOSUCH a b"})
    void aTornValueWithWordsThatNoLogHasIsCutOff(String inner) throws IOException {
        byte[] first = encoded("SET", "a", "1");
        String value = "x\n" + new String(encoded(inner.split(" ")), ISO_8859_1) + "more";
        byte[] torn = encoded("SET", "b", value);
        TestDisk disk = new TestDisk(1);
        disk.put(LOG, joined(List.of(first, Arrays.copyOf(torn, torn.length - 3))));
        assertEquals(1, keysOf(disk));
        assertArrayEquals(first, disk.bytes(LOG));
    }

    /** A disk that cannot be read is no damaged file, and nothing is cut. */
    @Test
    void aReadThatFailsIsNoDamage() throws IOException {
        TestDisk disk = new TestDisk(1);
        disk.put(LOG, joined(hundred(3)));
        try (LogFile file = LogFile.open(disk, LOG)) {
            disk.fail("read");
            IOException failed = assertThrows(IOException.class, () -> all(file, 1_000));
            assertFalse(failed.toString().contains("damaged"), failed::toString);
            disk.heal();
            assertEquals(100, all(file, 1_000).size());
        }
    }

    /** Each step of it; the file is as it was, and what comes next follows it. */
    @ParameterizedTest
    @ValueSource(strings = {"write", "force", "write force truncate"})
    void anAppendThatFails(String steps) throws IOException {
        TestDisk disk = new TestDisk(1);
        try (LogFile file = LogFile.open(disk, LOG)) {
            file.append(encoded("SET", "a", "1"), true);
            byte[] before = disk.bytes(LOG);
            disk.fail(steps.split(" "));
            for (int i = 0; i < 5; i++) {
                assertThrows(
                        IOException.class, () -> file.append(encoded("SET", "a", "2222222"), true));
            }
            if (!steps.contains("truncate")) {
                assertArrayEquals(before, disk.bytes(LOG));
            }
            disk.heal();
            file.append(encoded("INCR", "a"), true);
        }
        try (LogFile file = LogFile.open(disk.afterPowerLoss(), LOG)) {
            assertEquals(List.of(List.of("SET", "a", "1"), List.of("INCR", "a")), all(file, 1_000));
        }
    }

    /** A log that was not there before is there after a loss of power, if its name was forced. */
    @Test
    void theNameOfANewLogIsSafe() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            TestDisk disk = new TestDisk(seed);
            try (LogFile file = LogFile.open(disk, LOG)) {
                file.append(encoded("SET", "a", "1"), true);
            }
            assertEquals(1, keysOf(disk.afterPowerLoss()));
        }
    }

    /** Its new name cannot be forced: then nothing is safe until that succeeds. */
    @Test
    void aNameThatCannotBeForced() throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            TestDisk disk = new TestDisk(seed);
            try (LogFile file = LogFile.open(disk, LOG)) {
                file.append(encoded("SET", "a", "1"), true);
                disk.fail("forceName");
                file.replace(List.of(Words.of("SET", "b", "2")));
                byte[] more = encoded("SET", "c", "3");
                assertThrows(IOException.class, () -> file.append(more, true));
                disk.heal();
                file.append(more, true);
                TestDisk left = disk.afterPowerLoss();
                try (LogFile next = LogFile.open(left, LOG)) {
                    assertEquals(
                            List.of(List.of("SET", "b", "2"), List.of("SET", "c", "3")),
                            all(next, 1_000),
                            "seed=" + seed);
                }
            }
        }
    }

    @Test
    void replaced() throws IOException {
        try (LogFile file = LogFile.open(DISK, path)) {
            file.append(encoded("SET", "a", "1"), false);
            file.append(encoded("SET", "a", "2"), false);
            file.replace(List.of(Words.of("SET", "a", "2")));
            file.append(encoded("INCR", "a"), false);
            assertEquals(List.of(List.of("SET", "a", "2"), List.of("INCR", "a")), all(file, 1_000));
        }
        try (LogFile file = LogFile.open(DISK, path)) {
            assertEquals(2, all(file, 1_000).size());
        }
    }

    /** A kill in the middle of a replace leaves a half of the new file beside the old one. */
    @Test
    void aHalfReplaceIsForgotten() throws IOException {
        Files.write(path, encoded("SET", "a", "1"));
        Files.writeString(folder.resolve("log.new"), "*3\r\n$3\r\nSE");
        try (LogFile file = LogFile.open(DISK, path)) {
            assertEquals(List.of(List.of("SET", "a", "1")), all(file, 1_000));
            assertFalse(Files.exists(folder.resolve("log.new")));
            file.replace(List.of(Words.of("SET", "b", "2")));
            assertEquals(List.of(List.of("SET", "b", "2")), all(file, 1_000));
        }
    }

    @Test
    void openedOnce() throws IOException {
        try (LogFile file = LogFile.open(DISK, path)) {
            IOException used = assertThrows(IOException.class, () -> LogFile.open(DISK, path));
            assertTrue(used.toString().contains(path + " is in use"), used::toString);
            file.replace(List.of());
            assertThrows(IOException.class, () -> LogFile.open(DISK, path));
        }
        LogFile.open(DISK, path).close();
    }
}
