/** A room in which browsers talk to each other: WebSocket on a connection, members as fibers. */
@NullMarked
package dev.ropewalk.examples.chat;

import org.jspecify.annotations.NullMarked;
