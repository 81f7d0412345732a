/**
 * An HTTP/1.1 server and a small client (rule I2): requests and responses are values, bodies are
 * received as channels are.
 *
 * <p>Start with {@link dev.ropewalk.channels.http.HttpServer#start(String, int, HttpHandler)} or
 * {@link dev.ropewalk.channels.http.HttpClient#connect(String, int)}.
 *
 * <p>Inside: {@code ServerConnection} is one client of a server, {@code IncomingBody} the part of a
 * connection's messages that is one body, {@code Wire} what both sides write alike.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.channels.http;

import org.jspecify.annotations.NullMarked;
