package dev.ropewalk.actors.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTimeoutException;
import dev.ropewalk.fibers.WaitInterruptedException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A6: the event bus. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EventBusTest {
    /** What is published. */
    private sealed interface Event {}

    private record Placed(int number) implements Event {}

    private record Paid(int number) implements Event {}

    private static ActorRef<Event> listener(World world, String name, List<String> log) {
        return world.spin(name, noting(name, log));
    }

    private static Actor<Event> noting(String name, List<String> log) {
        return Actor.handler(
                _ ->
                        event -> {
                            log.add(name + ":" + event);
                            return Behavior.same();
                        });
    }

    @Test
    void A6_byType() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    bus.subscribe(Placed.class, listener(world, "placed", log));
                    bus.subscribe(Event.class, listener(world, "all", log));
                    assertEquals(2, bus.publish(new Placed(1)));
                    assertEquals(1, bus.publish(new Paid(2)));
                    world.until(() -> log.size() == 3);
                    assertEquals(
                            List.of(
                                    "all:Paid[number=2]",
                                    "all:Placed[number=1]",
                                    "placed:Placed[number=1]"),
                            log.stream().sorted().toList());
                });
    }

    @Test
    void A6_byKey() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    bus.subscribeKey("a", listener(world, "a", log));
                    bus.subscribeKey("b", listener(world, "b", log));
                    bus.subscribe(Event.class, listener(world, "typed", log));
                    assertEquals(1, bus.publish("a", new Paid(1)));
                    assertEquals(0, bus.publish("c", new Paid(2)));
                    assertEquals(1, bus.publish("b", new Paid(3)));
                    world.until(() -> log.size() == 2);
                    assertEquals(
                            List.of("a:Paid[number=1]", "b:Paid[number=3]"),
                            log.stream().sorted().toList());
                });
    }

    /** Two subscriptions that fit one event bring it once. */
    @Test
    void A6_anActorGetsAnEventOnce() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    ActorRef<Event> ref = listener(world, "l", log);
                    EventSubscription first = bus.subscribe(Event.class, ref);
                    bus.subscribe(Paid.class, ref);
                    assertEquals(1, bus.publish(new Paid(1)));
                    first.close();
                    first.close();
                    assertEquals(0, bus.publish(new Placed(2)));
                    assertEquals(1, bus.publish(new Paid(3)));
                    world.settle();
                    assertEquals(List.of("l:Paid[number=1]", "l:Paid[number=3]"), log);
                });
    }

    @Test
    void A6_anActorThatEndsIsNoSubscriber() {
        World.anywhere(
                world -> {
                    EventBus<Event> bus = EventBus.make();
                    ActorRef<Event> ref = listener(world, "l", World.log());
                    bus.subscribe(Event.class, ref);
                    bus.subscribeKey("k", ref);
                    ref.stop();
                    world.until(() -> bus.subscriptions() == 0);
                    assertEquals(0, bus.publish(new Paid(1)));
                    assertEquals(0, bus.publish("k", new Paid(1)));
                    bus.subscribe(Event.class, ref); // too late
                    world.until(() -> bus.subscriptions() == 0);
                    assertEquals(List.of(), world.deadLetters());
                });
    }

    @Test
    void A6_aRouterSubscribes() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Group<Event> group = world.system.group("g", Event.class);
                    group.join(listener(world, "a", log));
                    group.join(listener(world, "b", log));
                    EventBus<Event> bus = EventBus.make();
                    bus.subscribe(Event.class, Routing.<Event>roundRobin().over(group));
                    bus.publish(new Paid(1));
                    bus.publish(new Paid(2));
                    world.settle();
                    assertEquals(
                            List.of("a:Paid[number=1]", "b:Paid[number=2]"),
                            log.stream().sorted().toList());
                });
    }

    /** Each by its mailbox: one holds the publisher up, one fails, one drops; the rest get it. */
    @Test
    void A3_slowSubscribers() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    for (Overflow overflow :
                            List.of(Overflow.FAIL, Overflow.DROP_NEW, Overflow.SUSPEND)) {
                        MailboxOptions small = MailboxOptions.bounded(1).withOverflow(overflow);
                        bus.subscribe(
                                Event.class,
                                world.spin(
                                        "" + overflow,
                                        Actor.<Event>handler(
                                                        _ ->
                                                                event -> {
                                                                    Fiber.sleep(
                                                                            Duration.ofSeconds(1));
                                                                    log.add(overflow + ":" + event);
                                                                    return Behavior.same();
                                                                })
                                                .mailbox(small)));
                    }
                    bus.subscribe(Event.class, listener(world, "quick", log));
                    world.settle();
                    long beganNs = world.home.nanoTime();
                    for (int i = 0; i < 4; i++) {
                        bus.publish(new Paid(i));
                        world.settle();
                    }
                    assertEquals(2, (world.home.nanoTime() - beganNs) / 1_000_000_000, "held up");
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertEquals(4, log.stream().filter(l -> l.startsWith("quick")).count());
                    assertEquals(4, log.stream().filter(l -> l.startsWith("SUSPEND")).count());
                    long failed =
                            world.letters.stream()
                                    .filter(l -> Errors.inShort(l.recipient()).equals("FAIL"))
                                    .count();
                    long got = log.stream().filter(l -> l.startsWith("FAIL")).count();
                    assertEquals(4, failed + got);
                });
    }

    /** They stand before the one that gets it. */
    @Test
    void A6_oneThatRefusesAnEventKeepsNoOtherFromIt() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    Group<Event> empty = world.system.group("empty", Event.class);
                    bus.subscribe(Event.class, Routing.<Event>roundRobin().over(empty));
                    ActorRef<Event> full = world.spin("full", starting(Overflow.FAIL));
                    full.tell(new Paid(0));
                    bus.subscribe(Event.class, Routing.<Event>roundRobin().over(List.of(full)));
                    bus.subscribe(Event.class, listener(world, "last", log));
                    assertEquals(3, bus.publish(new Paid(1)));
                    world.until(() -> log.size() == 1);
                    assertEquals(
                            List.of(DeadLetter.Reason.NO_MEMBERS, DeadLetter.Reason.REFUSED),
                            world.letters.stream().map(DeadLetter::reason).toList());
                    full.terminate();
                    world.settle();
                    world.letters.clear();
                });
    }

    /** It takes an hour to start, and has room for one message. */
    private static Actor<Event> starting(Overflow overflow) {
        return Actor.<Event>handler(
                        _ -> {
                            Fiber.sleep(Duration.ofHours(1));
                            return Behavior.stopped();
                        })
                .mailbox(MailboxOptions.bounded(1).withOverflow(overflow));
    }

    /** The function by which it chooses fails. */
    private static ActorRef<Event> broken(World world, String name, Runnable failing) {
        return Routing.<Event>hash(
                        event -> {
                            failing.run();
                            return event;
                        })
                .over(List.of(world.spin(name, noting(name, World.log()))));
    }

    @Test
    void misuse_aFunctionThatThrowsKeepsNoOtherFromTheEvent() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    for (String name : List.of("first", "second")) {
                        Runnable failing =
                                () -> {
                                    throw new IllegalStateException(name);
                                };
                        bus.subscribe(Event.class, broken(world, name, failing));
                    }
                    bus.subscribe(Event.class, listener(world, "last", log));
                    IllegalArgumentException thrown =
                            assertThrows(
                                    IllegalArgumentException.class, () -> bus.publish(new Paid(1)));
                    Errors.assertMentions(thrown, "a hash router cannot send");
                    assertEquals(1, thrown.getSuppressed().length);
                    world.until(() -> log.size() == 1);
                });
    }

    /** The publisher's own limit ends the publish. */
    @Test
    void A6_aPublisherThatIsCancelledPublishesNoFurther() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    ActorRef<Event> slow = world.spin("slow", starting(Overflow.SUSPEND));
                    slow.tell(new Paid(0));
                    bus.subscribe(Event.class, slow);
                    bus.subscribe(Event.class, listener(world, "last", log));
                    assertThrows(
                            FiberTimeoutException.class,
                            () ->
                                    CancelScope.<RuntimeException>cancelAfter(
                                            Duration.ofSeconds(1),
                                            () -> {
                                                bus.publish(new Paid(1));
                                            }));
                    world.settle();
                    assertEquals(List.of(), log);
                    slow.terminate();
                    world.settle();
                    world.letters.clear();
                });
    }

    /** The same of a thread without fibers. */
    @Test
    void A6_aPublishingThreadThatIsInterruptedPublishesNoFurther() {
        World.remote(
                world -> {
                    List<String> log = World.log();
                    List<Throwable> thrown = World.log();
                    EventBus<Event> bus = EventBus.make();
                    ActorRef<Event> slow = world.spin("slow", starting(Overflow.SUSPEND));
                    slow.tell(new Paid(0));
                    bus.subscribe(Event.class, slow);
                    bus.subscribe(Event.class, listener(world, "last", log));
                    Thread publisher =
                            new Thread(
                                    () -> {
                                        Thread.currentThread().interrupt();
                                        try {
                                            bus.publish(new Paid(1));
                                        } catch (WaitInterruptedException e) {
                                            thrown.add(e);
                                        }
                                    });
                    publisher.start();
                    world.until(() -> !publisher.isAlive());
                    assertEquals(1, thrown.size());
                    world.settle();
                    assertEquals(List.of(), log);
                    slow.terminate();
                    world.settle();
                    world.letters.clear();
                });
    }

    @Test
    void misuse_anErrorOfAFunctionKeepsNoOtherFromTheEvent() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    EventBus<Event> bus = EventBus.make();
                    Runnable failing =
                            () -> {
                                throw new AssertionError("planted");
                            };
                    bus.subscribe(Event.class, broken(world, "broken", failing));
                    bus.subscribe(Event.class, listener(world, "last", log));
                    AssertionError thrown =
                            assertThrows(AssertionError.class, () -> bus.publish(new Paid(1)));
                    assertEquals("planted", thrown.getMessage());
                    world.settle();
                    assertEquals(List.of("last:Paid[number=1]"), log);
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> bus.publish(Paid.class, new Paid(2)));
                });
    }

    @Test
    void misuse_aTypeForAKey() {
        World.local(
                world ->
                        Errors.assertMentions(
                                assertThrows(
                                        IllegalArgumentException.class,
                                        () ->
                                                EventBus.<Event>make()
                                                        .subscribeKey(
                                                                Paid.class,
                                                                listener(world, "l", World.log()))),
                                "subscribe(type, actor)"));
    }
}
