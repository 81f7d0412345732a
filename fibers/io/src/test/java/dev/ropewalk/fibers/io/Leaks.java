package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What Netty's leak detector finds fails the class of tests that leaked. Found as a service; the
 * pom sets the detector's level.
 */
public final class Leaks implements BeforeAllCallback, AfterAllCallback {
    private static final int COLLECTIONS = 2;
    private static final List<String> FOUND = new CopyOnWriteArrayList<>();

    @Override
    public void beforeAll(ExtensionContext context) {
        ByteBufUtil.setLeakListener((type, records) -> FOUND.add(type + records));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        check();
    }

    static void check() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            // The detector looks for leaks when it tracks a buffer.
            UnpooledByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
        List<String> found = List.copyOf(FOUND);
        FOUND.clear();
        assertEquals(List.of(), found);
    }
}
