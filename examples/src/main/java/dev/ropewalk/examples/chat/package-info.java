/**
 * Rooms in which people talk, some by telnet and some by WebSocket.
 *
 * <p>A {@code Room} is a supervised actor, made by the {@code Lobby} when somebody first joins it,
 * and a {@code Member} is an actor that writes to one connection. The fiber of the connection reads
 * it: {@code Session} is what it makes of the lines, and {@code Protocol} how the lines come. A
 * {@code Post} is what all members of a room get: its bytes are made once for each {@code Format}.
 * {@code Chat} puts these together, and {@code ChatServer} gives them cords and ports.
 */
@NullMarked
package dev.ropewalk.examples.chat;

import org.jspecify.annotations.NullMarked;
