package dev.ropewalk.examples.bank;

import static dev.ropewalk.actors.supervision.Tree.child;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.observe.FailureReport;
import dev.ropewalk.actors.supervision.ActorSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One run of the bank.
 *
 * <p><b>A transfer.</b> A customer gives an order to its clerk. The clerk has one account withdraw
 * and then another one deposit, has the journal book it, and gives the receipt. Between these steps
 * it waits for nothing: replies come as messages. So do all actors of the bank.
 *
 * <p><b>How it survives crashes.</b> Accounts, clerks and the journal keep their state, and a
 * message on which one of them crashed is tried again: as the very next one, without end, with the
 * state from before it. So each message is handled to its end exactly once in that state, and what
 * it changes there is committed all at once. But what a handler told others before it crashed, it
 * tells again. It tells the same again, because state and message are the same: an account that has
 * told "withdrawn" cannot refuse now. And a step of a transfer has the numbers of its customer and
 * its order, which grow; the messages of a clerk arrive in order, also those it tells again. So
 * accounts and journal know what they are told twice by the last number of each customer that they
 * have committed ({@link Seen}), and the clerk by the step it is at. That needs no memory that
 * grows. Why silence is a good answer to a second telling: the reply to the first was told before
 * that was committed.
 *
 * <p>When the journal crashes all others are started again after it. They keep address, mailbox and
 * state, so that is no more to a transfer than a delay. An ask is different: it fails when the
 * actor crashes that took it, although the order stands in the clerk's state. The customer gives
 * the order again with the same number, and gets the receipt of the one transfer ({@link
 * Customers}).
 *
 * <p><b>How an audit balances while money moves.</b> No account stops for it. An audit is a cut:
 * for each account a moment at which it tells its balance, chosen so that no money arrives before
 * its cut that left after the other's. The reader tells all accounts to cut; and a deposit carries
 * the last cut of the account that gave the money, so an account that has not heard of that one
 * cuts before it takes the money. Then the balances, plus the money that left before a cut and
 * arrived after one, is all the money. An account knows such money when it comes, by the number of
 * the cut that it carries, and tells the checker. How many will come the checker knows from the
 * counts of withdrawals and deposits at the cuts. So it needs no limit, and no luck.
 *
 * <p>Reader and checker keep no state: if one crashes, both are started again, the audit is given
 * up and another one made, with a higher number, which replaces the old cut everywhere.
 *
 * <p><b>The end.</b> On Ctrl-C customers give no more orders, and end with the receipt of their
 * present one; then the journal is closed, which makes the last audit; then the actors come to the
 * end of their mailboxes, the youngest first. A transfer takes several messages there and back, so
 * to let the mailboxes empty would not be enough.
 */
final class Bank {
    /** What an account has at first. */
    static final long FIRST_BALANCE = 1_000;

    /** For as long as the user's chaos goes on. */
    private static final int MAX_RESTARTS = 10_000_000;

    private static final double JOURNAL_SHARE = 0.001;

    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
    private static final Duration A_MOMENT = Duration.ofMillis(500);

    /** Longer than an audit may take. */
    private static final Duration CLOSE_LIMIT = Reader.LIMIT.plusSeconds(40);

    private final Options options;
    private final Seen seen;
    private final Crashes crashes = Crashes.none();
    private final AtomicReference<@Nullable Directory> directory = new AtomicReference<>();
    private final AtomicReference<@Nullable String> problem = new AtomicReference<>();
    private final ActorSpec<JournalMessage> journal;
    private final ActorSpec<ReaderMessage> reader;
    private final ActorSpec<CheckerMessage> checker;
    private volatile boolean isOpen = true;
    private int actors;

    Bank(Options options) {
        this(options, Seen.nothing());
    }

    /**
     * A bank.
     *
     * @param seen how all of it remember what they have done
     */
    Bank(Options options, Seen seen) {
        this.options = options;
        this.seen = seen;
        Journal.Rules rules =
                new Journal.Rules(
                        options.accounts(),
                        options.accounts() * FIRST_BALANCE,
                        options.transfers(),
                        options.audits(),
                        new Chaos(options.chaos() * JOURNAL_SHARE, nextSeed(), crashes.journal()));
        this.journal = child("journal", Journal.actor(rules, seen)).permanent();
        this.reader =
                child(
                        "reader",
                        Reader.actor(
                                directory,
                                new Chaos(options.chaos(), nextSeed(), crashes.audits())));
        double perAccount = options.chaos() / options.accounts();
        this.checker =
                child(
                        "checker",
                        Checker.actor(
                                options.accounts(),
                                new Chaos(perAccount, nextSeed(), crashes.audits())));
    }

    /** All of it: the bank, in the order in which one needs the other, and its customers. */
    Tree tree() {
        return Tree.of(
                "town",
                rules(Supervision.oneForOne()),
                Tree.of(
                        "bank",
                        rules(Supervision.restForOne()),
                        journal,
                        Tree.of("accounts", rules(Supervision.dynamic()).spread()),
                        Tree.of("clerks", rules(Supervision.dynamic()).spread()),
                        Tree.of("audit", rules(Supervision.oneForAll()), reader, checker)),
                Tree.of("customers", rules(Supervision.dynamic()).spread()));
    }

    private Supervision rules(Supervision strategy) {
        return strategy.intensity(MAX_RESTARTS, Duration.ofSeconds(1)).onFailure(this::failed);
    }

    /**
     * Opens the bank, waits for its customers, and closes it; on a fiber or a plain thread.
     *
     * @param where on which cords
     */
    Summary run(ActorSystemOptions where) {
        try (ActorSystem system =
                ActorSystem.start(tree(), where.withDeadLetters(this::takeLetter))) {
            Directory bank = open(system);
            for (ActorRef<CustomerMessage> customer : spinCustomers(system, bank)) {
                while (problem.get() == null && !customer.awaitEnd(A_MOMENT)) {}
            }
            Statement statement = problem.get() == null ? close(bank.journal()) : null;
            long restarts = restarts(system);
            StopReport stopped = system.stop(STOP_LIMIT);
            if (!stopped.isComplete()) {
                report("these actors did not end in order: " + stopped.left());
            }
            return new Summary(options, statement, crashes, restarts, isOpen, problem.get());
        }
    }

    /** Takes no more orders; from any thread. */
    void interrupt() {
        isOpen = false;
    }

    private Directory open(ActorSystem system) {
        Supervisor accounts = system.supervisor("bank/accounts");
        List<ActorRef<AccountMessage>> all = new ArrayList<>();
        for (int i = 0; i < options.accounts(); i++) {
            Chaos chaos = new Chaos(options.chaos(), nextSeed(), crashes.accounts());
            all.add(accounts.spin("account-" + i, Account.actor(i, FIRST_BALANCE, seen, chaos)));
        }
        Supervisor audit = system.supervisor("bank/audit");
        Directory bank =
                new Directory(
                        system.supervisor("bank").actor(journal),
                        audit.actor(reader),
                        audit.actor(checker),
                        all);
        directory.set(bank);
        bank.reader().tell(new ReaderMessage.Opened());
        return bank;
    }

    private List<ActorRef<CustomerMessage>> spinCustomers(ActorSystem system, Directory bank) {
        Supervisor clerks = system.supervisor("bank/clerks");
        Supervisor customers = system.supervisor("customers");
        List<ActorRef<CustomerMessage>> all = new ArrayList<>();
        int number = options.customers();
        for (int i = 0; i < number; i++) {
            Chaos chaos = new Chaos(options.chaos(), nextSeed(), crashes.clerks());
            ActorRef<ClerkMessage> clerk = clerks.spin("clerk-" + i, Clerk.actor(i, bank, chaos));
            int orders = options.transfers() / number + (i < options.transfers() % number ? 1 : 0);
            Plan plan = new Plan(nextSeed(), options.accounts(), orders, () -> isOpen);
            all.add(
                    customers.spin(
                            "customer-" + i,
                            i % 2 == 0
                                    ? Customers.asking(plan, clerk)
                                    : Customers.telling(plan, clerk)));
        }
        return all;
    }

    /** Asks again when the journal crashes meanwhile: to close it twice is to close it. */
    private @Nullable Statement close(ActorRef<JournalMessage> journal) {
        for (; ; ) {
            try {
                return journal.ask(JournalMessage.Close::new, CLOSE_LIMIT);
            } catch (AskFailedException crashed) {
                if (!(crashed.getCause() instanceof InjectedCrash)) {
                    report("the journal cannot be closed: " + crashed);
                    return null;
                }
            } catch (AskTimeoutException late) {
                report("no last audit within " + CLOSE_LIMIT.toSeconds() + " s");
                return null;
            }
        }
    }

    private static long restarts(ActorSystem system) {
        return system.supervisor("bank").restarts()
                + system.supervisor("bank/accounts").restarts()
                + system.supervisor("bank/clerks").restarts()
                + system.supervisor("bank/audit").restarts();
    }

    private long nextSeed() {
        return options.seed() * 1_000_003 + actors++;
    }

    // ---------------------------------------------------------------- what must not happen

    private void failed(FailureReport failed) {
        if (!(failed.failure() instanceof InjectedCrash)) {
            report(failed.actor() + " failed: " + failed.failure());
        }
    }

    /** Of the bank's own only messages of an audit that is given up may be lost. */
    private void takeLetter(DeadLetter letter) {
        switch (letter.message()) {
            case AccountMessage lost -> report("an account lost a message: " + letter);
            case ClerkMessage lost -> report("a clerk lost a message: " + letter);
            case JournalMessage lost -> report("the journal lost a message: " + letter);
            default -> {} // also a second receipt for an ask that has one
        }
    }

    private void report(String what) {
        problem.compareAndSet(null, what);
    }
}
