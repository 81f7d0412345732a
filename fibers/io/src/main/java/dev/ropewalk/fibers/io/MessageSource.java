package dev.ropewalk.fibers.io;

import java.io.IOException;

/**
 * Whose messages a {@link MessageQueue} holds, and what it tells of them; its {@code toString} is
 * shown in errors and dumps.
 */
interface MessageSource {
    /** Fresh for each receiver. */
    ConnectionException broken(String what, IOException why);

    /** Nothing came within the limit of the options. */
    ConnectionTimeoutException silent(long limitNs);

    /** What came is no message of the type that was asked for. */
    void undecodable(Throwable cause);
}
