/** Two nodes in one process, over loopback: Ropewalk's, Pekko's, and two ends of a bare socket. */
@NullMarked
package dev.ropewalk.benchmarks.system.remote;

import org.jspecify.annotations.NullMarked;
