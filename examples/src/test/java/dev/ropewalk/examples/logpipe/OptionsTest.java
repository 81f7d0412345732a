package dev.ropewalk.examples.logpipe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.cli.BadOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

@Timeout(60)
class OptionsTest {
    private static Options parse(String line) throws BadOption {
        return Options.parse(line.isEmpty() ? List.of() : List.of(line.split(" ")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | no log is named; write for instance logpipe /var/log/nginx/access.log",
                "--top | --top has no value; write for instance --top 20",
                "--top 1001 a | --top 1001 is not a whole number from 0 to 1000; write for instance"
                        + " --top 4",
                "--every 0 a | --every 0 is not a whole number from 1 to 86400; write for instance"
                        + " --every 4",
                "--every=1.5 a | --every 1.5 is not a whole number from 1 to 86400; write for"
                        + " instance --every 4",
                "--sink-delay -1 a | --sink-delay -1 is not a whole number from 0 to 60000; write"
                        + " for instance --sink-delay 4",
                "--by=agent a | --by agent is not path, client or status; write for instance --by"
                        + " client",
                "--follow=yes a | --follow=yes takes no value; write --follow alone",
                "--tail a | --tail is not an option; --help lists them; for a file of that name"
                        + " write -- --tail",
                "--follow --once a | --follow and --once exclude each other; write one of them",
                "--follow - | --follow needs files, and - is the standard input; without --follow"
                        + " it is read to its end",
                "--every 5 a b | --every 5 goes by the time in the log, so it needs a single file,"
                        + " not 2; write --follow for several, or name one",
            })
    void refusesABadCommandLine(String line, String complaint) {
        assertEquals(
                complaint,
                String.valueOf(assertThrows(BadOption.class, () -> parse(line)).getMessage()));
    }

    @Test
    void defaults() throws BadOption {
        assertEquals(
                new Options(
                        List.of("a", "-"),
                        false,
                        Optional.empty(),
                        10,
                        Options.Key.PATH,
                        Duration.ZERO,
                        false,
                        false),
                parse("a -"));
        assertEquals(Optional.of(Duration.ofSeconds(10)), parse("--follow a").every());
        assertEquals(parse("a"), parse("--once a"));
    }

    @Test
    void takesAllOptions() throws BadOption {
        assertEquals(
                new Options(
                        List.of("a", "--b"),
                        true,
                        Optional.of(Duration.ofSeconds(3)),
                        0,
                        Options.Key.STATUS,
                        Duration.ofMillis(7),
                        true,
                        true),
                parse(
                        "--follow --every 3 --top=0 --by status --sink-delay 7 --stats --help a --"
                                + " --b"));
    }

    @Test
    void theUsageNamesEachOption() {
        for (String option :
                List.of(
                        "--once",
                        "--follow",
                        "--every",
                        "--top",
                        "--by",
                        "--sink-delay",
                        "--stats",
                        "--help")) {
            assertTrue(Options.USAGE.contains("  " + option + " "), option);
        }
        Options.USAGE.lines().forEach(line -> assertTrue(line.length() <= 90, line));
        assertTrue(Options.USAGE.contains("to " + Table.KEYS + " different ones"));
    }
}
