package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.io.TcpConnection;

/** A user by telnet. */
final class TelnetUser implements User {
    static final String END = "(the end)";

    final TcpConnection connection;

    TelnetUser(int port) {
        connection = TcpConnection.connect("127.0.0.1", port);
        String greeting = next();
        assertTrue(greeting.startsWith("* /join ROOM NAME"), greeting);
    }

    @Override
    public void say(String line) {
        connection.write(line + "\r\n");
    }

    /** {@link #END} at the end. */
    @Override
    public String next() {
        String line = connection.readLine();
        return line == null ? END : line;
    }
}
