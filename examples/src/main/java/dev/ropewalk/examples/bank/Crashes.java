package dev.ropewalk.examples.bank;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How often each kind of actor has crashed on purpose.
 *
 * @param journal each of them starts all others again, too
 * @param audits of the reader or the checker, which gives up an audit
 */
record Crashes(AtomicLong accounts, AtomicLong clerks, AtomicLong journal, AtomicLong audits) {
    static Crashes none() {
        return new Crashes(new AtomicLong(), new AtomicLong(), new AtomicLong(), new AtomicLong());
    }
}
