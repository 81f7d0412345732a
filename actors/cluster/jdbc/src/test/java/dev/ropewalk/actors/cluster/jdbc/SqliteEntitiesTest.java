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
import java.util.function.BiConsumer;

/** Rule A8: durable entities of one process, on SQLite. */
class SqliteEntitiesTest {
    @TempDir private Path folder;

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_killMinus9LosesNoAcknowledgedMessage() throws IOException, InterruptedException {
        kill("entities", 3, CountingEntities::check);
    }

    @Test
    @Tag("stress")
    @Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_killMinus9LosesNoAcknowledgedMessageAgainAndAgain()
            throws IOException, InterruptedException {
        kill("entities", 50, CountingEntities::check);
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_killMinus9LosesNoPaymentAndCountsNoneTwice() throws IOException, InterruptedException {
        kill("transfers", 3, PayingEntities::check);
    }

    @Test
    @Tag("stress")
    @Timeout(value = 900, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_killMinus9LosesNoPaymentAgainAndAgain() throws IOException, InterruptedException {
        kill("transfers", 50, PayingEntities::check);
    }

    private void kill(String what, int rounds, BiConsumer<Store, long[]> check)
            throws IOException, InterruptedException {
        Path file = folder.resolve(what + ".db");
        SplittableRandom random = new SplittableRandom(rounds);
        long[] acknowledged = new long[WritingProcess.KEYS];
        for (int i = 0; i < rounds; i++) {
            try (WritingProcess process =
                    new WritingProcess(folder.resolve("errors"), what, file.toString())) {
                process.killAfter(20 + random.nextInt(400));
                process.addTo(acknowledged);
            }
            try (Store after = JdbcStore.open(JdbcOptions.sqlite(file))) {
                check.accept(after, acknowledged);
            }
        }
        assertTrue(Arrays.stream(acknowledged).sum() > 0);
    }
}
