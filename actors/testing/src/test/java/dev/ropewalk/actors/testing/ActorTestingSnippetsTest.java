package dev.ropewalk.actors.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The code that the guide shows of tests of actors. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ActorTestingSnippetsTest {
    // @start region="actor"
    sealed interface Stock {}

    record Add(int count) implements Stock {}

    record Take(int count, Recipient<String> replyTo) implements Stock {}

    static Actor<Stock> store(Recipient<String> orders) {
        return Actor.handler((ActorContext<Stock> self) -> stocked(0, self, orders));
    }

    static Behavior<Stock> stocked(int left, ActorContext<Stock> self, Recipient<String> orders) {
        return message ->
                switch (message) {
                    case Add(int count) -> stocked(left + count, self, orders);
                    case Take(int count, Recipient<String> replyTo) -> {
                        if (count > left) {
                            replyTo.fail(new IllegalStateException("only " + left + " left"));
                            yield Behavior.same();
                        }
                        replyTo.tell("took " + count);
                        if (left - count < 10) {
                            orders.tell("order more");
                            self.timers().once("delivery", Duration.ofDays(2), new Add(100));
                        }
                        yield stocked(left - count, self, orders);
                    }
                };
    }

    // @end

    @Test
    void probe() {
        // @start region="probe"
        TestCord.run(
                () -> {
                    Probe<String> orders = Probe.named("orders");
                    Probe<String> replies = Probe.named("replies");
                    try (ActorSystem system = ActorSystem.start("shop")) {
                        ActorRef<Stock> store = system.spin("store", store(orders));
                        store.tell(new Add(30));
                        store.tell(new Take(25, replies));
                        replies.expect("took 25");
                        orders.expect("order more");
                        store.tell(new Take(25, replies));
                        replies.expectFailure(IllegalStateException.class);
                        orders.expectNone(Duration.ofDays(1)); // takes no time
                        store.stop();
                        assertEquals(new ExitReason.Normal(), orders.expectDown(store).reason());
                    }
                });
        // @end
    }

    @Test
    void fish() {
        TestCord.run(
                () -> {
                    Probe<Object> events = Probe.named("events");
                    List.of("tick", "tick", 7, "done").forEach(events::tell);
                    // @start region="fish"
                    events.within(
                            Duration.ofSeconds(5), // for all of it
                            () -> {
                                int number = events.fish(Duration.ofSeconds(2), Integer.class);
                                assertEquals(7, number); // what came before it is left out
                                events.expect((Object each) -> each.toString().startsWith("d"));
                            });
                    // @end
                });
    }

    private record Ask(Recipient<String> replyTo) {}

    @Test
    void answer() {
        TestCord.run(
                () -> {
                    // @start region="answer"
                    Probe<Ask> bank = Probe.named("bank");
                    bank.answer(question -> question.replyTo().tell("granted"));
                    String answer = bank.ref().ask(Ask::new);
                    // @end
                    assertEquals("granted", answer);
                });
    }

    @Test
    void steps() throws Exception {
        // @start region="steps"
        Probe<String> orders = Probe.named("orders");
        BehaviorSteps<Stock> steps = BehaviorSteps.of(store(orders));
        steps.run(new Add(12));
        String reply = steps.ask(replyTo -> new Take(5, replyTo));
        assertEquals("took 5", reply);
        orders.expect("order more");
        Effect.TimerSet timer = steps.expectEffect(Effect.TimerSet.class);
        assertEquals(Duration.ofDays(2), timer.time());
        steps.fire("delivery");
        assertEquals("took 100", steps.<String>ask(replyTo -> new Take(100, replyTo)));
        // @end
    }

    @Test
    void faults() {
        // @start region="faults"
        TestCord.run(
                () -> {
                    Probe<String> replies = Probe.named("replies");
                    Actor<Stock> store =
                            Faults.seeded(7)
                                    .crashOn(2)
                                    .delayUpTo(Duration.ofMillis(10))
                                    .drop(message -> message.equals(new Add(13)))
                                    .around(store(Probe.named("orders")).keepState());
                    try (ActorSystem system = ActorSystem.start("shop")) {
                        ActorRef<Stock> ref = system.spin("store", store);
                        ref.tell(new Add(20));
                        ref.tell(new Add(50)); // crashes, is a dead letter, and the state is kept
                        ref.tell(new Add(13)); // is lost
                        ref.tell(new Take(21, replies));
                        replies.expectFailure(IllegalStateException.class);
                    }
                });
        // @end
    }

    // @start region="trace"
    Trace run(long seed) {
        Trace trace = new Trace();
        TestCords.run(
                3,
                seed,
                true,
                cords -> {
                    Supervision rules =
                            Supervision.oneForOne().intensity(100, Duration.ofSeconds(1));
                    try (ActorSystem system = ActorSystem.start("shop", rules, trace::deadLetter)) {
                        Actor<Stock> store = store(Probe.named("orders"));
                        Actor<Stock> broken = Faults.seeded(seed).crashShare(0.01).around(store);
                        List<ActorRef<Stock>> stores = new ArrayList<>();
                        for (int i = 0; i < 1_000; i++) {
                            stores.add(
                                    system.root()
                                            .spin(
                                                    cords.get(i % 3),
                                                    "store " + i,
                                                    trace.around(broken)));
                        }
                        stores.forEach(each -> each.tell(new Add(1)));
                        Fiber.sleep(Duration.ofSeconds(1)); // until all have nothing to do
                    }
                });
        return trace;
    }

    @Test
    void theSameSeedGivesTheSameTrace() {
        run(42).expectSame(run(42));
    }
    // @end
}
