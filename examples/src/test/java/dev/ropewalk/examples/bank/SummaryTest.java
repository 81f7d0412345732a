package dev.ropewalk.examples.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.examples.bank.Statement.Entry;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** What the report says, and of what it complains. */
@Timeout(60)
class SummaryTest {
    private static final Options TWO_TRANSFERS = new Options(2, 1, 2, 0, 1, 0, 1, -1, false, false);

    private static final Finding GOOD = new Finding(1, List.of(700L, 1_300L), 0, 0, 0);

    private static Summary summary(Statement statement, boolean isWhole) {
        return new Summary(TWO_TRANSFERS, statement, Crashes.none(), 7, isWhole, null);
    }

    private static Statement statement(Finding last, @Nullable Finding firstBad) {
        Entry first = new Entry(0, 1, 400, null);
        return new Statement(2, 0, 1, 1, 0, last, firstBad, new Entry(1, 0, 100, first));
    }

    @Test
    void theReport() {
        assertEquals(
                """
                2 transfers, of which 0 were refused, in 1.50 s
                crashes: 0 of accounts, 0 of clerks, 0 of the journal, 0 of audits; 7 restarts
                audits: 1 of 1 balance, 0 of them with money on the way
                at the end: 2,000 in 2 accounts
                """,
                summary(statement(GOOD, null), true).toText(1.5));
        assertEquals(List.of(), summary(statement(GOOD, null), true).complaints());
    }

    @Test
    void complainsOfEachThingThatIsWrong() {
        Finding mixedUp = new Finding(2, List.of(1_300L, 700L), 0, 0, 0);
        Finding bad = new Finding(1, List.of(700L, 1_200L), 1, 150, -1);
        assertEquals(
                List.of(
                        "audit 1 finds 2050, of it 150 on the way, in 2 accounts; -1 transfers are"
                                + " missing; there were 2000 at first"),
                summary(statement(mixedUp, bad), true).complaints());
        assertEquals(
                List.of("account-0 has 1300 and must have 700 by the journal"),
                summary(statement(mixedUp, null), true).complaints());
        assertEquals(
                List.of("the journal has 1 transfers of 2"),
                summary(
                                new Statement(
                                        1,
                                        0,
                                        1,
                                        1,
                                        0,
                                        new Finding(1, List.of(600L, 1_400L), 0, 0, 0),
                                        null,
                                        new Entry(0, 1, 400, null)),
                                true)
                        .complaints());
        Summary failed =
                new Summary(TWO_TRANSFERS, null, Crashes.none(), 0, true, "clerk-0 failed: oops");
        assertEquals(List.of("clerk-0 failed: oops"), failed.complaints());
        assertEquals("", failed.toText(1));
    }
}
