package dev.ropewalk.channels.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

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

    /** In both orders: so each comes before and behind each other one. */
    @Test
    void eachChangesItsOwnAlone() {
        TcpOptions tcp = TcpOptions.defaults().withNoDelay(false);
        Duration second = Duration.ofSeconds(1);
        assertAll(
                HttpOptions.defaults()
                        .withTcp(tcp)
                        .withHeadLimit(second)
                        .withMaxLineBytes(2)
                        .withMaxHeaderBytes(3)
                        .withMaxBodyBytes(4)
                        .withMinBodyRate(5));
        assertAll(
                HttpOptions.defaults()
                        .withMinBodyRate(5)
                        .withMaxBodyBytes(4)
                        .withMaxHeaderBytes(3)
                        .withMaxLineBytes(2)
                        .withHeadLimit(second)
                        .withTcp(tcp));
    }

    private static void assertAll(HttpOptions made) {
        assertFalse(made.tcp().noDelay());
        assertEquals(Duration.ofSeconds(1), made.headLimit());
        assertEquals(2, made.maxLineBytes());
        assertEquals(3, made.maxHeaderBytes());
        assertEquals(4, made.maxBodyBytes());
        assertEquals(5, made.minBodyRate());
    }

    @Test
    void whatFitsNothingIsRefused() {
        HttpOptions some = HttpOptions.defaults();
        assertThrows(IllegalArgumentException.class, () -> some.withMaxLineBytes(0));
        assertThrows(IllegalArgumentException.class, () -> some.withMaxHeaderBytes(0));
        assertThrows(IllegalArgumentException.class, () -> some.withMaxBodyBytes(0));
        assertThrows(IllegalArgumentException.class, () -> some.withMinBodyRate(-1));
        assertThrows(
                IllegalArgumentException.class, () -> some.withHeadLimit(Duration.ofSeconds(-1)));
        assertEquals(0, some.withMinBodyRate(0).minBodyRate());
    }
}
