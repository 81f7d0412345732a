package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.spi.Waits;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Connects to the first of several addresses that answers; each is tried when the one before has
 * failed. The limit is one for all: the rest of it is shared by the addresses that have not been
 * tried, so that a silent one does not use it up.
 */
final class Attempts {
    private static final long SHORTEST_NS = 1_000_000;

    private Attempts() {}

    /**
     * A switchpoint. Throws the failure of the first, with those of the others suppressed in it.
     */
    static TcpConnection connect(List<InetSocketAddress> addresses, TcpOptions options) {
        if (addresses.size() == 1) {
            return TcpConnection.connect(addresses.getFirst(), options);
        }
        long limitNs = Waits.nanos(options.connectLimit());
        long beganNs = Waits.nanoTime();
        ConnectionException failure = null;
        for (int i = 0; i < addresses.size(); i++) {
            long leftNs = limitNs - (Waits.nanoTime() - beganNs);
            long shareNs = Math.max(leftNs / (addresses.size() - i), SHORTEST_NS);
            try {
                return TcpConnection.connect(
                        addresses.get(i), options.withConnectLimit(Duration.ofNanos(shareNs)));
            } catch (TlsException answered) {
                throw answered; // the others are the same host
            } catch (ConnectionException failed) {
                if (failure == null) {
                    failure = failed;
                } else {
                    failure.addSuppressed(failed);
                }
            }
        }
        throw Objects.requireNonNull(failure, "a name without addresses");
    }
}
