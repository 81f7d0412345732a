package dev.ropewalk.examples.bank;

/** What the reader is told. */
sealed interface ReaderMessage {
    /** The bank is open: all addresses are known. */
    record Opened() implements ReaderMessage {}

    /** Make the audit with this number; it is above those before. */
    record Begin(long audit) implements ReaderMessage {}

    /** The checker is done. */
    record Done(Finding finding) implements ReaderMessage {}

    /** The audit takes too long. */
    record Overdue(long audit) implements ReaderMessage {}
}
