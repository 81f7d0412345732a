package dev.ropewalk.actors.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The examples of the page on looking into actors. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SeeingActorsSnippetsTest {
    private record Sell(String article) {}

    private record Login(String user, String password) {}

    private final List<String> lines = new ArrayList<>();

    private void log(String line) {
        lines.add(line);
    }

    private static Actor<Sell> stock() {
        return Actor.handler(
                () ->
                        sell -> {
                            Fiber.sleep(Duration.ofMillis(10));
                            return Behavior.same();
                        });
    }

    @Test
    void A6_dump() {
        TestCord.run(
                () -> {
                    lines.clear();
                    try (ActorSystem system = ActorSystem.start("shop")) {
                        ActorRef<Sell> stock = system.start("stock", stock());
                        stock.tell(new Sell("nut"));
                        Fiber.sleep(Duration.ofMillis(1));
                        // @start region="dump"
                        SystemDump dump = system.dump(Duration.ofSeconds(1));
                        log(dump.toString()); // a tree, for people
                        log(dump.toJson()); // for tools
                        dump.find("shop/stock").ifPresent(each -> log(each.toString()));
                        // @end
                        assertEquals(3, lines.size());
                        assertTrue(lines.getFirst().contains("handles Sell[article=nut]"));
                    }
                });
    }

    @Test
    void A6_snapshot() {
        TestCord.run(
                () -> {
                    lines.clear();
                    try (ActorSystem system = ActorSystem.start("shop")) {
                        ActorRef<Sell> stock = system.start("stock", stock());
                        for (int i = 0; i < 2_000; i++) {
                            stock.tell(new Sell("nut"));
                        }
                        // @start region="snapshot"
                        SystemSnapshot snapshot = system.snapshot();
                        for (ActorGlance actor : snapshot.actors()) {
                            if (actor.queued() > 1_000) {
                                log(actor.toString());
                            }
                        }
                        // @end
                        assertEquals(List.of("shop/stock#1 UP queued=1999 restarts=0"), lines);
                        stock.terminate();
                    }
                });
    }

    @Test
    void A6_inspect() {
        TestCord.run(
                () -> {
                    lines.clear();
                    try (ActorSystem system = ActorSystem.start("shop")) {
                        ActorRef<Sell> stock = system.start("stock", stock());
                        // @start region="inspect"
                        ActorInspector inspector = ActorInspector.of(stock);
                        Object state = inspector.state(); // the actor's own object: change nothing
                        try (ActorTrace trace = inspector.trace(100);
                                ActorStatistics statistics = inspector.statistics()) {
                            stock.tell(new Sell("nut"));
                            Fiber.sleep(Duration.ofMillis(1));
                            trace.events().forEach(event -> log(event.toString()));
                            log("in=" + statistics.in() + " out=" + statistics.out());
                        }
                        inspector.suspend(); // the message in hand is finished, no other begun
                        inspector.resume();
                        // @end
                        assertTrue(state instanceof Behavior<?>);
                        assertEquals(2, lines.size());
                        assertTrue(lines.getFirst().endsWith(" IN Sell[article=nut]"));
                        assertEquals("in=1 out=0", lines.get(1));
                    }
                });
    }

    @Test
    void A6_crash() {
        TestCord.run(
                () -> {
                    lines.clear();
                    // @start region="crash"
                    Supervision rules =
                            Supervision.oneForOne().onFailure(report -> log(report.toString()));
                    ActorSystemOptions options =
                            ActorSystemOptions.defaults()
                                    .withRedaction(
                                            thing ->
                                                    thing instanceof Login login
                                                            ? login.user()
                                                            : thing);
                    // @end
                    Tree tree = Tree.of("door", rules);
                    try (ActorSystem system =
                            ActorSystem.start(tree, options.withDeadLetters(_ -> {}))) {
                        ActorRef<Login> door =
                                system.start(
                                        "lock",
                                        Actor.handler(
                                                () ->
                                                        login -> {
                                                            throw new Crash("no such user");
                                                        }));
                        door.tell(new Login("ann", "secret"));
                        Fiber.sleep(Duration.ofMillis(1));
                        assertEquals(1, lines.size());
                        assertTrue(lines.getFirst().contains("message: ann, attempt 1"));
                        assertTrue(!lines.getFirst().contains("secret"));
                    }
                });
    }
}
