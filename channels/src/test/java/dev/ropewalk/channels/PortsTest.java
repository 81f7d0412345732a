package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.testing.TestCord;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** Rule C5: channels that fibers feed. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PortsTest {
    private static ReceivePort<Integer> numbers(int from, int to) {
        return Ports.produce(
                "numbers",
                ChannelOptions.rendezvous(),
                channel -> IntStream.range(from, to).forEach(channel::send));
    }

    @Test
    void C5_portOfABodyIsClosedWhenTheBodyEnds() {
        TestCord.run(() -> assertEquals(List.of(0, 1, 2), numbers(0, 3).stream().toList()));
    }

    @Test
    void C5_failureOfTheBodyIsTheReceivers() {
        TestCord.run(
                () -> {
                    IllegalStateException broke = new IllegalStateException("broke");
                    ReceivePort<Integer> port =
                            Ports.produce(
                                    "fails",
                                    ChannelOptions.buffered(3),
                                    channel -> {
                                        channel.send(1);
                                        throw broke;
                                    });
                    assertEquals(1, port.receive());
                    assertSame(
                            broke,
                            assertThrows(ChannelClosedException.class, port::receive).getCause());
                    Fiber.sleep(Duration.ofMillis(1)); // it would be raised here
                });
    }

    @Test
    void C5_cancelTerminatesTheBody() {
        TestCord.run(
                () -> {
                    List<String> ends = new ArrayList<>();
                    ReceivePort<Integer> port =
                            Ports.produce(
                                    "endless",
                                    ChannelOptions.rendezvous(),
                                    channel -> {
                                        try {
                                            channel.send(1);
                                            Fiber.sleep(Duration.ofDays(1));
                                        } finally {
                                            ends.add("ended");
                                        }
                                    });
                    assertEquals(1, port.receive());
                    port.cancel();
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(List.of("ended"), ends);
                    assertTrue(port.isClosed());
                });
    }

    @Test
    void C5_mergeReceivesFromAllUntilAllAreClosed() {
        TestCord.run(
                () -> {
                    ReceivePort<Integer> merged =
                            Ports.merge(
                                    ChannelOptions.rendezvous(),
                                    List.of(numbers(0, 5), numbers(10, 12), numbers(20, 20)));
                    assertEquals(List.of(0, 1, 2, 3, 4, 10, 11), merged.stream().sorted().toList());
                });
    }

    @Test
    void C5_mergeOfASourceThatFailsFails() {
        TestCord.run(
                () -> {
                    Channel<Integer> bad = Channel.rendezvous();
                    Channel<Integer> good = Channel.rendezvous();
                    ReceivePort<Integer> merged =
                            Ports.merge(ChannelOptions.rendezvous(), List.of(good, bad));
                    IllegalStateException broke = new IllegalStateException("broke");
                    bad.close(broke);
                    assertSame(
                            broke,
                            assertThrows(ChannelClosedException.class, merged::receive).getCause());
                });
    }

    /** Cancelling cancels the sources, and what was on its way goes to the hook. */
    @Test
    void C5_cancelOfAMergeCancelsTheSources() {
        TestCord.run(
                () -> {
                    List<Integer> lost = new ArrayList<>();
                    Channel<Integer> a = Channel.rendezvous();
                    Channel<Integer> b = Channel.rendezvous();
                    ReceivePort<Integer> merged =
                            Ports.merge(
                                    ChannelOptions.rendezvous().withUndelivered(lost::add),
                                    List.of(a, b));
                    a.send(1);
                    Fiber.sleep(Duration.ofNanos(1)); // it waits to pass it on
                    merged.cancel();
                    Fiber.sleep(Duration.ofNanos(1));
                    assertTrue(a.isClosed() && b.isClosed());
                    assertEquals(List.of(1), lost);
                });
    }

    @Test
    void C5_fanOutGivesEachElementToOneTargetThatHasRoom() {
        TestCord.run(
                () -> {
                    Channel<Integer> stuck = Channel.buffered(1);
                    Channel<Integer> quick = Channel.rendezvous();
                    Fiber<?> fanOut = Ports.fanOut(numbers(0, 10), List.of(stuck, quick));
                    List<Integer> got = new ArrayList<>();
                    quick.forEach(got::add);
                    fanOut.await();
                    assertEquals(9, got.size());
                    got.addAll(stuck.drain());
                    assertEquals(
                            IntStream.range(0, 10).boxed().toList(),
                            got.stream().sorted().toList());
                    assertTrue(stuck.isClosed());
                });
    }

    @Test
    void C5_fanOutGoesInTurn() {
        TestCord.run(
                () -> {
                    Channel<Integer> a = Channel.buffered(10);
                    Channel<Integer> b = Channel.buffered(10);
                    Ports.fanOut(numbers(0, 6), List.of(a, b)).await();
                    assertEquals(List.of(0, 2, 4), a.drain());
                    assertEquals(List.of(1, 3, 5), b.drain());
                });
    }

    @Test
    void C5_fanOutGoesOnWithoutATargetThatIsClosedAndEndsWithTheLast() {
        TestCord.run(
                () -> {
                    Channel<Integer> source = Channel.rendezvous();
                    Channel<Integer> a = Channel.rendezvous();
                    Channel<Integer> b = Channel.rendezvous();
                    Fiber<Throwable> scoped =
                            Fiber.spin(
                                    () ->
                                            assertThrows(
                                                    FiberFailedException.class,
                                                    Ports.fanOut(source, List.of(a, b))::await));
                    a.cancel();
                    source.send(1);
                    assertEquals(1, b.receive());
                    b.cancel();
                    source.send(2);
                    Throwable root = scoped.await();
                    while (root.getCause() != null) {
                        root = root.getCause();
                    }
                    assertEquals(2, ((ChannelClosedException) root).element().orElseThrow());
                    assertTrue(source.isClosed());
                    assertFalse(source.trySend(3) == SendResult.SENT);
                });
    }

    @Test
    void C5_whatADroppingChannelRefusesGoesToItsHook() {
        TestCord.run(
                () -> {
                    List<Integer> lost = new ArrayList<>();
                    ChannelOptions<Integer> dropping =
                            ChannelOptions.<Integer>dropping(1).withUndelivered(lost::add);
                    ReceivePort<Integer> merged = Ports.merge(dropping, List.of(numbers(0, 5)));
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(List.of(0), merged.drain());
                    assertEquals(List.of(1, 2, 3, 4), lost);

                    lost.clear();
                    Channel<Integer> target = Channel.make(dropping);
                    Ports.fanOut(numbers(0, 5), List.of(target)).await();
                    assertEquals(List.of(0), target.drain());
                    assertEquals(List.of(1, 2, 3, 4), lost);
                });
    }

    @Test
    void F5_elementInTheHandOfAMergeThatIsEndedGoesToItsHook() {
        TestCord.run(
                () -> {
                    List<String> lost = new ArrayList<>();
                    Channel<Integer> source =
                            Channel.make(
                                    ChannelOptions.<Integer>buffered(4)
                                            .withUndelivered(e -> lost.add("source " + e)));
                    source.send(1);
                    source.send(2);
                    ChannelOptions<Integer> options =
                            ChannelOptions.<Integer>rendezvous()
                                    .withUndelivered(e -> lost.add("merged " + e));
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Ports.merge(options, List.of(source));
                                        Fiber.sleep(Duration.ofDays(1));
                                    });
                    Fiber.sleep(Duration.ofSeconds(1));
                    parent.terminate();
                    parent.awaitEnd(Duration.ofSeconds(1));
                    assertEquals(List.of("merged 1", "source 2"), lost);
                });
    }

    @Test
    void C5_exceptionOfAHookEndsTheFanOut() {
        TestCord.run(
                () -> {
                    ChannelOptions<Integer> broken =
                            ChannelOptions.<Integer>dropping(1)
                                    .withUndelivered(
                                            lost -> {
                                                throw new ChannelClosedException(
                                                        "the hook's", lost, null);
                                            });
                    Fiber<?> fanOut = Ports.fanOut(numbers(0, 5), List.of(Channel.make(broken)));
                    FiberFailedException e =
                            assertThrows(FiberFailedException.class, fanOut::await);
                    Errors.assertMentions(Objects.requireNonNull(e.getCause()), "the hook's");
                });
    }

    @Test
    void C5_endOfTheParentEndsAll() {
        TestCord.run(
                () -> {
                    Channel<Integer> source = Channel.rendezvous();
                    Fiber<?> parent =
                            Fiber.spin(
                                    () -> {
                                        Ports.merge(ChannelOptions.rendezvous(), List.of(source));
                                        Fiber.suspend();
                                    });
                    Fiber.sleep(Duration.ofNanos(1));
                    parent.terminate();
                    assertThrows(FiberTerminatedException.class, parent::await);
                    assertTrue(source.isClosed());
                });
    }

    @Test
    void C5_mistakesAreErrors() {
        TestCord.run(
                () -> {
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Ports.merge(ChannelOptions.rendezvous(), List.of()));
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> Ports.fanOut(Channel.<Integer>rendezvous(), List.of()));
                });
        assertThrows(
                IllegalStateException.class,
                () -> Ports.produce("nowhere", ChannelOptions.rendezvous(), to -> {}));
    }

    // ---------------------------------------------------------------- ended before they began

    @Test
    void C5_mergeThatIsCancelledAtOnceCancelsItsSources() {
        TestCord.run(
                () -> {
                    Channel<Integer> source = Channel.buffered(1);
                    Ports.merge(ChannelOptions.buffered(1), List.of(source)).cancel();
                    Fiber.sleep(Duration.ofNanos(1));
                    assertTrue(source.isClosed());
                });
    }

    /** An end that is none of the body's is no end of the elements: the receivers are told. */
    @Test
    void C5_producerThatIsEndedClosesItsPortWithACause() {
        TestCord.run(
                () -> {
                    for (boolean begun : List.of(false, true)) {
                        List<ReceivePort<Integer>> made = new ArrayList<>();
                        Fiber<?> parent =
                                Fiber.spin(
                                        "parent",
                                        () -> {
                                            made.add(
                                                    Ports.produce(
                                                            "p",
                                                            ChannelOptions.buffered(1),
                                                            to -> {
                                                                to.send(1);
                                                                Fiber.suspend();
                                                            }));
                                            if (begun) {
                                                Fiber.sleep(Duration.ofNanos(1));
                                            }
                                        });
                        parent.await();
                        ReceivePort<Integer> port = made.getFirst();
                        if (begun) {
                            assertEquals(1, port.receive());
                        }
                        ChannelClosedException closed =
                                assertThrows(ChannelClosedException.class, port::receive);
                        Errors.assertMentions(
                                Objects.requireNonNull(closed.getCause()),
                                begun ? "before its body was over" : "before it began");
                    }
                });
    }

    @Test
    void C5_fanOutThatIsEndedAtOnceEndsBothSides() {
        TestCord.run(
                () -> {
                    Channel<Integer> source = Channel.buffered(1);
                    Channel<Integer> target = Channel.buffered(1);
                    Fiber<?> fanOut = Ports.fanOut(source, List.of(target));
                    fanOut.terminate();
                    assertThrows(FiberTerminatedException.class, fanOut::await);
                    assertTrue(source.isClosed());
                    assertTrue(target.isClosed());
                });
    }

    // ---------------------------------------------------------------- failures of hooks and bodies

    private static ChannelOptions<Object> withBrokenHook(ChannelOptions<Object> options) {
        return options.withUndelivered(
                element -> {
                    throw new IllegalStateException("hook " + element);
                });
    }

    @Test
    void C5_errorOfTheBodyIsTheReceiversToo() {
        TestCord.run(
                () -> {
                    AssertionError broke = new AssertionError("broke");
                    ReceivePort<Integer> port =
                            Ports.produce(
                                    "fails",
                                    ChannelOptions.buffered(3),
                                    to -> {
                                        throw broke;
                                    });
                    assertSame(
                            broke,
                            assertThrows(ChannelClosedException.class, port::receive).getCause());
                    Fiber.sleep(Duration.ofMillis(1)); // it would be raised here
                });
    }

    @Test
    void C5_cancelWhoseHookThrowsEndsTheProducerAllTheSame() {
        TestCord.run(
                () -> {
                    List<String> log = new ArrayList<>();
                    ReceivePort<Integer> port =
                            Ports.produce(
                                    "produces",
                                    withBrokenHook(ChannelOptions.buffered(2)),
                                    to -> {
                                        try {
                                            to.send(1);
                                            Fiber.suspend();
                                        } finally {
                                            log.add("ended");
                                        }
                                    });
                    Fiber.sleep(Duration.ofNanos(1));
                    assertThrows(IllegalStateException.class, port::cancel);
                    Fiber.sleep(Duration.ofNanos(1));
                    assertEquals(List.of("ended"), log);
                });
    }

    @Test
    void C5_fanOutWhoseSourceHasABrokenHookClosesItsTargets() {
        TestCord.run(
                () -> {
                    Channel<Integer> source =
                            Channel.make(withBrokenHook(ChannelOptions.buffered(4)));
                    Channel<Integer> target = Channel.rendezvous();
                    source.send(1);
                    source.send(2);
                    Fiber<?> fanOut = Ports.fanOut(source, List.of(target));
                    Fiber.sleep(Duration.ofNanos(1));
                    fanOut.terminate();
                    assertThrows(FiberFailedException.class, fanOut::await);
                    assertTrue(target.isClosed());
                });
    }

    /** What went in is not given to the hook as well because another hook call failed. */
    @Test
    void C5_mergeHandsNothingOverThatWentIn() {
        TestCord.run(
                () -> {
                    List<Integer> hook = new ArrayList<>();
                    Channel<Integer> source = Channel.buffered(4);
                    List<ReceivePort<Integer>> merged = new ArrayList<>();
                    ChannelOptions<Integer> options =
                            ChannelOptions.<Integer>sliding(1)
                                    .withUndelivered(
                                            element -> {
                                                hook.add(element);
                                                throw new IllegalStateException("hook");
                                            });
                    Fiber<?> parent =
                            Fiber.spin(
                                    "parent",
                                    () -> {
                                        merged.add(Ports.merge(options, List.of(source)));
                                        source.send(1);
                                        source.send(2);
                                        Fiber.sleep(Duration.ofNanos(1));
                                    });
                    assertThrows(FiberFailedException.class, parent::await);
                    assertEquals(List.of(1), hook);
                    assertEquals(List.of(2), merged.getFirst().drain());
                });
    }

    @Test
    void C5_fanOutSendsNothingTwice() {
        TestCord.run(
                () -> {
                    Channel<String> other = Channel.buffered(1);
                    other.close();
                    List<Integer> displaced = new ArrayList<>();
                    Channel<Integer> source = Channel.buffered(4);
                    Channel<Integer> a =
                            Channel.make(
                                    ChannelOptions.<Integer>sliding(2)
                                            .withUndelivered(
                                                    e -> {
                                                        displaced.add(e);
                                                        other.send("lost " + e);
                                                    }));
                    Channel<Integer> b = Channel.buffered(1);
                    a.send(100);
                    a.send(101);
                    b.send(0);
                    Fiber<?> fanOut =
                            Fiber.spin("parent", () -> Ports.fanOut(source, List.of(a, b)).await());
                    Fiber.sleep(Duration.ofNanos(1));
                    source.send(1);
                    b.close();
                    assertThrows(FiberFailedException.class, fanOut::await);
                    assertEquals(List.of(100), displaced);
                    assertEquals(List.of(101, 1), a.drain());
                });
    }

    /** Sending to a channel of another cord fails; its receivers, and the others', learn of it. */
    @Test
    void C5_fanOutThatFailsClosesAllItsTargetsWhereverTheyAre() {
        TestCords.run(
                2,
                cords -> {
                    Cord there = cords.get(1);
                    Channel<Integer> theirs =
                            there.spin("make", () -> Channel.<Integer>localBuffered(1)).await();
                    Fiber<List<Integer>> receiver =
                            there.spin("receive", () -> theirs.stream().toList());
                    Channel<Integer> shared = Channel.buffered(1);
                    Channel<Integer> source = Channel.buffered(1);
                    source.send(1);
                    Fiber<?> fanOut = Ports.fanOut(source, List.of(theirs, shared));
                    FiberFailedException failed =
                            assertThrows(FiberFailedException.class, fanOut::await);
                    assertInstanceOf(WrongThreadException.class, failed.getCause());
                    assertTrue(shared.isClosed(), "a receiver would wait on");
                    assertTrue(source.isClosed(), "a sender would wait on");
                    assertTrue(receiver.awaitEnd(Duration.ofSeconds(1)), "it waits for ever");
                });
    }
}
