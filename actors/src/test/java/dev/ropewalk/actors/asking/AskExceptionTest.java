package dev.ropewalk.actors.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskCycleException;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskFailedException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Overflow;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.routing.NoMembersException;
import dev.ropewalk.actors.routing.Routing;
import dev.ropewalk.actors.routing.WhenEmpty;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Rule A2: all forms of an ask fail with one type, and each cause with one of its subtypes. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class AskExceptionTest {
    private static final Duration LIMIT = Duration.ofMillis(10);

    private record Ask(Recipient<String> replyTo) {}

    /** Why there is no reply. */
    enum Why {
        SILENT(AskTimeoutException.class),
        ENDED(AskFailedException.class),
        FAILS(AskFailedException.class),
        REFUSES(AskFailedException.class),
        FULL(AskFailedException.class),
        DROPS(AskFailedException.class),
        EMPTY(AskFailedException.class),
        EMPTY_THAT_FAILS(AskFailedException.class),
        NO_KEY(AskFailedException.class);

        final Class<? extends AskException> type;

        Why(Class<? extends AskException> type) {
            this.type = type;
        }
    }

    private static ActorRef<Ask> asked(World world, Why why) {
        return switch (why) {
            case SILENT -> world.spin("silent", Actor.handler(() -> (Ask _) -> Behavior.same()));
            case ENDED -> {
                ActorRef<Ask> ended =
                        world.spin("ended", Actor.handler(() -> (Ask _) -> Behavior.same()));
                ended.stop();
                ended.awaitEnd(LIMIT);
                yield ended;
            }
            case FAILS ->
                    world.spin(
                            "fails",
                            Actor.handler(
                                    () ->
                                            (Ask _) -> {
                                                throw new Crash("fails");
                                            }));
            case REFUSES -> world.spin("refuses", Actor.handler(() -> (Ask _) -> unhandled()));
            case FULL -> full(world, Overflow.FAIL);
            case DROPS -> full(world, Overflow.DROP_NEW);
            case EMPTY -> Routing.<Ask>roundRobin().over(world.system.group("none", Ask.class));
            case EMPTY_THAT_FAILS ->
                    Routing.<Ask>roundRobin()
                            .whenEmpty(WhenEmpty.fail())
                            .over(world.system.group("none", Ask.class));
            case NO_KEY ->
                    Routing.<Ask>hash(
                                    _ -> {
                                        throw new Crash("no key");
                                    })
                            .over(List.of(asked(world, Why.SILENT)));
        };
    }

    private static Behavior<Ask> unhandled() {
        return Behavior.unhandled();
    }

    private static ActorRef<Ask> full(World world, Overflow rule) {
        ActorRef<Ask> full =
                world.spin(
                        "full",
                        Actor.<Ask>handler(
                                        () ->
                                                _ -> {
                                                    Fiber.sleep(Duration.ofSeconds(1));
                                                    return Behavior.same();
                                                })
                                .mailbox(MailboxOptions.bounded(1).withOverflow(rule)));
        Recipient<String> nobody =
                world.spin("nobody", Actor.handler(() -> (String _) -> Behavior.same()));
        full.tell(new Ask(nobody));
        world.settle();
        full.tell(new Ask(nobody));
        return full;
    }

    @ParameterizedTest
    @EnumSource(Why.class)
    void A2_eachFormOfAnAskFailsWithTheSame(Why why) {
        World.local(
                world -> {
                    ActorRef<Ask> ref = asked(world, why);
                    AskException asked =
                            assertThrows(AskException.class, () -> ref.ask(Ask::new, LIMIT));
                    assertEquals(why.type, asked.getClass());
                    CompletableFuture<String> later =
                            ref.<String>askLater(Ask::new, LIMIT).toCompletableFuture();
                    Fiber.sleep(LIMIT.multipliedBy(2));
                    assertEquals(why.type, later.exceptionNow().getClass());
                    List<ActorRef<Ask>> one = List.of(ref);
                    AskException all =
                            assertThrows(
                                    AskException.class,
                                    () -> ActorRef.<Ask, String>askAll(one, Ask::new, LIMIT));
                    assertEquals(why.type, all.getClass());
                    AskException first =
                            assertThrows(
                                    AskException.class,
                                    () -> ActorRef.<Ask, String>askFirst(one, Ask::new, LIMIT));
                    assertEquals(why.type, first.getClass());
                    if (why == Why.FULL) {
                        assertInstanceOf(MailboxFullException.class, asked.getCause());
                    } else if (why == Why.EMPTY || why == Why.EMPTY_THAT_FAILS) {
                        assertInstanceOf(NoMembersException.class, asked.getCause());
                        assertInstanceOf(NoMembersException.class, later.exceptionNow().getCause());
                    }
                });
    }

    @Test
    void A2_aCircleToo() {
        World.local(
                world -> {
                    List<Throwable> thrown = World.log();
                    ActorRef<Step> ref = world.spin("ref", Step.actor());
                    ref.tell(
                            Step.of(
                                    self ->
                                            thrown.add(
                                                    assertThrows(
                                                            AskException.class,
                                                            () ->
                                                                    self.self()
                                                                            .ask(
                                                                                    (Recipient<
                                                                                                            String>
                                                                                                    _) ->
                                                                                            Step
                                                                                                    .stop())))));
                    world.settle();
                    assertInstanceOf(AskCycleException.class, thrown.getFirst());
                });
    }
}
