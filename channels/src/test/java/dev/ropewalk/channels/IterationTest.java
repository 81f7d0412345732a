package dev.ropewalk.channels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/** Rule C1: iteration over a channel. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class IterationTest {
    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_iterationEndsAtTheClose(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    channel.close();
                    int next = 0;
                    for (int element : channel) {
                        assertEquals(next++, element);
                    }
                    assertEquals(arena.capacity(), next);
                    assertFalse(channel.iterator().hasNext());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_iterationWaitsForElementsAndForTheClose(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<List<Integer>> receiver =
                            arena.receiver(
                                    () -> {
                                        List<Integer> all = new ArrayList<>();
                                        channel.forEach(all::add);
                                        return all;
                                    });
                    arena.untilWaiting(1, channel);
                    channel.send(1);
                    channel.send(2);
                    arena.untilWaiting(1, channel);
                    channel.close();
                    assertEquals(List.of(1, 2), receiver.await());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_iterationThrowsTheCauseAfterTheDrain(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    IllegalStateException cause = new IllegalStateException("the source broke");
                    Channel<Integer> channel = arena.fullChannel();
                    channel.close(cause);
                    Iterator<Integer> elements = channel.iterator();
                    for (int i = 0; i < arena.capacity(); i++) {
                        assertEquals(i, elements.next());
                    }
                    for (int again = 0; again < 2; again++) {
                        ChannelClosedException end =
                                assertThrows(ChannelClosedException.class, elements::hasNext);
                        assertSame(cause, end.getCause());
                    }
                    assertThrows(ChannelClosedException.class, elements::next);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#buffered")
    void C1_nextNeedsNoHasNext(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Iterator<Integer> elements = channel.iterator();
                    for (int i = 0; i < arena.capacity(); i++) {
                        assertEquals(i, elements.next());
                    }
                    channel.close();
                    NoSuchElementException end =
                            assertThrows(NoSuchElementException.class, elements::next);
                    Errors.assertMentions(end, channel.toString());
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#buffered")
    void C1_hasNextTakesOnlyOneElement(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.fullChannel();
                    Iterator<Integer> elements = channel.iterator();
                    for (int i = 0; i < 3; i++) {
                        assertTrue(elements.hasNext());
                    }
                    for (int i = 1; i < arena.capacity(); i++) {
                        assertEquals(i, channel.receive());
                    }
                    channel.close();
                    assertTrue(elements.hasNext(), "what it has fetched is still to come");
                    assertEquals(0, elements.next());
                    assertFalse(elements.hasNext());
                    assertThrows(NoSuchElementException.class, elements::next);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void C1_eachElementGoesToOneIterator(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    List<Player<List<Integer>>> receivers = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        receivers.add(
                                arena.receiver(
                                        () -> {
                                            List<Integer> all = new ArrayList<>();
                                            channel.forEach(all::add);
                                            return all;
                                        }));
                    }
                    for (int i = 0; i < 200; i++) {
                        channel.send(i);
                    }
                    channel.close();
                    boolean[] seen = new boolean[200];
                    int count = 0;
                    for (Player<List<Integer>> receiver : receivers) {
                        int last = -1;
                        for (int element : receiver.await()) {
                            assertTrue(element > last, "out of order: " + last + ", " + element);
                            assertFalse(seen[element], "twice: " + element);
                            seen[element] = true;
                            last = element;
                            count++;
                        }
                    }
                    assertEquals(200, count);
                });
    }

    @ParameterizedTest
    @MethodSource("dev.ropewalk.channels.Variant#all")
    void F5_terminatedIterationTakesNothing(Variant variant) throws Exception {
        Arena.run(
                variant,
                arena -> {
                    Channel<Integer> channel = arena.channel();
                    Player<Boolean> gone = arena.receiver(() -> channel.iterator().hasNext());
                    arena.untilWaiting(1, channel);
                    gone.terminate();
                    gone.awaitTerminated();
                    assertEquals(0, Inside.waiting(channel));
                });
    }
}
