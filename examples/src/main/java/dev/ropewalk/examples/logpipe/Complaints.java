package dev.ropewalk.examples.logpipe;

import dev.ropewalk.examples.cli.Plain;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what is wrong, and names the first of each kind on stderr; from any thread. */
final class Complaints {
    /** Of each kind so many are named. */
    static final int NAMED = 5;

    private final PrintStream err;
    private final AtomicLong files = new AtomicLong();
    private final AtomicLong unparsed = new AtomicLong();
    private final AtomicLong undecodable = new AtomicLong();

    Complaints(PrintStream err) {
        this.err = err;
    }

    /** A file cannot be read. */
    void file(String file, String reason) {
        files.incrementAndGet();
        say(file, reason);
    }

    /** Something to know, nothing wrong. */
    void note(String file, String text) {
        say(file, text);
    }

    void unparsed(Event.Unparsed event) {
        Line line = event.line();
        sayIfFirst(unparsed, line.file(), line.number(), event.reason());
    }

    void undecodable(String file, long number) {
        sayIfFirst(undecodable, file, number, "no UTF-8; it is parsed with U+FFFD in its place");
    }

    long unparsed() {
        return unparsed.get();
    }

    /** Whether something is missing in the tables. */
    boolean isSomethingMissing() {
        return files.get() + unparsed.get() > 0;
    }

    /** For the end of the last table; empty if nothing is wrong. */
    String counts() {
        StringBuilder text = new StringBuilder();
        if (unparsed.get() > 0) {
            text.append(String.format(Locale.ROOT, ", %,d lines not parsed", unparsed.get()));
        }
        if (undecodable.get() > 0) {
            text.append(String.format(Locale.ROOT, ", %,d lines no UTF-8", undecodable.get()));
        }
        return text.toString();
    }

    private void sayIfFirst(AtomicLong kind, String file, long number, String reason) {
        long count = kind.incrementAndGet();
        if (count <= NAMED) {
            say(file, "line " + number + ": " + reason);
        }
        if (count == NAMED) {
            err.println("logpipe: further lines of this kind are counted, and not named");
        }
    }

    private void say(String file, String what) {
        err.println("logpipe: " + Plain.text(file) + ": " + Plain.text(what));
    }
}
