package dev.ropewalk.examples.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Directories come, are emptied, and go, whatever happens to the fiber that has them. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ScratchTest {
    @TempDir private Path parent;

    private List<Path> left() throws IOException {
        try (Stream<Path> all = Files.list(parent)) {
            return all.toList();
        }
    }

    /** Some are ended before, some while it is made, some after. */
    @Test
    void aDirectoryWhoseFiberIsEndedWhileItIsMadeIsDeleted() {
        Cord.run(
                () -> {
                    try (Scratch scratch = new Scratch(parent)) {
                        for (int i = 0; i < 100; i++) {
                            Fiber<?> maker =
                                    Fiber.spin(
                                            "maker",
                                            () -> {
                                                Path made = scratch.make();
                                                scratch.close(made);
                                            });
                            Fiber.sleep(Duration.ofNanos(i * 1_000L));
                            maker.terminate();
                            assertTrue(maker.awaitEnd(Duration.ofSeconds(30)));
                        }
                    }
                    assertEquals(List.of(), left());
                });
    }

    @Test
    void aDirectoryThatIsGoneIsNoFailureAndNotEmpty() {
        Path gone = parent.resolve("no directory");
        try (Scratch scratch = new Scratch(parent)) {
            scratch.close(gone);
            assertEquals(List.of(), scratch.complaints());
            assertEquals(false, scratch.empty(gone));
        }
    }
}
