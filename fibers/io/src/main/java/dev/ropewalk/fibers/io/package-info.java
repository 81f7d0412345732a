/**
 * Sockets whose calls make the fiber wait, never the cord (rules I1 to I4): listeners, connections,
 * and their failures.
 *
 * <p>A connection belongs to the cord that made or accepted it. One fiber at a time reads it, and
 * one writes it. Start with {@link dev.ropewalk.fibers.io.TcpListener} or {@link
 * dev.ropewalk.fibers.io.TcpConnection#connect(String, int)}; {@link
 * dev.ropewalk.fibers.io.TcpConnection#messages(Codec)} makes messages of bytes; {@link
 * dev.ropewalk.fibers.io.UdpSocket} sends and receives datagrams. On a virtual clock the same calls
 * use a {@linkplain dev.ropewalk.fibers.io.testing.MemoryNetwork network in memory}.
 *
 * <p>Inside: {@code ConnectionHandler} is where Netty calls, {@code Inbound} and {@code Outbound}
 * are the two halves of a connection, {@code CodecSwitch} puts {@code MessageQueue} in the place of
 * {@code Inbound} where a codec makes messages, {@code Handshake} is the agreement on TLS, and
 * {@code Closing} the end. {@code MessageQueue} holds datagrams too, and {@code IoErrors} tells
 * callers what failed.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.fibers.io;

import org.jspecify.annotations.NullMarked;
