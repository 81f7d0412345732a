package dev.ropewalk.actors.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;

/** The code of the Javadoc and of the guide's page on request servers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ServerSnippetsTest {
    // @start region="stock"
    sealed interface Stock {}

    record Take(int pieces, Recipient<Boolean> replyTo) implements Stock, Request<Boolean> {}

    record Put(int pieces) implements Stock {}

    static Actor<Stock> stock() {
        return Server.<Stock, Integer>of(0)
                .call(
                        Take.class,
                        (left, take) ->
                                take.pieces() <= left
                                        ? Reply.of(true, left - take.pieces())
                                        : Reply.of(false, left))
                .cast(Put.class, (left, put) -> left + put.pieces())
                .actor(Stock.class); // each message of the protocol has a function
    }

    // @end

    @Test
    void stockIsKept() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("shop")) {
                        ActorRef<Stock> stock = system.spin("stock", stock());
                        stock.tell(new Put(3));
                        assertEquals(true, stock.<Boolean>ask(to -> new Take(2, to)));
                        assertEquals(false, stock.<Boolean>ask(to -> new Take(2, to)));
                    }
                });
    }

    /** The messages of a counter that resets itself. */
    sealed interface Count {}

    record Add() implements Count {}

    record Get(Recipient<Integer> replyTo) implements Count, Request<Integer> {}

    private record Reset() implements Count {}

    // @start region="context"
    static Actor<Count> counter() {
        return Actor.handler(
                (ActorContext<Count> self) -> {
                    self.timers().fixedRate(Duration.ofHours(1), new Reset());
                    return Server.<Count, Integer>of(0)
                            .call(Get.class, (count, _) -> Reply.of(count, count))
                            .cast(Add.class, (count, _) -> count + 1)
                            .info(Reset.class, (_, _) -> 0)
                            .behavior(self);
                });
    }

    // @end

    @Test
    void counterIsReset() {
        TestCord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("app")) {
                        ActorRef<Count> counter = system.spin("counter", counter());
                        counter.tell(new Add());
                        counter.tell(new Add());
                        assertEquals(2, (int) counter.<Integer>ask(Get::new));
                        Fiber.sleep(Duration.ofMinutes(61));
                        assertEquals(0, (int) counter.<Integer>ask(Get::new));
                    }
                });
    }
}
