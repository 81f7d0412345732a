package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Rule I2: a name may have several addresses. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AttemptsTest {
    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Where nobody listens. */
    private static InetSocketAddress closed() {
        try (TcpListener listener = TcpListener.bind("127.0.0.1", 0)) {
            return at(listener.port());
        }
    }

    @Test
    void I2_theNextAddressIsTriedWhenOneFails() {
        Cord.run(
                () -> {
                    InetSocketAddress none = closed();
                    try (TcpListener listener = TcpListener.bind("127.0.0.1", 0);
                            TcpConnection made =
                                    Attempts.connect(
                                            List.of(none, none, at(listener.port())),
                                            TcpOptions.defaults())) {
                        assertEquals(at(listener.port()), made.remoteAddress());
                    }
                });
    }

    @Test
    void I2_whenAllFailEachIsTold() {
        Cord.run(
                () -> {
                    InetSocketAddress one = closed();
                    InetSocketAddress other = closed();
                    ConnectionException failed =
                            assertThrows(
                                    ConnectionException.class,
                                    () ->
                                            Attempts.connect(
                                                    List.of(one, other), TcpOptions.defaults()));
                    assertTrue(failed.toString().contains(":" + one.getPort()), failed::toString);
                    assertEquals(1, failed.getSuppressed().length);
                    String second = failed.getSuppressed()[0].toString();
                    assertTrue(second.contains(":" + other.getPort()), second);
                });
    }

    @Test
    void I2_allAddressesOfANameAreFound() {
        Cord.run(
                () -> {
                    assertEquals(List.of(at(7)), Addresses.all("127.0.0.1", 7));
                    assertThrows(
                            ConnectionException.class, () -> Addresses.all("no.such.invalid", 7));
                    assertThrows(
                            IllegalArgumentException.class, () -> Addresses.all("a.invalid", -1));
                });
    }
}
