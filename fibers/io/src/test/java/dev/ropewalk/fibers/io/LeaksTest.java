package dev.ropewalk.fibers.io;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** A leaked buffer fails the class of tests that leaked it; otherwise no test here proves that. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class LeaksTest {
    @Test
    void aLeakedBufferIsFound() {
        leak();
        await().untilAsserted(() -> assertThrows(AssertionError.class, Leaks::check));
    }

    private static void leak() {
        ByteBuf lost = PooledByteBufAllocator.DEFAULT.directBuffer(1);
        lost.writeByte(1);
    }
}
