package dev.ropewalk.actors.ending;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rules F7 and A6: actors that end all at once are not given up for the work of their cord. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ManyEndsTest {
    private static final int MANY = 10_000;
    private static final Supervision RULES = Supervision.oneForOne().stopLimit(Duration.ofNanos(1));

    @Test
    void A6_terminatedLoopThatHasHadNoTurnIsNotLate() {
        List<Object> uncaught = new ArrayList<>();
        int[] begun = {0};
        int[] ended = {0};
        CordOptions options =
                CordOptions.named("busy").withUncaught((fiber, failure) -> uncaught.add(failure));
        Cord.run(
                options,
                () -> {
                    try (ActorSystem system = ActorSystem.start("many", RULES, _ -> {})) {
                        List<ActorRef<Step>> all = new ArrayList<>();
                        for (int i = 0; i < MANY; i++) {
                            all.add(system.spin(counting(begun, ended)));
                        }
                        while (begun[0] < MANY) {
                            Fiber.snooze();
                        }
                        all.forEach(ActorRef::terminate);
                        for (ActorRef<Step> each : all) {
                            assertTrue(each.awaitEnd(Duration.ofMinutes(1)), each::toString);
                        }
                    }
                    return null;
                });
        assertEquals(0, uncaught.size(), () -> "the first is " + uncaught.getFirst());
        assertEquals(MANY, ended[0]);
    }

    private static Actor<Step> counting(int[] begun, int[] ended) {
        return Actor.loop(
                self -> {
                    begun[0]++;
                    try {
                        for (; ; ) {
                            self.receive().run(self);
                        }
                    } finally {
                        ended[0]++;
                    }
                });
    }
}
