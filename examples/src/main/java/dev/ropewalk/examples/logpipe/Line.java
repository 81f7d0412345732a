package dev.ropewalk.examples.logpipe;

/**
 * A line of a log.
 *
 * @param file its name, as on the command line
 * @param number counted from 1 since the program reads the file
 */
record Line(String file, long number, String text) {}
