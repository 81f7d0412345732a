/**
 * A bank of actors under a supervision tree, which crash on purpose while customers transfer money,
 * and audits that balance to the unit all the same.
 */
@NullMarked
package dev.ropewalk.examples.bank;

import org.jspecify.annotations.NullMarked;
