package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.Objects;

/** Rule A7: the limit of an ask covers the wait for room, and what is left of it travels. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskWaitTest {
    sealed interface Word {}

    record Say(String text) implements Word {}

    record TimeLeft(Recipient<Long> replyTo) implements Word {}

    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration FROZEN = Duration.ofSeconds(2);

    private static Node start(NodeOptions options) {
        ActorSystem system = ActorSystem.start("system");
        system.spin(
                "actor",
                Actor.<Word>handler(
                        () ->
                                word -> {
                                    if (word instanceof TimeLeft(var replyTo)) {
                                        replyTo.tell(Calls.inherited(Long.MAX_VALUE));
                                    }
                                    return Behavior.same();
                                }));
        return Node.start(system, options.withProtocol(Protocol.of(Word.class)).withQueue(1_024));
    }

    @Test
    void A7_waitForRoomInTheQueueToTheNodeIsPartOfTheLimit() {
        SimCluster.run(
                2,
                AskWaitTest::start,
                cluster -> {
                    assertTrue(cluster.awaitPeers(LIMIT));
                    ActorRef<Word> far =
                            Objects.requireNonNull(
                                    cluster.on(
                                            "n1",
                                            () ->
                                                    cluster.node("n1")
                                                            .at("n2")
                                                            .find("actor", Word.class)));
                    cluster.freeze("n2", FROZEN);
                    Fiber<?> teller =
                            Fiber.spin(
                                    "tells",
                                    () -> {
                                        for (int i = 0; i < 20; i++) {
                                            far.tell(new Say("x".repeat(200)));
                                        }
                                    });
                    Fiber.sleep(Duration.ofMillis(100));
                    long leftNs = cluster.on("n1", () -> far.<Long>ask(TimeLeft::new, LIMIT));
                    teller.await();
                    long tooMuchNs = leftNs - LIMIT.minus(FROZEN).toNanos();
                    assertTrue(
                            Math.abs(tooMuchNs) < Duration.ofSeconds(1).toNanos(),
                            () -> "left ns: " + leftNs);
                });
    }
}
