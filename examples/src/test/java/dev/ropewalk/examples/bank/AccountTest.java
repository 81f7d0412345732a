package dev.ropewalk.examples.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.examples.bank.AccountMessage.Cut;
import dev.ropewalk.examples.bank.AccountMessage.Deposit;
import dev.ropewalk.examples.bank.AccountMessage.Withdraw;
import dev.ropewalk.examples.bank.AccountReply.Deposited;
import dev.ropewalk.examples.bank.AccountReply.Refused;
import dev.ropewalk.examples.bank.AccountReply.Withdrawn;
import dev.ropewalk.examples.bank.CheckerMessage.Late;
import dev.ropewalk.examples.bank.CheckerMessage.Snapshot;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** An account message by message, without an actor. */
@Timeout(60)
class AccountTest {
    /** What was told to all, in order. */
    private final List<Object> told = new ArrayList<>();

    private final Recipient<AccountReply> clerk = kept();
    private final Recipient<CheckerMessage> checker = kept();

    private <M> Recipient<M> kept() {
        return new Recipient<>() {
            @Override
            public void tell(M message) {
                told.add(message);
            }

            @Override
            public void fail(Throwable failure) {
                throw new AssertionError(failure);
            }
        };
    }

    private static Account account(long balance) {
        Chaos none = new Chaos(0, 1, new AtomicLong());
        return new Account(7, balance, 0, 0, Seen.nothing(), null, none);
    }

    private static Account after(Account account, AccountMessage... messages) {
        Account now = account;
        for (AccountMessage message : messages) {
            Behavior<AccountMessage> next = now.onMessage(message);
            now = (Account) next;
        }
        return now;
    }

    private Withdraw withdraw(int customer, long number, long amount) {
        return new Withdraw(customer, number, amount, clerk);
    }

    private Deposit deposit(int customer, long number, long amount, @Nullable Cut cut) {
        return new Deposit(customer, number, amount, cut, clerk);
    }

    private Cut cut(long audit) {
        return new Cut(audit, checker);
    }

    @Test
    void withdrawsWhatIsThereAndRefusesMore() {
        Account last = after(account(10), withdraw(0, 1, 10), withdraw(0, 2, 1));
        assertEquals(0, last.balance());
        assertEquals(List.of(new Withdrawn(1, null), new Refused(2)), told);
    }

    @Test
    void A5_aStepThatIsToldAgainIsDoneOnce() {
        Account first = after(account(10), withdraw(3, 1, 4), deposit(0, 9, 50, null));
        told.clear();
        assertSame(first, after(first, withdraw(3, 1, 4), deposit(0, 9, 50, null)));
        assertEquals(List.of(), told);
        assertEquals(57, after(first, withdraw(3, 2, 4), deposit(1, 1, 5, null)).balance());
    }

    /** A refusal is a step too: the money that came meanwhile does not change it. */
    @Test
    void A5_aRefusalThatIsToldAgainStays() {
        Account last =
                after(account(1), withdraw(0, 1, 5), deposit(1, 1, 9, null), withdraw(0, 1, 5));
        assertEquals(10, last.balance());
        assertEquals(List.of(new Refused(1), new Deposited(1)), told);
    }

    @Test
    void aCutIsToldOnce() {
        after(
                account(10),
                withdraw(0, 1, 4),
                cut(2),
                deposit(1, 1, 1, cut(2)),
                cut(2),
                cut(1),
                cut(3));
        assertEquals(
                List.of(
                        new Withdrawn(1, null),
                        new Snapshot(2, 7, 6, 1, 0),
                        new Deposited(1),
                        new Snapshot(3, 7, 7, 1, 1)),
                told);
    }

    @Test
    void moneyThatWasGivenAfterACutIsNotPartOfIt() {
        Account last = after(account(10), deposit(0, 1, 5, cut(1)), cut(1));
        assertEquals(15, last.balance());
        assertEquals(List.of(new Snapshot(1, 7, 10, 0, 0), new Deposited(1)), told);
    }

    @Test
    void moneyThatWasGivenBeforeACutAndCameAfterItWasOnTheWay() {
        after(account(10), cut(2), deposit(0, 4, 5, null), deposit(1, 1, 6, cut(1)));
        assertEquals(
                List.of(
                        new Snapshot(2, 7, 10, 0, 0),
                        new Late(2, 0, 4, 5),
                        new Deposited(4),
                        new Late(2, 1, 1, 6),
                        new Deposited(1)),
                told);
    }

    @Test
    void aWithdrawalCarriesTheLastCut() {
        after(account(10), cut(2), withdraw(0, 1, 5));
        assertEquals(new Withdrawn(1, cut(2)), told.getLast());
    }
}
