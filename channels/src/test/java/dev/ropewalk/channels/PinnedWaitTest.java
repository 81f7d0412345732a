package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

/** Rule F5 where a stack cannot be suspended. A class is initialised once, so each runs once. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("needs-flags")
class PinnedWaitTest {
    private static final long SEED = 1;
    private static final List<Throwable> THROWN = new ArrayList<>();
    private static @Nullable Runnable inInitialiser;

    static int runInInitialiser() {
        Runnable waits = inInitialiser;
        if (waits != null) {
            try {
                waits.run();
            } catch (RuntimeException e) {
                THROWN.add(e);
            }
        }
        return THROWN.size();
    }

    private static final class ReceivesLocally {
        static final int DONE = runInInitialiser();
    }

    private static final class Receives {
        static final int DONE = runInInitialiser();
    }

    private static final class SendsLocally {
        static final int DONE = runInInitialiser();
    }

    private static final class Sends {
        static final int DONE = runInInitialiser();
    }

    @Test
    void F5_whoCannotBeSuspendedTakesAndGivesNothing() {
        TestCord.run(
                SEED,
                false,
                () -> {
                    Channel<Integer> local = Channel.localRendezvous();
                    Channel<Integer> shared = Channel.rendezvous();
                    inInitialiser = local::receive;
                    assertEquals(1, ReceivesLocally.DONE);
                    inInitialiser = shared::receive;
                    assertEquals(2, Receives.DONE);
                    inInitialiser = () -> local.send(1);
                    assertEquals(3, SendsLocally.DONE);
                    inInitialiser = () -> shared.send(1);
                    assertEquals(4, Sends.DONE);
                    THROWN.forEach(each -> assertInstanceOf(StackPinnedException.class, each));
                    for (Channel<Integer> channel : List.of(local, shared)) {
                        assertEquals(0, Inside.waiting(channel));
                        assertEquals(SendResult.FULL, channel.trySend(1));
                        assertNull(channel.tryReceive());
                    }
                });
    }
}
