package dev.ropewalk.actors.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.observe.ActorInspector;
import dev.ropewalk.actors.observe.ActorStatistics;
import dev.ropewalk.actors.observe.ActorTrace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Rule A6. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CountedActorTest {
    @Test
    void A6_anActorThatIsCountedNoMoreGoesTheShortWayAgain() {
        try (ActorSystem system = ActorSystem.start("system")) {
            ActorRef<String> ref =
                    system.start("counted", Actor.handler(() -> _ -> Behavior.same()));
            assertExtras(false, ref);
            ActorStatistics counts = ActorInspector.of(ref).countReceived();
            ActorTrace trace = ActorInspector.of(ref).trace(1);
            assertExtras(true, ref);
            counts.close();
            assertExtras(true, ref);
            trace.close();
            assertExtras(false, ref);
        }
    }

    /** By a question, which is answered behind what was asked before. */
    private static void assertExtras(boolean areThere, ActorRef<?> ref) {
        ActorInspector.of(ref).activity();
        assertEquals(areThere, ((ActorCell<?>) ref.target()).extras != null);
    }
}
