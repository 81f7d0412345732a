package dev.ropewalk.benchmarks.postgresql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.jdbc.PostgresqlServer;
import dev.ropewalk.examples.bank.nodes.NodesMain;
import dev.ropewalk.examples.cli.Output;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;

/**
 * Rule A8, by processes of the machine over a database. The server is no dependency of the
 * examples, whose users would have to load it.
 */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class PostgresqlBankTest {
    private static final int RUNS = 3;
    private static final int STRESS_RUNS = 50;

    @Test
    @Timeout(value = 900, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_processesOverPostgresqlAreKilledAndStopped() throws IOException, InterruptedException {
        overPostgresql(
                url -> {
                    for (int seed = 1; seed <= RUNS; seed++) {
                        assertExact(url, "faults", 1, seed); // three faults at least
                    }
                });
    }

    @Test
    @Timeout(value = 600, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_processesOverPostgresqlAreExchanged() throws IOException, InterruptedException {
        overPostgresql(url -> assertExact(url, "exchange", 1, 1));
    }

    @Test
    @Tag("stress")
    @Timeout(value = 3_600, threadMode = ThreadMode.SEPARATE_THREAD)
    void A8_processesOverPostgresqlAreKilledStoppedAndExchangedAgainAndAgain()
            throws IOException, InterruptedException {
        overPostgresql(
                url -> {
                    for (int seed = 0; seed < STRESS_RUNS; seed++) {
                        assertExact(url, "faults", 10, seed);
                    }
                    assertExact(url, "exchange", 60, 1);
                });
    }

    private interface Body {
        void run(String url);
    }

    private static void overPostgresql(Body body) throws IOException, InterruptedException {
        PostgresqlServer server = PostgresqlServer.start();
        try {
            body.run(server.url());
        } finally {
            server.stop();
        }
    }

    private static void assertExact(String url, String scenario, int seconds, int seed) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int status =
                NodesMain.run(
                        List.of(
                                "--node",
                                "--store=" + url,
                                "--scenario=" + scenario,
                                "--seconds=" + seconds,
                                "--seed=" + seed),
                        new Output(out, UTF_8),
                        new PrintStream(out, true, UTF_8));
        String text = out.toString(UTF_8);
        assertEquals(0, status, text);
        assertTrue(text.contains("; no acknowledged transfer is gone"), text);
        if (scenario.equals("faults") && seed == 1) {
            assertTrue(text.contains("n1, n2, n3 are killed"), text);
            assertTrue(text.contains(" stops for ") && text.contains(" stop for "), text);
        }
    }
}
