package dev.ropewalk.examples.bank.nodes;

/** The things that are done to the processes while customers transfer money. */
enum Scenario {
    /** They are killed and stopped. */
    FAULTS,
    /** One after the other leaves, and a newer version takes its place. */
    EXCHANGE,
    /** By hand alone. */
    NONE
}
