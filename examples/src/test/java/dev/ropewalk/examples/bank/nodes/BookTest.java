package dev.ropewalk.examples.bank.nodes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;

/** A judge that cannot find anything proves nothing. */
class BookTest {
    private final Book book = new Book(3);

    private void read(String... lines) {
        for (String each : lines) {
            book.read(0, each);
        }
    }

    private List<String> judged() {
        book.judge();
        return book.wrong();
    }

    private void assertWrong(String part) {
        List<String> wrong = judged();
        assertTrue(wrong.stream().anyMatch(each -> each.contains(part)), wrong::toString);
    }

    @Test
    void anExactSumIsFine() {
        read("paid 0 1 5", "paid 0 2 7", "paid 1 1 3");
        read("money 0 990 2 1", "money 1 1005 1 1", "money 2 1005 0 1");
        assertEquals(List.of(), judged());
        assertEquals(3, book.transfers());
        assertEquals(7, book.longestMs());
        assertEquals(3_000, book.sum());
    }

    @Test
    void aTransferWhoseAnswerDiedMayHaveBeenMade() {
        read("money 0 990 1 0", "money 1 1010 0 1", "money 2 1000 0 0");
        assertEquals(List.of(), judged());
    }

    @Test
    void aProcessMayDieTwiceBeforeAnAnswer() {
        read("paid 0 1 5", "begins 0 2", "money 0 970 3 0", "money 1 1030 0 3", "money 2 1000 0 0");
        assertEquals(List.of(), judged());
    }

    @Test
    void anAcknowledgedTransferThatIsGoneIsFoundWhenItsOwnerBeginsAgain() {
        read("paid 0 1 5", "paid 0 2 5", "begins 0 1");
        assertWrong("account-0 has made 1 transfers, and acknowledged 2");
    }

    @Test
    void aSumThatIsNotExactIsFound() {
        read("money 0 990 1 0", "money 1 1000 0 1", "money 2 1000 0 0");
        assertWrong("the sum of 3 accounts is 2990, and must be 3000 of 3");
    }

    @Test
    void moneyOnItsWayIsFound() {
        read("money 0 990 1 0", "money 1 1000 0 0", "money 2 1000 0 0");
        assertFalse(book.isSettled());
        assertWrong("some of it is still on its way");
    }

    @Test
    void anAccountThatSaysNothingIsFound() {
        read("money 0 1000 0 0", "money 1 1000 0 0");
        assertWrong("the sum of 2 accounts is 2000");
    }

    @Test
    void anAcknowledgedTransferThatIsGoneIsFound() {
        read("paid 0 1 5", "money 0 1000 0 0", "money 1 1000 0 0", "money 2 1000 0 0");
        assertWrong("account-0 has made 0 transfers, and acknowledged 1");
    }

    @Test
    void aTransferThatWasMadeTwiceIsFound() {
        read("paid 0 1 5", "money 0 970 3 0", "money 1 1030 0 3", "money 2 1000 0 0");
        assertWrong("account-0 has made 3 transfers, and acknowledged 1");
    }

    @Test
    void aNumberThatWasAcknowledgedForTwoOrdersIsFound() {
        read("paid 0 1 5", "paid 0 1 5");
        assertWrong("account-0 has acknowledged transfer 1, and then 1 as a new one");
    }

    @Test
    void aComplaintOfAProcessIsFound() {
        read("wrong order 7 is refused");
        assertWrong("n1: wrong order 7 is refused");
    }
}
