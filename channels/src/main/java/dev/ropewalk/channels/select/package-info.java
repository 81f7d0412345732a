/**
 * Waiting for the first of several things: to receive, to send, the end of a fiber, an event, a
 * time limit (rule C4).
 */
@NullMarked
package dev.ropewalk.channels.select;

import org.jspecify.annotations.NullMarked;
