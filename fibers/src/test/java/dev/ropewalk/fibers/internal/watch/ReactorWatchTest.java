package dev.ropewalk.fibers.internal.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.observe.WatchdogReport;
import dev.ropewalk.fibers.spi.Waits;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rule F13, scenario S9 of SQLOS, its second half: one alarm for a silent reactor; times by hand.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ReactorWatchTest {
    private static final int LIMIT_MS = 500;
    private static final long MS = 1_000_000;

    private final List<WatchdogReport> told = new ArrayList<>();
    private final Cord cord =
            Cord.start(CordOptions.named("sockets").withStuckLimit(Waits.FOREVER));
    private final ReactorWatch watch =
            new ReactorWatch(
                    CordImpl.of(cord), told::add, new Watchdog(Runnable::run), LIMIT_MS * MS);

    private long nowNs = Long.MAX_VALUE - 200 * MS; // soon overflows, as it may
    private long polls;

    @AfterEach
    void closeCord() {
        cord.close();
    }

    /** So many milliseconds in which the cord is busy and does not poll. */
    private void silent(int ms, int sockets, int unsent) {
        for (int i = 0; i < ms; i++) {
            nowNs += MS;
            watch.step(polls, sockets, unsent, nowNs);
        }
    }

    private void poll(int sockets) {
        polls++;
        silent(1, sockets, 0);
    }

    private WatchdogReport.SilentReactor last(int ofSoMany) {
        assertEquals(ofSoMany, told.size(), () -> "told: " + told);
        return assertInstanceOf(WatchdogReport.SilentReactor.class, told.getLast());
    }

    @Test
    void F13_aSilentReactorIsToldOnceInAnEpisode() {
        for (int episode = 1; episode <= 3; episode++) {
            poll(7);
            silent(LIMIT_MS - 1, 7, 2);
            assertEquals(episode - 1, told.size());
            silent(1, 7, 2);
            WatchdogReport.SilentReactor report = last(episode);
            assertSame(cord, report.cord());
            assertNull(report.fiber());
            assertEquals(Duration.ofMillis(LIMIT_MS), report.time());
            assertEquals(7, report.sockets());
            assertEquals(2, report.unsent());
            silent(3 * LIMIT_MS, 7, 2);
            last(episode);
        }
        assertEquals(
                "cord sockets has not polled its reactor for 500 ms, in no fiber: 7 sockets wait, 2"
                        + " of them with bytes to send; what does not yield is told with its stack",
                told.getLast().toString());
    }

    @Test
    void F13_aReactorThatIsPolledOrHasNoSocketIsNotTold() {
        for (int i = 0; i < 10; i++) {
            poll(7);
            silent(LIMIT_MS - 1, 7, 0);
        }
        poll(0);
        silent(3 * LIMIT_MS, 0, 0);
        assertEquals(List.of(), told);
        silent(1, 1, 0); // one that another cord has handed over, say
        assertEquals(Duration.ofMillis(3 * LIMIT_MS + 1), last(1).time());
    }

    @Test
    void F13_aCordThatSleepsIsNotTold() {
        poll(7);
        silent(LIMIT_MS - 1, 7, 0);
        nowNs += MS;
        watch.tick(false, nowNs);
        silent(LIMIT_MS, 7, 0);
        assertEquals(List.of(), told);
        silent(1, 7, 0);
        last(1);
    }

    @Test
    void F13_aPauseOfTheWholeMachineIsNotTheReactors() {
        poll(7);
        for (int i = 0; i < 10; i++) {
            nowNs += 60_000 * MS;
            watch.step(polls, 7, 0, nowNs);
        }
        assertEquals(List.of(), told);
        silent(LIMIT_MS - 100, 7, 0);
        last(1);
    }

    /** Without I/O there is no reactor: the cord of this test has none. */
    @Test
    void F13_aCordWithoutAReactorIsNotTold() {
        for (int i = 0; i < 3 * LIMIT_MS; i++) {
            nowNs += MS;
            watch.tick(true, nowNs);
        }
        assertEquals(List.of(), told);
    }
}
