package dev.ropewalk.fibers.internal.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.internal.watch.Alarm;
import dev.ropewalk.fibers.observe.DumpOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

/** Alarms cannot fill a disk, and none is lost without a word. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DumpWriterTest {
    @TempDir Path directory;

    private long nowNs;

    private void alarm(DumpWriter writer, String text) {
        writer.alarm(new Alarm(Alarm.Kind.STUCK, text));
    }

    /** Of the files that were asked for until now. */
    private List<String> texts(DumpWriter writer) throws IOException {
        writer.ask("to wait for those before").join();
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted()
                    .filter(each -> each.toString().contains("stuck"))
                    .map(DumpWriterTest::read)
                    .toList();
        }
    }

    private void deleteFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path each : files.toList()) {
                Files.delete(each);
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void threeAlarmsHaveFilesAtOnceAndOneMoreAfterEachPause() throws IOException {
        DumpOptions options = DumpOptions.into(directory).withPause(Duration.ofSeconds(60));
        try (DumpWriter writer = new DumpWriter(options, () -> nowNs)) {
            for (int i = 0; i < 3; i++) {
                alarm(writer, "alarm " + i);
            }
            assertEquals(3, texts(writer).size());
            for (int i = 3; i < 60; i++) {
                alarm(writer, "alarm " + i);
            }
            nowNs += Duration.ofSeconds(59).toNanos();
            alarm(writer, "alarm 60");
            assertEquals(3, texts(writer).size());
            nowNs += Duration.ofSeconds(1).toNanos();
            alarm(writer, "alarm 61");
            alarm(writer, "alarm 62");
            assertEquals(4, texts(writer).size());
            nowNs += Duration.ofHours(1).toNanos();
            for (int i = 63; i < 70; i++) {
                alarm(writer, "alarm " + i);
            }
            assertEquals(7, texts(writer).size());
        }
    }

    /** They are in the next file, whoever asks for that. */
    @Test
    void alarmsWithoutAFileAreInTheNextOne() throws IOException {
        DumpOptions options = DumpOptions.into(directory).withPause(Duration.ofSeconds(60));
        try (DumpWriter writer = new DumpWriter(options, () -> nowNs)) {
            for (int i = 0; i < 3; i++) {
                alarm(writer, "alarm " + i);
            }
            texts(writer);
            for (int i = 3; i < 60; i++) {
                alarm(writer, "alarm " + i + "\nwith a stack");
            }
            String next = read(writer.ask("next").join());
            assertTrue(next.contains("alarm 3 with a stack"), next);
            assertTrue(next.contains("... and 7 more"), next);
            assertTrue(!read(writer.ask("last").join()).contains("alarm 3"));
        }
    }

    @Test
    void alarmsOfAFileThatCannotBeWrittenAreInTheNextOne() throws IOException {
        DumpOptions options = DumpOptions.into(directory).withPause(Duration.ofSeconds(60));
        try (DumpWriter writer = new DumpWriter(options, () -> nowNs)) {
            for (int i = 0; i < 3; i++) {
                alarm(writer, "alarm " + i);
            }
            writer.ask("to wait for those before").join();
            deleteFiles();
            for (int i = 3; i < 60; i++) {
                alarm(writer, "alarm " + i);
            }
            Files.delete(directory);
            Files.writeString(directory, "a file");
            nowNs += Duration.ofSeconds(60).toNanos();
            alarm(writer, "alarm 60");
            assertThrows(CompletionException.class, () -> writer.ask("refused").join());
            Files.delete(directory);
            String next = read(writer.ask("next").join());
            assertTrue(next.contains("alarm 3") && next.contains("alarm 52"), next);
            assertTrue(next.contains("... and 8 more"), next);
        }
    }

    /** The order of the files says nothing about this: the next one has those that wait. */
    @Test
    void anAlarmWhoseOwnFileCannotBeWrittenIsInTheNextOne() throws IOException {
        DumpOptions options = DumpOptions.into(directory).withPause(Duration.ofSeconds(60));
        try (DumpWriter writer = new DumpWriter(options, () -> nowNs)) {
            Files.delete(directory);
            Files.writeString(directory, "a file");
            alarm(writer, "the first one");
            assertThrows(CompletionException.class, () -> writer.ask("refused").join());
            Files.delete(directory);
            String next = read(writer.ask("next").join());
            assertTrue(next.contains("the first one"), next);
        }
    }
}
