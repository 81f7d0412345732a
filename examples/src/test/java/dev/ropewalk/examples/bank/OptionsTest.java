package dev.ropewalk.examples.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.examples.cli.BadOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

@Timeout(60)
class OptionsTest {
    private static Options parse(String line) throws BadOption {
        return Options.parse(line.isEmpty() ? List.of() : List.of(line.split(" ")), 3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--accounts | --accounts has no value; write for instance --accounts 100",
                "--accounts 1 | --accounts 1 is not a whole number from 2 to 10000; write for"
                        + " instance --accounts 4",
                "--customers 257 | --customers 257 is not a whole number from 1 to 256; write for"
                        + " instance --customers 4",
                "--transfers=-1 | --transfers -1 is not a whole number from 0 to 1000000; write for"
                        + " instance --transfers 4",
                "--audits many | --audits many is not a whole number from 0 to 1000; write for"
                        + " instance --audits 4",
                "--cords 0 | --cords 0 is not a whole number from 1 to 64; write for instance"
                        + " --cords 4",
                "--chaos 1 | --chaos 1 is not a rate from 0 to 0.9; write for instance --chaos"
                        + " 0.01",
                "--chaos NaN | --chaos NaN is not a rate from 0 to 0.9; write for instance --chaos"
                        + " 0.01",
                "--seed 0x1 | --seed 0x1 is not a whole number of at most 64 bits; write for"
                        + " instance --seed 42",
                "--tree=yes | --tree=yes takes no value; write --tree alone",
                "--rate 1 | --rate is not an option; --help lists them",
                "ledger.txt | ledger.txt is not an option, and bank takes no names of files",
            })
    void refusesABadCommandLine(String line, String complaint) {
        assertEquals(
                complaint,
                String.valueOf(assertThrows(BadOption.class, () -> parse(line)).getMessage()));
    }

    @Test
    void defaults() throws BadOption {
        assertEquals(
                new Options(100, 20, 20_000, 10, 3, 0.01, 1, Options.NO_OBSERVER, false, false),
                parse(""));
    }

    @Test
    void takesAllOptions() throws BadOption {
        assertEquals(
                new Options(2, 256, 0, 1_000, 64, 0.9, -5, 7_090, true, true),
                parse(
                        "--accounts 2 --customers=256 --transfers 0 --audits 1000 --cords 64"
                                + " --chaos .9 --seed -5 --observer 7090 --tree --help"));
    }

    @Test
    void theUsageNamesEachOptionWithItsDefault() throws BadOption {
        for (String option :
                List.of(
                        "--accounts",
                        "--customers",
                        "--transfers",
                        "--audits",
                        "--cords",
                        "--chaos",
                        "--seed",
                        "--tree",
                        "--help")) {
            assertTrue(Options.USAGE.contains("  " + option + " "), option);
        }
        Options defaults = parse("");
        for (Object value :
                List.of(
                        defaults.accounts(),
                        defaults.customers(),
                        defaults.transfers(),
                        defaults.audits(),
                        defaults.chaos(),
                        defaults.seed())) {
            assertTrue(Options.USAGE.contains("(default " + value + ")"), value::toString);
        }
        Options.USAGE.lines().forEach(line -> assertTrue(line.length() <= 90, line));
    }
}
