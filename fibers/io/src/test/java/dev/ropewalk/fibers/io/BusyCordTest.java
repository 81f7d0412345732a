package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rule F2: sockets beside fibers that never wait. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BusyCordTest {
    /** Twenty round trips; each has four ways through the reactor, and each way one poll. */
    @ParameterizedTest
    @EnumSource
    void F2_echoIsAnsweredBesideTwoFibersThatSpin(StackKind stacks) {
        Net.onSockets(
                stacks,
                net -> {
                    boolean[] isOver = {false};
                    for (int i = 0; i < 2; i++) {
                        Fiber.spin("busy", () -> spinUntil(isOver));
                    }
                    long[] switches = {0};
                    net.talk(
                            server -> {
                                for (int i = 0; i < 20; i++) {
                                    server.write(server.readLine() + "\n");
                                }
                            },
                            client -> {
                                switches[0] = Cord.current().stats().switches();
                                for (int i = 0; i < 20; i++) {
                                    client.write(i + "\n");
                                    assertEquals("" + i, client.readLine());
                                }
                                switches[0] = Cord.current().stats().switches() - switches[0];
                            });
                    isOver[0] = true;
                    assertTrue(switches[0] < 20 * 5 * 1_100, "switches=" + switches[0]);
                });
    }

    private static void spinUntil(boolean[] isOver) {
        while (!isOver[0]) {
            Fiber.snooze();
        }
    }
}
