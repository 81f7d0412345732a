package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Goal 5: what passes through a channel of one cord makes no garbage, whoever waits. */
@Timeout(60) // on one thread, because the bytes of that thread are counted
class AllocationTest {
    private static final int ELEMENTS = 20_000;

    private static long allocatedBytes() {
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadAllocatedBytes();
    }

    @Test
    void C2_waitForEachElementAllocatesNothingOnOneCord() {
        TestCord.run(1, false, () -> assertAllocatesNothing(Channel.localRendezvous()));
    }

    @Test
    void C2_fullAndEmptyBufferAllocatesNothingOnOneCord() {
        TestCord.run(1, false, () -> assertAllocatesNothing(Channel.localBuffered(3)));
    }

    private static void assertAllocatesNothing(Channel<String> channel) {
        Fiber<Integer> receiver =
                Fiber.spin(
                        "receiver",
                        () -> {
                            int received = 0;
                            for (String each : channel) {
                                received += each.length();
                            }
                            return received;
                        });
        sendMany(channel);
        long before = allocatedBytes();
        sendMany(channel);
        long bytes = allocatedBytes() - before;
        channel.close();
        assertEquals(2 * ELEMENTS, receiver.await());
        assertTrue(
                bytes < 8 * ELEMENTS,
                () -> bytes + " bytes for " + ELEMENTS + " elements: a wait made garbage");
    }

    private static void sendMany(Channel<String> channel) {
        for (int i = 0; i < ELEMENTS; i++) {
            channel.send("x");
        }
    }

    /** A wait that is used again is one at a time: several waiters have one each. */
    @Test
    void C2_waitersSideBySideHaveWaitsOfTheirOwn() {
        TestCord.run(
                () -> {
                    Channel<Integer> channel = Channel.localRendezvous();
                    for (int round = 0; round < 3; round++) {
                        List<Fiber<Integer>> receivers = new ArrayList<>();
                        for (int i = 0; i < 5; i++) {
                            receivers.add(Fiber.spin("receiver", () -> channel.receive()));
                        }
                        Fiber.sleep(Duration.ofMillis(1));
                        for (int i = 0; i < 5; i++) {
                            channel.send(i);
                        }
                        int sum = 0;
                        for (Fiber<Integer> each : receivers) {
                            sum += each.await();
                        }
                        assertEquals(10, sum);
                    }
                });
    }
}
