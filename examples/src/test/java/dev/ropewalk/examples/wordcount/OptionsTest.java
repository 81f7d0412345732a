package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.cli.BadOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

@Timeout(60)
class OptionsTest {
    private static final String RATE =
            "is not a rate from 0 to 0.9; write for instance --chaos 0.001";

    private static Options parse(String... arguments) throws BadOption {
        return Options.parse(List.of(arguments), 3);
    }

    private static String complaint(String... arguments) {
        return String.valueOf(assertThrows(BadOption.class, () -> parse(arguments)).getMessage());
    }

    @ParameterizedTest(name = "--chaos {0}")
    @ValueSource(
            strings = {
                "-0.1",
                "0.91",
                "1",
                "NaN",
                "Infinity",
                "1e999",
                "0x1p-3",
                "0.1f",
                "a",
                ".",
                "0,1",
                " 0.1",
                "-0"
            })
    void refusesWhatIsNoRate(String rate) {
        assertEquals("--chaos " + rate + " " + RATE, complaint("--chaos", rate));
        assertEquals("--chaos " + rate + " " + RATE, complaint("--chaos=" + rate));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "--top, -1, from 0 to 1000000; write for instance --top 4",
        "--top, 1000001, from 0 to 1000000; write for instance --top 4",
        "--top, 1.5, from 0 to 1000000; write for instance --top 4",
        "--top, many, from 0 to 1000000; write for instance --top 4",
        "--top, 4294967297, from 0 to 1000000; write for instance --top 4",
        "--top, 99999999999999999999, from 0 to 1000000; write for instance --top 4",
        "--cords, 0, from 1 to 64; write for instance --cords 4",
        "--cords, 65, from 1 to 64; write for instance --cords 4",
        "--shards, 0, from 1 to 1024; write for instance --shards 4",
        "--shards, 1025, from 1 to 1024; write for instance --shards 4",
        "--seed, x, of at most 64 bits; write for instance --seed 42",
        "--seed, 9223372036854775808, of at most 64 bits; write for instance --seed 42",
    })
    void refusesNumbersOutOfRange(String option, String value, String remedy) {
        String expected = option + " " + value + " is not a whole number " + remedy;
        assertEquals(expected, complaint(option, value));
        assertEquals(expected, complaint(option + "=" + value));
    }

    @Test
    void refusesAnOptionWithoutItsValue() {
        assertEquals("--top has no value; write for instance --top 20", complaint("file", "--top"));
        assertEquals("--top has no value; write for instance --top 20", complaint("--top="));
        assertEquals(
                "--chaos has no value; write for instance --chaos 0.001", complaint("--chaos", ""));
    }

    @Test
    void refusesAFlagWithAValue() {
        assertEquals("--json=yes takes no value; write --json alone", complaint("--json=yes"));
        assertEquals("--help= takes no value; write --help alone", complaint("--help="));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"--tops", "-t", "---", "--top20", "-20", "--=1"})
    void refusesWhatIsNoOption(String option) {
        assertEquals(
                option
                        + " is not an option; --help lists them; for a file of that name write -- "
                        + option,
                complaint(option));
    }

    @Test
    void aComplaintIsOneLine() {
        assertEquals("--chaos a\\u000ab " + RATE, complaint("--chaos", "a\nb"));
    }

    @Test
    void withoutArgumentsEverythingHasItsDefault() throws BadOption {
        assertEquals(new Options(List.of(), 0, 1, 20, false, 3, 6, false), parse());
    }

    @Test
    void defaultsFollowTheProcessorsWithinTheLimits() throws BadOption {
        assertEquals(64, Options.parse(List.of(), 1000).cords());
        assertEquals(128, Options.parse(List.of(), 1000).shards());
        assertEquals(1, Options.parse(List.of(), 0).cords());
        assertEquals(10, parse("--cords", "5").shards());
        assertEquals(7, parse("--shards", "7", "--cords", "5").shards());
        assertTrue(Options.parse(List.of()).cords() >= 1);
    }

    @Test
    void takesAllOptionsBetweenThePaths() throws BadOption {
        Options expected = new Options(List.of("a", "b", "-"), 0.25, -5, 0, true, 64, 1024, true);
        assertEquals(
                expected,
                parse(
                        "a",
                        "--chaos",
                        "0.25",
                        "--seed",
                        "-5",
                        "--top",
                        "0",
                        "b",
                        "--json",
                        "--cords",
                        "64",
                        "--shards",
                        "1024",
                        "--help",
                        "-"));
        assertEquals(
                expected,
                parse(
                        "a",
                        "b",
                        "-",
                        "--chaos=.25",
                        "--seed=-5",
                        "--top=0",
                        "--json",
                        "--cords=64",
                        "--shards=1024",
                        "--help"));
    }

    @Test
    void twoDashesEndTheOptions() throws BadOption {
        assertEquals(
                List.of("a", "--json", "--", "--top"),
                parse("a", "--", "--json", "--", "--top").paths());
    }

    @Test
    void theLastOfAnOptionCounts() throws BadOption {
        assertEquals(7, parse("--top", "5", "--top=7").top());
        assertEquals(0.9, parse("--chaos", "1e-3", "--chaos", "0.9").chaos());
    }

    @Test
    void theUsageNamesEachOption() {
        for (String option :
                List.of("--top", "--json", "--cords", "--shards", "--chaos", "--seed", "--help")) {
            assertTrue(Options.USAGE.contains("  " + option + " "), option);
        }
        Options.USAGE.lines().forEach(line -> assertTrue(line.length() <= 90, line));
    }
}
