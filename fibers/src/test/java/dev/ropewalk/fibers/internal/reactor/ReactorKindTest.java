package dev.ropewalk.fibers.internal.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Rule I1: what a reactor asks the system with. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ReactorKindTest {
    @Test
    void I1_epollComesFirstAndIoUringOnlyByItsName() {
        ReactorKind best = ReactorKind.choose(null);
        assertEquals(
                ReactorKind.EPOLL.whyUnavailable() == null ? ReactorKind.EPOLL : ReactorKind.NIO,
                best);
        assertSame(ReactorKind.NIO, ReactorKind.choose("nio"));
    }

    @Test
    void I1_ioUringIsChosenWhereItCanBeHadAndOtherwiseSaysWhy() {
        Throwable why = ReactorKind.IO_URING.whyUnavailable();
        if (why == null) {
            assertSame(ReactorKind.IO_URING, ReactorKind.choose("io_uring"));
        } else {
            String message =
                    assertThrows(IllegalStateException.class, () -> ReactorKind.choose("io_uring"))
                            .toString();
            assertTrue(message.contains("ropewalk.reactor=io_uring cannot be had"), message);
        }
    }

    @Test
    void I1_anotherNameIsAnErrorThatNamesThoseThereAre() {
        String message =
                assertThrows(IllegalArgumentException.class, () -> ReactorKind.choose("iouring"))
                        .toString();
        assertTrue(
                message.contains("ropewalk.reactor=iouring is none of epoll, io_uring and nio"),
                message);
    }
}
