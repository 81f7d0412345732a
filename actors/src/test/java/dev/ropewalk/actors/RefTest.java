package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.routing.EventBus;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/** Rule A2: a ref is the address of one actor, whatever that and others are called. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RefTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MANY = 5_000;

    @FunctionalInterface
    private interface Body {
        void run(ActorSystem one, ActorSystem two) throws Exception;
    }

    private static void inTwoSystemsOfOneName(Body body) {
        TestCord.run(
                () -> {
                    try (ActorSystem one = ActorSystem.start("shop");
                            ActorSystem two = ActorSystem.start("shop")) {
                        body.run(one, two);
                    }
                });
    }

    private static Actor<String> logging(String who, List<String> log) {
        return Actor.handler(
                () ->
                        message -> {
                            log.add(who + " " + message);
                            return Behavior.same();
                        });
    }

    @Test
    void A2_refsOfTwoSystemsOfOneNameDiffer() {
        inTwoSystemsOfOneName(
                (one, two) -> {
                    ActorRef<String> a = one.spin("till", logging("a", new ArrayList<>()));
                    ActorRef<String> b = two.spin("till", logging("b", new ArrayList<>()));
                    assertEquals(a.toString(), b.toString());
                    assertNotEquals(a, b);
                    assertEquals(a, one.find("till"));
                    assertEquals(a.hashCode(), Objects.hashCode(one.find("till")));
                    assertEquals(Set.of(a, b), Set.of(b, one.find("till")));
                });
    }

    @Test
    void A6_aGroupHasBothAndKeepsTheOtherOne() {
        inTwoSystemsOfOneName(
                (one, two) -> {
                    ActorRef<String> a = one.spin("till", logging("a", new ArrayList<>()));
                    ActorRef<String> b = two.spin("till", logging("b", new ArrayList<>()));
                    Group<String> group = one.group("tills", String.class);
                    group.join(a);
                    group.join(b);
                    assertEquals(List.of(a, b), group.members());
                    a.terminate();
                    assertTrue(a.awaitEnd(HOUR));
                    assertEquals(List.of(b), group.members());
                });
    }

    @Test
    void A6_aBusTellsBoth() {
        inTwoSystemsOfOneName(
                (one, two) -> {
                    List<String> log = new ArrayList<>();
                    EventBus<String> bus = EventBus.make();
                    bus.subscribe(String.class, one.spin("till", logging("a", log)));
                    bus.subscribe(String.class, two.spin("till", logging("b", log)));
                    assertEquals(2, bus.publish("open"));
                    Fiber.sleep(HOUR);
                    assertEquals(Set.of("a open", "b open"), Set.copyOf(log));
                });
    }

    /** It was refused as a link to itself. */
    @Test
    void A4_anActorLinksToOneThatIsCalledLikeIt() {
        inTwoSystemsOfOneName(
                (one, two) -> {
                    ActorRef<Step> b = two.spin("till", Step.actor());
                    ActorRef<Step> a = one.spin("till", Step.actor(self -> self.link(b)));
                    Fiber.sleep(HOUR);
                    b.kill();
                    Fiber.sleep(HOUR);
                    assertEquals(1, one.root().restarts(), a + " ended with it");
                });
    }

    private static int hashed(ActorRef<String> router, List<String> log) {
        for (int i = 0; i < 1_000; i++) {
            router.tell("" + i);
        }
        Fiber.sleep(HOUR);
        Set<String> taking = new TreeSet<>();
        log.forEach(line -> taking.add(line.substring(0, line.indexOf(' '))));
        return taking.size();
    }

    /** All keys went to the first of those that had the same path. */
    @Test
    void A6_aHashRouterSpreadsOverActorsOfOnePath() {
        inTwoSystemsOfOneName(
                (one, two) -> {
                    List<String> log = new ArrayList<>();
                    List<ActorRef<String>> named =
                            List.of(
                                    one.spin("till", logging("a", log)),
                                    two.spin("till", logging("b", log)));
                    assertEquals(2, hashed(Routing.<String>hash(key -> key).over(named), log));
                    log.clear();
                    List<ActorRef<String>> nameless =
                            List.of(
                                    one.spin(logging("a", log)),
                                    one.spin(logging("b", log)),
                                    one.spin(logging("c", log)));
                    assertEquals(3, hashed(Routing.<String>hash(key -> key).over(nameless), log));
                });
    }

    /** The members of a pool were those of a group, and any group may have that name. */
    @Test
    void A6_aGroupMayBeCalledLikeTheWorkersOfAPool() {
        inTwoSystemsOfOneName(
                (one, two) -> {
                    List<String> log = new ArrayList<>();
                    Group<String> group = one.group("pool tills", String.class);
                    group.join(one.spin("other", logging("other", log)));
                    ActorRef<String> pool =
                            one.pool("tills", 1, logging("worker", log), Routing.broadcast());
                    pool.tell("open");
                    Fiber.sleep(HOUR);
                    assertEquals(List.of("worker open"), log);
                    assertEquals(1, group.members().size());
                });
    }

    /** The supervisor takes many numbers at once, for its own cord alone. */
    @Test
    void A2_numbersAreUniqueOnAllThreads() throws InterruptedException {
        Set<Long> numbers = ConcurrentHashMap.newKeySet();
        try (ActorSystem system = ActorSystem.start("shop")) {
            Runnable spinning =
                    () -> {
                        for (int i = 0; i < MANY; i++) {
                            numbers.add(system.spin(Step.actor()).number());
                        }
                    };
            Fiber<?> onItsCord = system.cords().getFirst().spin("spins", spinning::run);
            List<Thread> others =
                    List.of(
                            Thread.startVirtualThread(spinning),
                            Thread.ofPlatform().start(spinning));
            for (Thread each : others) {
                each.join();
            }
            onItsCord.await();
        }
        assertEquals(3 * MANY, numbers.size());
    }
}
