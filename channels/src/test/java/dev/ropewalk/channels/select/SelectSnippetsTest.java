package dev.ropewalk.channels.select;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.ReceiveResult;
import dev.ropewalk.channels.Ticker;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The code of the guide's page on select. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SelectSnippetsTest {
    /** What the first select of the page answers after something has happened. */
    private static String office(Happening first) {
        Channel<String> orders = Channel.buffered(1);
        Channel<String> replies = Channel.rendezvous();
        Event closing = Event.local();
        Fiber<?> cook = Fiber.spin("cook", () -> Fiber.sleep(Duration.ofDays(1)));
        Fiber.spin(() -> first.happens(orders, replies, cook, closing));
        try {
            // @start region="select"
            String what =
                    Select.of(
                                    orders.onReceive(order -> "order: " + order),
                                    replies.onSend("ready", () -> "reply taken"),
                                    cook.onOutcome(ended -> ended.name() + " has ended"),
                                    closing.onSignal(() -> "we close"),
                                    Select.after(Duration.ofSeconds(5), () -> "silence"))
                            .await();
            // @end
            return what;
        } finally {
            assertEquals(
                    0, orders.snapshot().waitingReceivers() + replies.snapshot().waitingSenders());
            cook.terminate();
        }
    }

    private interface Happening {
        void happens(Channel<String> orders, Channel<String> replies, Fiber<?> cook, Event closing);
    }

    @Test
    void C4_theFirstOfManyIsTaken() {
        TestCord.run(
                () -> {
                    assertEquals("silence", office((o, r, c, e) -> {}));
                    assertEquals("order: tea", office((o, r, c, e) -> o.send("tea")));
                    assertEquals("reply taken", office((o, r, c, e) -> r.receive()));
                    assertEquals("cook has ended", office((o, r, c, e) -> c.terminate()));
                    assertEquals("we close", office((o, r, c, e) -> e.signal()));
                });
    }

    @Test
    void C4_priorityAndDefault() {
        TestCord.run(SelectSnippetsTest::priority);
    }

    private static void priority() {
        Channel<String> urgent = Channel.buffered(1);
        Channel<String> normal = Channel.buffered(1);
        List<String> log = new ArrayList<>();
        normal.send("normal");
        urgent.send("urgent");
        // @start region="priority"
        Select<String> next =
                Select.of(
                                urgent.onReceive(job -> job),
                                normal.onReceive(job -> job),
                                Select.otherwise(() -> "nothing to do"))
                        .byPriority();
        for (int i = 0; i < 3; i++) {
            log.add(next.await()); // urgent, normal, nothing to do
        }
        // @end
        assertEquals(List.of("urgent", "normal", "nothing to do"), log);
    }

    // @start region="disabled"
    /** Two orders at a time; ends when the orders are closed and all are done. */
    private static final class Kitchen {
        private final Channel<String> orders;
        private final List<String> served;
        private final Channel<String> done = Channel.localRendezvous();
        private boolean isOpen = true;
        private int busy;

        Kitchen(Channel<String> orders, List<String> served) {
            this.orders = orders;
            this.served = served;
        }

        void run() {
            while (isOpen || busy > 0) {
                Select.of(
                                orders.onReceiveResult(this::begin).onlyIf(isOpen && busy < 2),
                                done.onReceive(this::serve))
                        .await();
            }
        }

        private boolean begin(ReceiveResult<String> next) {
            if (next instanceof ReceiveResult.Element<String>(String order)) {
                busy++;
                Fiber.spin("cook", () -> cook(order));
            } else {
                isOpen = false; // a closed channel is always ready: leave it out from now on
            }
            return isOpen;
        }

        private void cook(String order) {
            Fiber.sleep(Duration.ofMinutes(1));
            done.send(order);
        }

        private boolean serve(String order) {
            busy--;
            return served.add(order);
        }
    }

    // @end

    @Test
    void C4_clausesAreDisabledInALoop() {
        TestCord.run(
                () -> {
                    List<String> served = new ArrayList<>();
                    Channel<String> orders = Channel.buffered(8);
                    for (int i = 0; i < 5; i++) {
                        orders.send("order " + i);
                    }
                    Fiber<?> kitchen = Fiber.spin(() -> new Kitchen(orders, served).run());
                    Fiber.sleep(Duration.ofSeconds(1));
                    assertEquals(3, orders.snapshot().elements());
                    orders.close();
                    kitchen.await();
                    assertEquals(5, served.size());
                });
    }

    @Test
    void C4_aListOfClausesGrowsAndShrinks() {
        TestCord.run(SelectSnippetsTest::queue);
    }

    private static void queue() {
        Channel<Integer> in = Channel.localRendezvous();
        Channel<Integer> out = Channel.localRendezvous();
        Fiber<?> buffer = Fiber.spin(() -> passOn(in, out));
        for (int i = 0; i < 3; i++) {
            in.send(i); // nobody receives yet
        }
        List<Integer> received = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            received.add(out.receive());
        }
        assertEquals(List.of(0, 1, 2), received);
        buffer.terminate();
    }

    private static void passOn(Channel<Integer> in, Channel<Integer> out) {
        // @start region="list"
        Deque<Integer> waiting = new ArrayDeque<>();
        while (true) {
            List<Clause<Boolean>> clauses = new ArrayList<>();
            clauses.add(in.onReceive(waiting::add));
            if (!waiting.isEmpty()) {
                clauses.add(out.onSend(waiting.peek(), () -> waiting.poll() != null));
            }
            Select.of(clauses).await();
        }
        // @end
    }

    @Test
    void C4_limitForEachRoundAndForAll() {
        TestCord.run(SelectSnippetsTest::limits);
    }

    private static void limits() {
        List<String> log = new ArrayList<>();
        Channel<String> orders = Channel.rendezvous();
        Fiber.spin(
                () -> {
                    for (Duration pause : List.of(seconds(4), seconds(3), seconds(30))) {
                        Fiber.sleep(pause);
                        orders.send("tea");
                    }
                });
        // @start region="limits"
        ReceivePort<Long> evening = Ticker.after(Duration.ofMinutes(1)); // one for all rounds
        String what = "";
        while (!what.equals("evening")) {
            what =
                    Select.of(
                                    orders.onReceive(order -> order),
                                    evening.onReceive(n -> "evening"),
                                    Select.after(Duration.ofSeconds(20), () -> "silence"))
                            .await(); // 20 s from here, in each round
            log.add(what);
        }
        // @end
        assertEquals(List.of("tea", "tea", "silence", "tea", "silence", "evening"), log);
    }

    private static Duration seconds(int n) {
        return Duration.ofSeconds(n);
    }

    /** What the page says of clauses that were not taken. */
    @Test
    void C4_sendThatWasNotTakenTellsNoHook() {
        TestCord.run(
                () -> {
                    List<Integer> lost = new ArrayList<>();
                    Channel<Integer> latest =
                            Channel.make(
                                    ChannelOptions.<Integer>conflated().withUndelivered(lost::add));
                    latest.send(1);
                    Channel<Integer> ready = Channel.buffered(1);
                    ready.send(2);
                    Select<String> select =
                            Select.of(
                                            ready.onReceive(i -> "received"),
                                            latest.onSend(3, () -> "sent"))
                                    .byPriority();
                    assertEquals("received", select.await());
                    assertEquals(List.of(), lost);
                    assertEquals("sent", select.await());
                    assertEquals(List.of(1), lost);
                    assertEquals(3, latest.receive());
                });
    }
}
