package dev.ropewalk.channels.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Ports;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Futures;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;

/** The code that the Javadoc and the guide show of flows. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FlowSnippetsTest {
    private static Flow.Publisher<String> lines(String... lines) {
        return Flows.publisher(
                Flows.sharedCord(),
                () ->
                        Ports.<String>produce(
                                "lines",
                                ChannelOptions.rendezvous(),
                                to -> List.of(lines).forEach(to::send)));
    }

    @Test
    void in() {
        List<String> stored = new ArrayList<>();
        Cord.run(
                () -> {
                    Flow.Publisher<String> publisher = lines("a", "quit", "b");
                    // @start region="in"
                    ReceivePort<String> lines = Flows.receivePort(publisher, 64);
                    for (String line : lines) { // waits; more is requested as it goes
                        if (line.equals("quit")) {
                            lines.cancel(); // and with it the subscription
                            break;
                        }
                        stored.add(line);
                    }
                    // @end
                });
        assertEquals(List.of("a"), stored);
    }

    @Test
    void cold() {
        Cord cord = Flows.sharedCord();
        // @start region="cold"
        Flow.Publisher<Integer> squares =
                Flows.publisher(
                        cord,
                        () ->
                                Ports.produce(
                                        "squares",
                                        ChannelOptions.rendezvous(),
                                        to -> {
                                            for (int i = 1; i <= 3; i++) {
                                                to.send(i * i); // waits for demand
                                            }
                                        }));
        // @end
        Probe<Integer> first = Probe.ofAll();
        Probe<Integer> second = Probe.ofAll();
        squares.subscribe(first);
        squares.subscribe(second);
        first.awaitEnd();
        second.awaitEnd();
        assertEquals(List.of(1, 4, 9), first.elements());
        assertEquals(List.of(1, 4, 9), second.elements());
    }

    @Test
    void out() {
        Probe<String> subscriber = Probe.ofAll();
        Cord.run(
                () -> {
                    // @start region="out"
                    Channel<String> events = Channel.buffered(64);
                    Flow.Publisher<String> publisher = Flows.publisher(Cord.current(), events);
                    publisher.subscribe(subscriber); // once
                    events.send("begin"); // waits while nothing is requested and 64 are there
                    events.send("end");
                    events.close(); // onComplete, after both
                    // @end
                    while (!subscriber.signals().contains("onComplete")) {
                        Fiber.snooze();
                    }
                });
        assertEquals(List.of("begin", "end"), subscriber.elements());
    }

    @Test
    void subscriber() {
        List<Integer> got = new ArrayList<>();
        Cord.run(
                () -> {
                    SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>();
                    // @start region="subscriber"
                    Channel<Integer> numbers = Channel.buffered(8);
                    PortSubscriber<Integer> subscriber =
                            Flows.subscriber(Cord.current(), numbers, 16);
                    publisher.subscribe(subscriber);
                    // @end
                    publisher.submit(1);
                    publisher.submit(2);
                    publisher.close();
                    // @start region="completion"
                    for (int number : numbers) { // until the publisher completes
                        got.add(number);
                    }
                    long sent = Futures.await(subscriber.completion()); // or its failure
                    // @end
                    assertEquals(2, sent);
                });
        assertEquals(List.of(1, 2), got);
    }

    @Test
    void processor() {
        Cord cord = Flows.sharedCord();
        Flow.Publisher<String> publisher = lines("1", "2");
        Probe<Integer> subscriber = Probe.ofAll();
        // @start region="processor"
        Flow.Processor<String, Integer> parse = Flows.processor(cord, 16, Integer::parseInt);
        publisher.subscribe(parse);
        parse.subscribe(subscriber);
        // @end
        subscriber.awaitEnd();
        assertEquals(List.of(1, 2), subscriber.elements());
        assertTrue(subscriber.signals().contains("onComplete"));
    }
}
