/**
 * Follows the access logs of web servers: lines of several files through one pipeline, into tables
 * of rates, percentiles and the most frequent paths, in bounded memory.
 */
@NullMarked
package dev.ropewalk.examples.logpipe;

import org.jspecify.annotations.NullMarked;
