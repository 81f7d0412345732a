/**
 * What the programs among the examples share: how they read a command line, and how they write for
 * people.
 */
@NullMarked
package dev.ropewalk.examples.cli;

import org.jspecify.annotations.NullMarked;
