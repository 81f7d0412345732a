/** A client that keeps its connection up: a state machine that tries again. */
@NullMarked
package dev.ropewalk.examples.connection;

import org.jspecify.annotations.NullMarked;
