package dev.ropewalk.examples.bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** Whole runs over three cords on virtual time, in orders that are drawn from the seed. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BankTest {
    private static final int CORDS = 3;
    private static final int ACCOUNTS = 5;
    private static final int CUSTOMERS = 8;
    private static final int AUDITS = 5;

    private static Options options(int transfers, double chaos, long seed) {
        return new Options(
                ACCOUNTS,
                CUSTOMERS,
                transfers,
                AUDITS,
                CORDS,
                chaos,
                seed,
                Options.NO_OBSERVER,
                false,
                false);
    }

    /** Remembers nothing: what is told twice is done twice. */
    private static final class Forgetful implements Seen {
        @Override
        public boolean has(int customer, long number) {
            return false;
        }

        @Override
        public Seen with(int customer, long number) {
            return this;
        }
    }

    private static Summary run(Bank bank, long seed, Runnable meanwhile) {
        @Nullable Summary[] ended = new Summary[1];
        TestCords.run(
                CORDS,
                seed,
                true,
                cords -> {
                    Fiber<?> other = Fiber.spin("meanwhile", meanwhile::run);
                    ended[0] = bank.run(ActorSystemOptions.defaults().over(cords));
                    other.await();
                });
        return Objects.requireNonNull(ended[0]);
    }

    private static Summary run(Options options) {
        return run(new Bank(options), options.seed(), () -> {});
    }

    private static Statement statement(Summary summary) {
        return Objects.requireNonNull(summary.statement(), summary.complaints()::toString);
    }

    /** Of all seeds together, so that a run in which nothing happens proves nothing. */
    private static final class Met {
        long refused;
        long withMoneyOnTheWay;
        long accounts;
        long clerks;
        long journal;
        long audits;

        void add(Summary summary) {
            refused += statement(summary).refused();
            withMoneyOnTheWay += statement(summary).withMoneyOnTheWay();
            accounts += summary.crashes().accounts().get();
            clerks += summary.crashes().clerks().get();
            journal += summary.crashes().journal().get();
            audits += summary.crashes().audits().get();
        }

        List<String> missing() {
            List<String> all = new ArrayList<>();
            expect(refused, "refused transfers", all::add);
            expect(withMoneyOnTheWay, "audits with money on the way", all::add);
            expect(accounts, "crashes of accounts", all::add);
            expect(clerks, "crashes of clerks", all::add);
            expect(journal, "crashes of the journal", all::add);
            expect(audits, "crashes of audits", all::add);
            return all;
        }

        private static void expect(long count, String what, Consumer<String> missing) {
            if (count == 0) {
                missing.accept(what);
            }
        }
    }

    @Test
    void A5_allAuditsBalanceUnderChaos() {
        Met met = new Met();
        for (long seed : TestCords.seedsOr(LongStream.rangeClosed(1, 20).toArray())) {
            Summary summary = run(options(400, 0.2, seed));
            assertEquals(List.of(), summary.complaints(), "seed=" + seed);
            Statement said = statement(summary);
            assertEquals(AUDITS + 1, said.audits(), "seed=" + seed);
            assertEquals(said.audits(), said.balanced(), "seed=" + seed);
            assertEquals(ACCOUNTS * Bank.FIRST_BALANCE, said.last().total(), "seed=" + seed);
            assertEquals(0, said.last().transfersOnTheWay(), "seed=" + seed);
            met.add(summary);
        }
        assertEquals(List.of(), met.missing());
    }

    @Test
    void A5_theHighestRateOfChaosLosesNothing() {
        Summary summary = run(options(40, Options.MAX_CHAOS, 1));
        assertEquals(List.of(), summary.complaints());
        assertTrue(summary.crashes().accounts().get() > 1_000, summary::toString);
    }

    @Test
    void withoutChaosNothingIsStartedAgain() {
        Summary summary = run(options(400, 0, 1));
        assertEquals(List.of(), summary.complaints());
        assertEquals(0, summary.restarts());
    }

    /** The audits see it: with these seeds money is lost, made, or booked twice. */
    @Test
    void A5_withoutMemoryOfWhatWasDoneItDoesNotBalance() {
        for (long seed : TestCords.seedsOr(1, 2, 3, 4, 5)) {
            Options options = options(400, 0.2, seed);
            Summary summary = run(new Bank(options, new Forgetful()), seed, () -> {});
            assertFalse(summary.complaints().isEmpty(), "seed=" + seed);
        }
    }

    @Test
    void A5_anInterruptEndsWhatWasBegunAndBalances() {
        for (long seed : TestCords.seedsOr(1, 2, 3, 4, 5)) {
            Options options = options(100_000, 0.1, seed);
            Bank bank = new Bank(options);
            Summary summary =
                    run(
                            bank,
                            seed,
                            () -> {
                                for (int i = 0; i < 500; i++) {
                                    Fiber.snooze();
                                }
                                bank.interrupt();
                            });
            assertEquals(List.of(), summary.complaints(), "seed=" + seed);
            Statement said = statement(summary);
            assertFalse(summary.isWhole());
            assertTrue(said.moved() > 0, "seed=" + seed);
            assertTrue(said.moved() + said.refused() < 100_000, "seed=" + seed);
            assertTrue(summary.toText(1).contains(" transfers until the interrupt, "));
        }
    }

    @Test
    void aBankWithoutTransfersHasOneAudit() {
        Summary summary = run(options(0, 0.2, 1));
        assertEquals(List.of(), summary.complaints());
        assertEquals(1, statement(summary).audits());
    }
}
