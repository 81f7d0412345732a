package dev.ropewalk.examples.bank;

/**
 * How a transfer ended.
 *
 * @param number of the order
 * @param isMoved false if there was not enough money
 */
record Receipt(long number, boolean isMoved) {}
