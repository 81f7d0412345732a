package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule C5: elements that come with time. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TickerTest {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private static long passed(long startNs) {
        return Cord.current().nanoTime() - startNs;
    }

    @Test
    void C5_ticksComeAtTheirTimesAndMissedOnesAreSkipped() {
        TestCord.run(
                () -> {
                    long startNs = Cord.current().nanoTime();
                    ReceivePort<Long> ticker = Ticker.every(PERIOD);
                    assertNull(ticker.tryReceive());
                    assertEquals(1, ticker.receive());
                    assertEquals(PERIOD.toNanos(), passed(startNs));
                    Fiber.sleep(PERIOD.multipliedBy(3).plusMillis(500));
                    assertEquals(4, ticker.receive(), "2 and 3 were missed");
                    assertNull(ticker.tryReceive());
                    assertEquals(5, ticker.receive());
                    assertEquals(PERIOD.multipliedBy(5).toNanos(), passed(startNs));
                    assertNull(ticker.receive(PERIOD.dividedBy(2)));
                    assertEquals(6, ticker.receive(PERIOD));
                });
    }

    @Test
    void C5_afterTicksOnceAndIsClosedThen() {
        TestCord.run(
                () -> {
                    long startNs = Cord.current().nanoTime();
                    ReceivePort<Long> once = Ticker.after(PERIOD);
                    List<Long> all = new ArrayList<>();
                    once.forEach(all::add);
                    assertEquals(List.of(1L), all);
                    assertEquals(PERIOD.toNanos(), passed(startNs));
                    assertThrows(ChannelClosedException.class, once::receive);
                    assertEquals(1, Ticker.after(Duration.ZERO).receive());
                });
    }

    @Test
    void C4_tickersStandInASelectBesideOtherThings() {
        TestCord.run(
                () -> {
                    Channel<String> channel = Channel.localRendezvous();
                    ReceivePort<Long> slow = Ticker.every(PERIOD.multipliedBy(3));
                    ReceivePort<Long> quick = Ticker.every(PERIOD.multipliedBy(2));
                    Fiber.spin(
                            () -> {
                                Fiber.sleep(PERIOD.multipliedBy(5));
                                channel.send("sent");
                            });
                    List<String> seen = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        seen.add(
                                Select.<String>of(
                                                slow.onReceive(n -> "slow " + n),
                                                quick.onReceive(n -> "quick " + n),
                                                channel.onReceive(s -> s),
                                                Select.after(
                                                        PERIOD.multipliedBy(9), () -> "silence"))
                                        .byPriority()
                                        .await());
                    }
                    assertEquals(List.of("quick 1", "slow 1", "quick 2", "sent", "slow 2"), seen);
                    assertEquals(
                            "silence",
                            Select.<String>of(
                                            Ticker.every(PERIOD).onReceive(n -> "tick"),
                                            Select.after(PERIOD.dividedBy(2), () -> "silence"))
                                    .await());
                });
    }

    @Test
    void C5_cancelEndsAWaitAtOnce() {
        TestCord.run(
                () -> {
                    ReceivePort<Long> ticker = Ticker.every(Duration.ofDays(1));
                    Fiber<ChannelClosedException> waits =
                            Fiber.spin(
                                    () ->
                                            assertThrows(
                                                    ChannelClosedException.class, ticker::receive));
                    Fiber.sleep(PERIOD);
                    IllegalStateException why = new IllegalStateException("no more");
                    ticker.cancel(why);
                    assertEquals(why, waits.await().getCause());
                    ticker.cancel();
                });
    }

    @Test
    void C5_worksOnAPlainThread() {
        assertEquals(1, Ticker.after(Duration.ofMillis(1)).receive());
    }

    @Test
    void C5_mistakesAreErrors() {
        assertThrows(IllegalArgumentException.class, () -> Ticker.every(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> Ticker.every(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> Ticker.after(Duration.ofNanos(-1)));
    }

    /** With the shortest period the next tick is due whenever one is taken. */
    @Test
    void C5_drainTakesTheNewestTickOnly() {
        assertEquals(1, Ticker.every(Duration.ofNanos(1)).drain().size());
        TestCord.run(
                () -> {
                    ReceivePort<Long> ticker = Ticker.every(PERIOD);
                    assertEquals(List.of(), ticker.drain());
                    Fiber.sleep(PERIOD.multipliedBy(3));
                    assertEquals(List.of(3L), ticker.drain(), "1 and 2 were missed");
                    assertEquals(List.of(), ticker.drain());
                    ReceivePort<Long> once = Ticker.after(Duration.ZERO);
                    assertEquals(List.of(1L), once.drain());
                    assertEquals(List.of(), once.drain());
                });
    }
}
