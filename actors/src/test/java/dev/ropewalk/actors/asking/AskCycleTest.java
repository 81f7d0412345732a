package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rule A2: the ask that would close a cycle of actors all blocked in ask fails, naming the path.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskCycleTest {
    /**
     * Asks the first of {@code route} with the rest of it; replies what came back, or the error.
     */
    private record Visit(List<ActorRef<Visit>> route, Recipient<String> replyTo) {}

    private static Actor<Visit> visiting() {
        return Actor.handler(
                _ ->
                        visit -> {
                            visit.replyTo().tell(go(visit.route()));
                            return Behavior.same();
                        });
    }

    private static String go(List<ActorRef<Visit>> route) {
        if (route.isEmpty()) {
            return "arrived";
        }
        List<ActorRef<Visit>> rest = route.subList(1, route.size());
        try {
            return route.getFirst().ask(to -> new Visit(rest, to), Duration.ofHours(1));
        } catch (AskCycleException e) {
            return Errors.inShort(String.valueOf(e.getMessage()));
        }
    }

    private static String circle(String path) {
        return "this ask would close a circle of actors that wait for replies: "
                + path
                + "; let one of them tell instead of ask";
    }

    /** Three actors; in a remote world on two cords. */
    private static List<ActorRef<Visit>> three(World world) {
        return List.of(
                world.spin("a", visiting()),
                world.system.spin("b", visiting()),
                world.spin("c", visiting()));
    }

    @Test
    void A2_ofOneTwoAndThreeActors() {
        World.anywhere(
                world -> {
                    List<ActorRef<Visit>> actors = three(world);
                    ActorRef<Visit> a = actors.get(0);
                    ActorRef<Visit> b = actors.get(1);
                    ActorRef<Visit> c = actors.get(2);
                    assertEquals(circle("a -> a"), go(List.of(a, a)));
                    assertEquals(circle("b -> a -> b"), go(List.of(a, b, a)));
                    assertEquals(circle("c -> a -> b -> c"), go(List.of(a, b, c, a)));
                    assertEquals(circle("c -> b -> c"), go(List.of(a, b, c, b)));
                    assertEquals("arrived", go(List.of(a, b, c)));
                });
    }

    @Test
    void A2_aFailedAskSendsNothing() {
        World.anywhere(
                world -> {
                    List<String> seen = World.log();
                    ActorRef<Recipient<String>> ref =
                            world.spin(
                                    "self-asking",
                                    Actor.handler(
                                            self ->
                                                    replyTo -> {
                                                        seen.add("asked");
                                                        assertThrows(
                                                                AskCycleException.class,
                                                                () ->
                                                                        self.self()
                                                                                .<String>ask(
                                                                                        to -> to));
                                                        replyTo.tell("done");
                                                        return Behavior.same();
                                                    }));
                    assertEquals("done", ref.<String>ask(to -> to));
                    world.settle();
                    assertEquals(List.of("asked"), seen);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A2_anAskThatIsOverIsNoPartOfACircle() {
        World.anywhere(
                world -> {
                    List<Recipient<String>> held = World.log();
                    ActorRef<Recipient<String>> silent =
                            world.spin(
                                    "silent",
                                    Actor.handler(
                                            _ ->
                                                    replyTo -> {
                                                        held.add(replyTo);
                                                        return Behavior.same();
                                                    }));
                    ActorRef<Visit> impatient =
                            world.spin(
                                    "impatient",
                                    Actor.handler(
                                            _ ->
                                                    visit -> {
                                                        assertThrows(
                                                                AskTimeoutException.class,
                                                                () ->
                                                                        silent.<String>ask(
                                                                                to -> to,
                                                                                Duration.ofNanos(
                                                                                        1)));
                                                        visit.replyTo().tell(go(visit.route()));
                                                        return Behavior.same();
                                                    }));
                    assertEquals("arrived", go(List.of(impatient)));
                    ActorRef<Visit> last = world.spin("last", visiting());
                    assertEquals("arrived", go(List.of(impatient, last)));
                    assertEquals(
                            circle("last -> impatient -> last"),
                            go(List.of(impatient, last, impatient)));
                });
    }

    /** The one asked has replied, and now asks back before the first asker has had its turn. */
    @Test
    void A2_anAskThatIsAnsweredIsNoPartOfACircle() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    List<ActorRef<Visit>> peers = World.log();
                    ActorRef<Recipient<String>> replyFirst =
                            world.spin(
                                    "reply first",
                                    Actor.handler(
                                            _ ->
                                                    replyTo -> {
                                                        replyTo.tell("replied");
                                                        log.add(go(peers));
                                                        return Behavior.same();
                                                    }));
                    ActorRef<Visit> asker =
                            world.spin(
                                    "asker",
                                    Actor.handler(
                                            _ ->
                                                    visit -> {
                                                        String got =
                                                                visit.route().isEmpty()
                                                                        ? "arrived"
                                                                        : replyFirst.ask(to -> to);
                                                        visit.replyTo().tell(got);
                                                        return Behavior.same();
                                                    }));
                    peers.add(asker);
                    assertEquals("replied", go(List.of(asker, asker)));
                    world.until(() -> !log.isEmpty());
                    assertEquals(List.of("arrived"), log);
                });
    }

    /** Of asks that close a circle at the same time at least one fails, so none waits for ever. */
    @Test
    void A2_ofAsksThatCrossOneFails() {
        World.anywhere(
                world -> {
                    for (int round = 0; round < 50; round++) {
                        ActorRef<Visit> a = world.spin("a" + round, visiting());
                        ActorRef<Visit> b = world.system.spin("b" + round, visiting());
                        List<Fiber<String>> askers = new ArrayList<>();
                        askers.add(Cord.current().spin("to a", () -> go(List.of(a, b, a))));
                        askers.add(world.home.spin("to b", () -> go(List.of(b, a, b))));
                        for (Fiber<String> asker : askers) {
                            String got = asker.await();
                            String here = a.name();
                            String there = b.name();
                            if (!got.equals(circle(there + " -> " + here + " -> " + there))
                                    && !got.equals(circle(here + " -> " + there + " -> " + here))) {
                                assertEquals("arrived", got);
                            }
                        }
                        a.stop();
                        b.stop();
                    }
                });
    }
}
