package dev.ropewalk.actors.routing;

import static dev.ropewalk.actors.supervision.Tree.child;
import static dev.ropewalk.actors.supervision.Tree.restForOne;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The code of the Javadoc and of the guide's page on groups and routers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RoutingSnippetsTest {
    record Image(int size, Recipient<Integer> to) {}

    record Order(String customer, int amount) {}

    private static Actor<Image> resizer() {
        return Actor.handler(
                () ->
                        image -> {
                            image.to().tell(image.size() / 2);
                            return Behavior.same();
                        });
    }

    private static <M> Actor<M> noting(List<Object> notes) {
        return Actor.handler(
                () ->
                        message -> {
                            notes.add(message);
                            return Behavior.same();
                        });
    }

    private static void settle() {
        Fiber.sleep(Duration.ofMillis(1));
    }

    @Test
    void pool() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("app")) {
                        // @start region="pool"
                        ActorRef<Image> pool =
                                system.pool("resize", 8, resizer(), Routing.leastMailbox());
                        int size = pool.ask(to -> new Image(100, to));
                        // @end
                        assertEquals(50, size);
                    }
                });
    }

    // @start region="pool-in-tree"
    static final Pool<Image> RESIZERS = Pool.of("resize", 8, resizer());

    static ActorRef<Image> start(Actor<Order> journal) {
        ActorSystem system =
                ActorSystem.start(restForOne("app", child("journal", journal), RESIZERS.tree()));
        return system.pool(RESIZERS, Routing.roundRobin());
    }

    // @end

    @Test
    void poolInTree() {
        TestCord.run(
                () -> {
                    ActorRef<Image> pool = start(noting(new ArrayList<>()));
                    assertEquals(5, (int) pool.<Integer>ask(to -> new Image(10, to)));
                });
    }

    @Test
    void group() {
        TestCord.run(
                () -> {
                    List<Object> notes = new ArrayList<>();
                    try (ActorSystem system = ActorSystem.start("app")) {
                        ActorRef<Order> first = system.spin("first", noting(notes));
                        // @start region="group"
                        Group<Order> tills = system.group("tills", Order.class);
                        tills.join(first); // a member when this returns

                        ActorRef<Order> byCustomer =
                                Routing.hash(Order::customer)
                                        .whenEmpty(WhenEmpty.await(Duration.ofSeconds(1)))
                                        .over(tills);
                        byCustomer.tell(new Order("ada", 12));
                        // @end
                        settle();
                        assertEquals(List.of(new Order("ada", 12)), notes);
                    }
                });
    }

    @Test
    void watch() {
        TestCord.run(
                () -> {
                    List<Object> notes = new ArrayList<>();
                    try (ActorSystem system = ActorSystem.start("app")) {
                        Group<Order> tills = system.group("tills", Order.class);
                        system.start("board", board(tills, notes));
                        tills.join(system.spin("first", noting(new ArrayList<>())));
                        settle();
                        assertEquals(List.of("0 tills", "first joined"), notes);
                    }
                });
    }

    // @start region="watch"
    static Actor<String> board(Group<Order> tills, List<Object> shown) {
        return Actor.handler(
                self -> {
                    var watch =
                            self.watch(
                                    tills,
                                    change ->
                                            switch (change) {
                                                case GroupChange.Joined<Order> j ->
                                                        j.actor().name() + " joined";
                                                case GroupChange.Left<Order> l ->
                                                        l.actor().name() + " left";
                                            });
                    shown.add(watch.snapshot().size() + " tills");
                    return line -> {
                        shown.add(line);
                        return Behavior.same();
                    };
                });
    }

    // @end

    @Test
    void bus() {
        TestCord.run(
                () -> {
                    List<Object> notes = new ArrayList<>();
                    try (ActorSystem system = ActorSystem.start("app")) {
                        ActorRef<Order> audit = system.spin("audit", noting(notes));
                        ActorRef<Object> screen = system.spin("screen", noting(notes));
                        // @start region="bus"
                        EventBus<Object> bus = EventBus.make();
                        bus.subscribe(Order.class, audit);
                        bus.subscribeKey("till 7", screen);

                        bus.publish(new Order("ada", 12)); // to those of its type
                        bus.publish("till 7", "closed"); // to those of the key
                        // @end
                        settle();
                        assertEquals(Set.of(new Order("ada", 12), "closed"), Set.copyOf(notes));
                    }
                });
    }
}
