/**
 * What the servers among the examples share: their command line, an end in order on Ctrl-C, and a
 * listener on each of several cords.
 */
@NullMarked
package dev.ropewalk.examples.server;

import org.jspecify.annotations.NullMarked;
