package dev.ropewalk.actors.observe;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.metrics.MetricValue;
import dev.ropewalk.fibers.metrics.MetricValue.Tag;
import dev.ropewalk.fibers.metrics.Metrics;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/** Under which class actors are counted, and what is counted; rule A6. */
@Timeout(60)
class ActorMetricsTest {
    private record Till() implements Behavior<String> {
        @Override
        public Behavior<String> onMessage(String message) {
            throw new IllegalStateException(message);
        }
    }

    /** The state of a server. */
    private record Stock(int nuts) {}

    private record Add(int nuts) {}

    private final ActorSystem system =
            ActorSystem.start(
                    "metered",
                    Supervision.oneForOne().intensity(100, Duration.ofMinutes(1)),
                    _ -> {});

    @AfterEach
    void end() {
        system.close();
    }

    private ActorGlance glance(ActorRef<?> ref) {
        return system.snapshot().actors().stream()
                .filter(each -> each.number() == ref.number())
                .findFirst()
                .orElseThrow();
    }

    private static <M> Actor<M> quiet() {
        return Actor.handler(_ -> _ -> Behavior.same());
    }

    private List<MetricValue> own(String name) {
        return Metrics.of(ActorMetrics.systems()).read().stream()
                .filter(each -> each.metric().name().equals(name))
                .filter(each -> each.tags().contains(new Tag("system", "metered")))
                .toList();
    }

    private double sum(String name) {
        return own(name).stream().mapToDouble(MetricValue::value).sum();
    }

    @Test
    void A6_aBehaviorCountsAsItsClass() {
        ActorRef<String> till = system.start("till", Actor.handler(Till::new));
        assertEquals(Till.class.getName(), glance(till).type());
    }

    @Test
    void A6_aServerCountsAsItsState() {
        Server<Add, Stock> server =
                Server.<Add, Stock>of(new Stock(0))
                        .cast(Add.class, (stock, add) -> new Stock(stock.nuts + add.nuts));
        ActorRef<Add> stock = system.start("stock", server.actor());
        assertEquals(Stock.class.getName(), glance(stock).type());
    }

    @Test
    void A6_aLambdaCountsAsTheClassInWhichItStands() {
        String own = ActorMetricsTest.class.getName();
        assertEquals(own, glance(system.start("handler", quiet())).type());
        ActorRef<String> loop =
                system.start(
                        "loop",
                        Actor.loop(
                                self -> {
                                    while (true) {
                                        self.receive();
                                    }
                                }));
        assertEquals(own, glance(loop).type());
        Server<Integer, Integer> sums =
                Server.<Integer, Integer>of(0).cast(Integer.class, Integer::sum);
        ActorRef<Integer> sum = system.start("sum", Actor.handler(self -> sums.behavior(self)));
        assertEquals(own, glance(sum).type(), "an Integer says nothing");
    }

    @Test
    void A6_anActorThatIsDownCountsAsBefore() {
        ActorRef<String> till = system.start("till", Actor.handler(Till::new));
        for (int i = 1; i <= 20; i++) {
            till.tell("breaks");
            int restarts = i;
            await().until(() -> glance(till).restarts() == restarts);
            assertEquals(Till.class.getName(), glance(till).type());
        }
        assertEquals(Map.of(Till.class.getName(), 20L), system.restartCounts());
        assertEquals(20, system.deadLetterCount(DeadLetter.Reason.FAILED));
        assertEquals(0, system.deadLetterCount(DeadLetter.Reason.ENDED));
        assertEquals(20, system.deadLetterCount());
        assertEquals(20, sum("ropewalk.actor.restarts"));
        assertEquals(20, sum("ropewalk.dead.letters"));
    }

    @Test
    void A6_messagesThatWaitAndTheAgeOfTheOldest() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch holds = new CountDownLatch(1);
        ActorSystem other = ActorSystem.start("held");
        try {
            ActorRef<String> slow =
                    other.start(
                            "slow",
                            Actor.loop(
                                    self -> {
                                        self.receive();
                                        holds.countDown();
                                        while (go.getCount() > 0) {
                                            Fiber.sleep(Duration.ofMillis(5));
                                        }
                                        self.receive();
                                        self.receive();
                                    }));
            slow.tell("first");
            holds.await();
            slow.tell("second");
            slow.tell("third");
            await().until(() -> held("ropewalk.mailbox.messages") == 2);
            await().until(() -> held("ropewalk.mailbox.oldest.seconds") > 0.01);
            assertEquals(1, held("ropewalk.actors"));
        } finally {
            go.countDown();
            other.close();
        }
        assertEquals(0, held("ropewalk.actors"), "the system is gone");
    }

    private static double held(String name) {
        return Metrics.of(ActorMetrics.systems()).read().stream()
                .filter(each -> each.metric().name().equals(name))
                .filter(each -> each.tags().contains(new Tag("system", "held")))
                .mapToDouble(MetricValue::value)
                .sum();
    }

    @Test
    void A6_anActorWithoutANameIsFoundByItsNumber() {
        ActorRef<String> nameless = system.spin(quiet());
        assertNull(system.find(nameless.number()), "nobody has looked");
        await().until(() -> system.snapshot().actors().size() == 1);
        assertEquals(nameless.number(), number(system.find(nameless.number())));
        nameless.stop();
        await().until(() -> system.find(nameless.number()) == null);
        assertTrue(system.snapshot().actors().isEmpty());
    }

    private static Long number(@Nullable ActorRef<?> ref) {
        return Objects.requireNonNull(ref, "the snapshot has seen it").number();
    }
}
