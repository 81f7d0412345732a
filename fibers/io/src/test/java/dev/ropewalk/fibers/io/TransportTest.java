package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.internal.io.CordIo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.Locale;

/** Rule I1: this suite runs on epoll, NIO and io_uring, and this says on which it ran. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TransportTest {
    @Test
    void I1_socketsAreThoseOfTheReactorThatWasAskedFor() {
        Net.onSockets(
                net -> {
                    assertEquals(
                            Transport.ASKED,
                            CordIo.reactor().kind().name().toLowerCase(Locale.ROOT));
                    net.talk(
                            server -> assertEquals("line", server.readLine()),
                            client -> client.write("line\n"));
                });
    }
}
