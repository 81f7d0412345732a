package dev.ropewalk.examples.bank;

/** What a customer is told. */
sealed interface CustomerMessage {
    /** The clerk's receipt. */
    record Received(Receipt receipt) implements CustomerMessage {}

    /** No receipt has come for long. */
    record Impatient() implements CustomerMessage {}
}
