package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The code of the guide's page on channels. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ChannelSnippetsTest {
    private static final List<String> FILE = List.of("To: ann", "From: bob", "", "Hello");

    private record Price(String stock, int cents) {}

    @Test
    void C1_elementsArePassed() {
        TestCord.run(ChannelSnippetsTest::pass);
    }

    private static void pass() {
        List<String> file = FILE;
        List<String> log = new ArrayList<>();
        // @start region="pass"
        Channel<String> lines = Channel.buffered(16);
        Fiber.spin(
                "reader",
                () -> {
                    for (String line : file) {
                        lines.send(line); // waits while the buffer is full
                    }
                    lines.close();
                });
        for (String line : lines) { // waits for the next; ends with the close
            log.add(line);
        }
        // @end
        assertEquals(file, log);
    }

    @Test
    void C1_optionsMakeEveryKind() {
        TestCord.run(ChannelSnippetsTest::displace);
    }

    private static void displace() {
        List<Price> late = new ArrayList<>();
        // @start region="undelivered"
        Channel<Price> prices =
                Channel.make(
                        ChannelOptions.<Price>sliding(2)
                                .withName("prices")
                                .withUndelivered(late::add));
        prices.send(new Price("ACME", 100));
        prices.send(new Price("ACME", 101));
        prices.send(new Price("ACME", 102)); // waits for nobody: 100 goes to the hook
        prices.cancel(); // nobody wants the rest: 101 and 102 go there too
        // @end
        assertEquals(List.of(100, 101, 102), late.stream().map(Price::cents).toList());
        assertTrue(prices.toString().startsWith("shared sliding(2) channel \"prices\""));
    }

    @Test
    void C1_resultsAreValues() {
        TestCord.run(ChannelSnippetsTest::results);
    }

    private static void results() {
        List<String> log = new ArrayList<>();
        Channel<String> orders = Channel.buffered(1);
        orders.send("tea");
        for (int i = 0; i < 3; i++) {
            // @start region="results"
            switch (orders.receiveResult(Duration.ofSeconds(1))) {
                case ReceiveResult.Element<String>(String order) -> log.add(order);
                case ReceiveResult.TimedOut<String> _ -> log.add("silence");
                case ReceiveResult.Closed<String> _ -> log.add("no more");
            }
            // @end
            if (i == 1) {
                orders.close();
            }
        }
        assertEquals(List.of("tea", "silence", "no more"), log);
    }

    @Test
    void C1_closeKeepsWhatWasAcceptedAndGivesTheRestBack() {
        TestCord.run(ChannelSnippetsTest::close);
    }

    private static void close() {
        List<Object> kept = new ArrayList<>();
        // @start region="close"
        Channel<String> orders = Channel.buffered(1);
        orders.send("tea");
        Fiber<?> guest =
                Fiber.spin(
                        "guest",
                        () -> {
                            try {
                                orders.send("cake"); // waits, because the buffer is full
                            } catch (ChannelClosedException closed) {
                                kept.add(closed.element().orElseThrow()); // cake
                            }
                        });
        Fiber.snooze(); // the guest waits now
        orders.close();
        String last = orders.receive(); // tea: what was accepted stays
        // @end
        guest.await();
        assertEquals("tea", last);
        assertEquals(List.of("cake"), kept);
        assertThrows(ChannelClosedException.class, orders::receive);
    }

    @Test
    void C1_receiverThatStopsEarlyTellsTheSender() {
        TestCord.run(ChannelSnippetsTest::cancel);
    }

    private static void cancel() {
        List<String> header = new ArrayList<>();
        Channel<String> lines = Channel.rendezvous();
        Fiber<Boolean> sender =
                Fiber.spin(
                        () -> {
                            assertThrows(
                                    ChannelClosedException.class, () -> FILE.forEach(lines::send));
                            return true;
                        });
        // @start region="cancel"
        try {
            for (String line : lines) {
                if (line.isEmpty()) {
                    break;
                }
                header.add(line);
            }
        } finally {
            lines.cancel(); // the sender gets its next line back, and stops
        }
        // @end
        assertEquals(List.of("To: ann", "From: bob"), header);
        assertTrue(sender.await());
    }

    @Test
    void C1_streamAndDrain() {
        TestCord.run(ChannelSnippetsTest::stream);
    }

    private static void stream() {
        Channel<String> lines = Channel.buffered(16);
        FILE.forEach(lines::send);
        // @start region="stream"
        List<String> soFar = lines.drain(); // what is there now; never waits
        Fiber.spin(
                () -> {
                    lines.send("warning: late");
                    lines.send("done");
                    lines.close();
                });
        long warnings =
                lines.stream() // waits, until the close
                        .filter(line -> line.startsWith("warning"))
                        .count();
        // @end
        assertEquals(FILE, soFar);
        assertEquals(1, warnings);
        assertTrue(lines.isClosed());
    }

    // @start region="ports"
    private static void read(List<String> file, SendPort<String> to) {
        try {
            file.forEach(to::send);
            to.close();
        } catch (IllegalArgumentException broken) {
            to.close(broken); // the receiver gets it as a cause
        }
    }

    private static int count(ReceivePort<String> from) {
        int lines = 0;
        for (String line : from) {
            lines += line.isEmpty() ? 0 : 1;
        }
        return lines;
    }

    // @end

    @Test
    void C1_portsAreTheSidesOfAChannel() {
        TestCord.run(
                () -> {
                    Channel<String> lines = Channel.rendezvous();
                    Fiber.spin(() -> read(FILE, lines));
                    assertEquals(3, count(lines));
                });
    }

    @Test
    void C3_plainThreadsSendAndReceive() {
        assertEquals(FILE, Cord.run(ChannelSnippetsTest::threads));
    }

    private static List<String> threads() {
        List<String> file = FILE;
        List<String> log = new ArrayList<>();
        // @start region="threads"
        Channel<String> lines = Channel.buffered(16);
        Thread.startVirtualThread(
                () -> {
                    file.forEach(lines::send); // blocks this thread while the buffer is full
                    lines.close();
                });
        for (String line : lines) { // in a fiber: its cord runs others meanwhile
            log.add(line);
        }
        // @end
        return log;
    }
}
