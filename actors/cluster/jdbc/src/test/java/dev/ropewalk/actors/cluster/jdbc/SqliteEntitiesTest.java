package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.store.Store;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Rule A8: durable entities of one process, on SQLite. */
class SqliteEntitiesTest {
    @TempDir private Path folder;

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_killMinus9LosesNoAcknowledgedMessage() throws IOException, InterruptedException {
        kill(3);
    }

    @Test
    @Tag("stress")
    @Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_killMinus9LosesNoAcknowledgedMessageAgainAndAgain()
            throws IOException, InterruptedException {
        kill(50);
    }

    private void kill(int rounds) throws IOException, InterruptedException {
        Path file = folder.resolve("entities.db");
        SplittableRandom random = new SplittableRandom(rounds);
        long[] acknowledged = new long[WritingProcess.KEYS];
        for (int i = 0; i < rounds; i++) {
            try (WritingProcess process =
                    new WritingProcess(folder.resolve("errors"), "entities", file.toString())) {
                process.killAfter(20 + random.nextInt(400));
                process.addTo(acknowledged);
            }
            try (Store after = JdbcStore.open(JdbcOptions.sqlite(file))) {
                CountingEntities.check(after, acknowledged);
            }
        }
        assertTrue(Arrays.stream(acknowledged).sum() > 0);
    }
}
