package dev.ropewalk.examples.bank.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.bank.nodes.Account.Money;
import dev.ropewalk.examples.cli.Plain;

import java.io.PrintStream;

/**
 * The lines that a process of the bank prints, a word and numbers each. The process that started it
 * reads them, and knows by them what must be there when this one has been killed: a line is in the
 * pipe when the method returns. For any thread.
 */
final class Words {
    static final String READY = "ready";
    static final String BEGINS = "begins";
    static final String PAID = "paid";
    static final String FAILED = "failed";
    static final String WRONG = "wrong";
    static final String CLOSED = "closed";
    static final String MONEY = "money";
    static final String COUNTED = "counted";
    static final String LEFT = "left";
    static final String SHOWS = "shows";

    private final PrintStream out;

    Words(PrintStream out) {
        this.out = new PrintStream(out, true, UTF_8);
    }

    void ready() {
        say(READY);
    }

    /** Its observer has that address, with a token. */
    void shows(String address) {
        say(SHOWS + " " + address);
    }

    /** A customer of a new process has asked its account for the number of the last transfer. */
    void begins(int account, long number) {
        say(BEGINS + " " + account + " " + number);
    }

    /** A transfer was acknowledged. */
    void paid(int account, long number, long tookNs) {
        say(PAID + " " + account + " " + number + " " + tookNs / 1_000_000);
    }

    /** An ask was not answered, and is repeated. */
    void failed(int account, Throwable why) {
        say(FAILED + " " + account + " " + Plain.text(why.toString()));
    }

    /** Something that must not happen. */
    void wrong(String what) {
        say(WRONG + " " + Plain.text(what));
    }

    /** No customer of this process gives orders any more. */
    void closed() {
        say(CLOSED);
    }

    void money(int account, Money money) {
        say(
                MONEY
                        + " "
                        + account
                        + " "
                        + money.cents()
                        + " "
                        + money.transfers()
                        + " "
                        + money.arrivals());
    }

    /** All accounts have said what they have. */
    void counted() {
        say(COUNTED);
    }

    void left(boolean isComplete) {
        say(LEFT + " " + isComplete);
    }

    private void say(String line) {
        synchronized (this) {
            out.println(line);
        }
    }
}
