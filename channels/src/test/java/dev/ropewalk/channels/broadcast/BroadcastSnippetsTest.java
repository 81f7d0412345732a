package dev.ropewalk.channels.broadcast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Ports;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.Ticker;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The code of the guide's page on broadcasts, tickers, and fibers that feed channels. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BroadcastSnippetsTest {
    private record Price(String stock, int cents) {}

    @Test
    void C5_eachSubscriberHasARuleOfItsOwn() {
        TestCord.run(BroadcastSnippetsTest::broadcast);
    }

    private static void broadcast() {
        // @start region="broadcast"
        Broadcast<Price> prices = Broadcast.make(BroadcastOptions.create().withReplay(1));
        prices.send(new Price("ACME", 100)); // nobody is there, but it is replayed

        ReceivePort<Price> ledger = prices.subscribe(ChannelOptions.buffered(64));
        ReceivePort<Price> screen = prices.subscribe(ChannelOptions.conflated());
        prices.send(new Price("ACME", 101));
        prices.send(new Price("ACME", 102));

        List<Price> all = ledger.drain(); // 100, 101, 102
        Price newest = screen.receive(); // 102
        screen.cancel(); // leaves
        // @end
        assertEquals(List.of(100, 101, 102), all.stream().map(Price::cents).toList());
        assertEquals(102, newest.cents());
        assertEquals(1, prices.subscribers());
    }

    @Test
    void C5_topicReachesThoseOfTheKey() {
        TestCord.run(BroadcastSnippetsTest::topic);
    }

    private static void topic() {
        // @start region="topic"
        Topic<String, Price> prices = Topic.make();
        ReceivePort<Price> acme = prices.subscribe("ACME", ChannelOptions.buffered(64));
        prices.send("ACME", new Price("ACME", 100));
        prices.send("EMCA", new Price("EMCA", 7)); // nobody subscribed to it
        Price mine = acme.receive();
        prices.forget("ACME"); // closes acme, and keeps nothing for the key
        // @end
        assertEquals(100, mine.cents());
        assertTrue(acme.isClosed());
    }

    @Test
    void C5_ticksStandInASelect() {
        TestCord.run(BroadcastSnippetsTest::tick);
    }

    private static void tick() {
        List<String> log = new ArrayList<>();
        Channel<String> orders = Channel.rendezvous();
        Fiber.spin(
                () -> {
                    Fiber.sleep(Duration.ofSeconds(12));
                    orders.send("tea");
                });
        // @start region="ticker"
        ReceivePort<Long> beat = Ticker.every(Duration.ofSeconds(10));
        ReceivePort<Long> evening = Ticker.after(Duration.ofSeconds(25));
        String what = "";
        while (!what.equals("evening")) {
            what =
                    Select.of(
                                    orders.onReceive(order -> order),
                                    beat.onReceive(n -> "beat " + n), // 1, 2, ...
                                    evening.onReceive(n -> "evening"))
                            .await();
            log.add(what);
        }
        // @end
        assertEquals(List.of("beat 1", "tea", "beat 2", "evening"), log);
    }

    @Test
    void C5_fibersFeedChannels() {
        TestCord.run(BroadcastSnippetsTest::feed);
    }

    private static void feed() {
        // @start region="feed"
        ReceivePort<Integer> odd =
                Ports.produce(
                        "odd",
                        ChannelOptions.buffered(4),
                        to -> {
                            for (int i = 1; i < 10; i += 2) {
                                to.send(i);
                            }
                        }); // closed when the body ends
        ReceivePort<Integer> even =
                Ports.produce(
                        "even",
                        ChannelOptions.buffered(4),
                        to -> IntStream.range(0, 5).forEach(i -> to.send(2 * i)));

        ReceivePort<Integer> both = Ports.merge(ChannelOptions.rendezvous(), List.of(odd, even));

        Channel<Integer> left = Channel.buffered(16);
        Channel<Integer> right = Channel.buffered(16);
        Ports.fanOut(both, List.of(left, right)).await(); // closes left and right at the end
        // @end
        assertTrue(left.isClosed() && right.isClosed());
        assertEquals(
                IntStream.range(0, 10).boxed().toList(),
                Stream.concat(left.stream(), right.stream()).sorted().toList());
    }
}
