package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.spi.Waits;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/** What options of TCP leave of those of HTTP. */
class HttpOptionsTest {
    private static final Duration STALL = Duration.ofSeconds(30);

    private static void assertLimits(Duration read, Duration write, TcpOptions options) {
        TcpOptions tcp = HttpOptions.defaults().withTcp(options).withMaxLineBytes(9).tcp();
        assertEquals(read, tcp.readLimit());
        assertEquals(write, tcp.writeLimit());
    }

    @Test
    void optionsOfTcpThatSayNoLimitsLeaveThem() {
        TcpOptions plain = TcpOptions.defaults();
        assertEquals(STALL, HttpOptions.defaults().tcp().readLimit());
        assertEquals(STALL, HttpOptions.defaults().tcp().writeLimit());
        assertLimits(STALL, STALL, plain.withNoDelay(false));
        assertLimits(Duration.ofHours(1), STALL, plain.withReadLimit(Duration.ofHours(1)));
        assertLimits(STALL, Duration.ofHours(1), plain.withWriteLimit(Duration.ofHours(1)));
        assertLimits(STALL, Waits.FOREVER, plain.withWriteLimit(Waits.FOREVER));
        assertEquals(Waits.FOREVER, plain.readLimit());
    }
}
