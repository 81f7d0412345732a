package dev.ropewalk.channels.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ChannelSnapshot;
import dev.ropewalk.channels.ReceiveResult;
import dev.ropewalk.channels.SendResult;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Rule C4 against a model: every pair of clause shapes, and many threes and fours drawn from a
 * seed, with a default. The idea is that of Go's {@code test/chan/select5.go}, which generates its
 * selects.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SelectMatrixTest {
    private static final long SEED = 16;
    private static final int DRAWN = 6_000;

    /** What is sent by the select. */
    private static final int MINE = 1_000;

    /** What one waiting beside the channel sends. */
    private static final int THEIRS = 2_000;

    /** How a channel stands when the select begins. */
    private enum State {
        IDLE(0, 0, 0, 0, false),
        WITH_SENDER(0, 0, 1, 0, false),
        WITH_RECEIVER(0, 0, 0, 1, false),
        CLOSED(0, 0, 0, 0, true),
        EMPTY(2, 0, 0, 0, false),
        EMPTY_WITH_RECEIVER(2, 0, 0, 1, false),
        HALF_FULL(2, 1, 0, 0, false),
        FULL(2, 2, 0, 0, false),
        FULL_WITH_SENDER(2, 2, 1, 0, false),
        CLOSED_EMPTY(2, 0, 0, 0, true),
        CLOSED_HALF_FULL(2, 1, 0, 0, true);

        final int capacity;
        final int elements;
        final int senders;
        final int receivers;
        final boolean isClosed;

        State(int capacity, int elements, int senders, int receivers, boolean isClosed) {
            this.capacity = capacity;
            this.elements = elements;
            this.senders = senders;
            this.receivers = receivers;
            this.isClosed = isClosed;
        }
    }

    private record Shape(boolean isSend, State state, boolean isLocal, boolean isEnabled) {
        boolean isReady() {
            if (!isEnabled) {
                return false;
            }
            if (state.isClosed) {
                return true;
            }
            return isSend
                    ? state.receivers > 0 || state.elements < state.capacity
                    : state.senders > 0 || state.elements > 0;
        }
    }

    private static List<Shape> shapes() {
        List<Shape> shapes = new ArrayList<>();
        for (State state : State.values()) {
            for (boolean isSend : new boolean[] {true, false}) {
                for (boolean isLocal : new boolean[] {true, false}) {
                    shapes.add(new Shape(isSend, state, isLocal, true));
                }
            }
        }
        shapes.add(new Shape(false, State.HALF_FULL, true, false));
        return shapes;
    }

    /** One channel of a select, with those that wait beside it. */
    private static final class Scene {
        final Shape shape;
        final Channel<Integer> channel;
        final List<Integer> given = new ArrayList<>();
        final AtomicInteger taken = new AtomicInteger();

        Scene(Shape shape) {
            this.shape = shape;
            State state = shape.state;
            ChannelOptions<Integer> options =
                    state.capacity == 0
                            ? ChannelOptions.rendezvous()
                            : ChannelOptions.buffered(state.capacity);
            this.channel = Channel.make(shape.isLocal ? options.onThisCord() : options);
            for (int i = 0; i < state.elements; i++) {
                channel.send(i);
            }
            if (state.isClosed) {
                channel.close();
            }
            if (state.senders > 0) {
                Fiber.spin(
                        () -> {
                            if (channel.sendResult(THEIRS) == SendResult.SENT) {
                                taken.incrementAndGet();
                            }
                        });
            }
            if (state.receivers > 0) {
                Fiber.spin(
                        () -> {
                            if (channel.receiveResult()
                                    instanceof ReceiveResult.Element<Integer>(Integer got)) {
                                given.add(got);
                            }
                        });
            }
        }

        Clause<Integer> clause(int number) {
            Clause<Integer> clause =
                    shape.isSend
                            ? channel.<Integer>onSendResult(MINE, result -> number)
                            : channel.<Integer>onReceiveResult(result -> number);
            return clause.onlyIf(shape.isEnabled);
        }

        /** What must be so after the select: if it won, one step of it happened, otherwise none. */
        void verify(boolean hasWon, String replay) {
            State state = shape.state;
            boolean isSent = hasWon && shape.isSend && !state.isClosed;
            boolean isReceived = hasWon && !shape.isSend;
            assertEquals(isSent && state.receivers > 0 ? List.of(MINE) : List.of(), given, replay);
            assertEquals(isReceived && state.senders > 0 ? 1 : 0, taken.get(), replay);
            ChannelSnapshot now = channel.snapshot();
            int sendersLeft = isReceived ? 0 : state.senders;
            int receiversLeft = isSent ? 0 : state.receivers;
            assertEquals(sendersLeft, now.waitingSenders(), replay);
            assertEquals(receiversLeft, now.waitingReceivers(), replay);
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < state.elements; i++) {
                expected.add(i);
            }
            if (state.senders > 0) {
                expected.add(THEIRS);
            }
            if (isReceived && !expected.isEmpty()) {
                expected.removeFirst();
            }
            if (isSent && state.receivers == 0) {
                expected.add(MINE);
            }
            assertEquals(expected, channel.drain(), replay);
            channel.close();
        }
    }

    private static void play(List<Shape> shapes, boolean isByPriority) {
        String replay = shapes + (isByPriority ? " by priority" : "");
        List<Scene> scenes = shapes.stream().map(Scene::new).toList();
        Fiber.sleep(Duration.ofNanos(1)); // those beside the channels wait now
        List<Clause<Integer>> clauses = new ArrayList<>();
        for (int i = 0; i < scenes.size(); i++) {
            clauses.add(scenes.get(i).clause(i));
        }
        clauses.add(Select.otherwise(() -> -1));
        Select<Integer> select = Select.of(clauses);
        int winner = (isByPriority ? select.byPriority() : select).await();
        Fiber.sleep(Duration.ofNanos(1));
        int firstReady = -1;
        for (int i = shapes.size() - 1; i >= 0; i--) {
            firstReady = shapes.get(i).isReady() ? i : firstReady;
        }
        if (isByPriority || firstReady < 0) {
            assertEquals(firstReady, winner, replay);
        } else {
            assertTrue(winner >= 0 && shapes.get(winner).isReady(), () -> winner + " " + replay);
        }
        for (int i = 0; i < scenes.size(); i++) {
            scenes.get(i).verify(i == winner, replay + " winner=" + winner);
        }
    }

    @Test
    void C4_everyPairOfShapesDoesWhatTheModelDoes() {
        List<Shape> shapes = shapes();
        TestCord.run(
                SEED,
                true,
                () -> {
                    for (Shape first : shapes) {
                        for (Shape second : shapes) {
                            play(List.of(first, second), false);
                        }
                    }
                });
    }

    @Test
    void C4_everyShapeAloneDoesWhatTheModelDoes() {
        TestCord.run(SEED, true, () -> shapes().forEach(shape -> play(List.of(shape), false)));
    }

    @Test
    void C4_drawnThreesAndFoursDoWhatTheModelDoes() {
        long seed = Long.getLong("ropewalk.seed", SEED);
        SplittableRandom random = new SplittableRandom(seed);
        List<Shape> shapes = shapes();
        TestCord.run(
                seed,
                true,
                () -> {
                    for (int i = 0; i < DRAWN; i++) {
                        List<Shape> drawn = new ArrayList<>();
                        for (int n = 3 + random.nextInt(2); n > 0; n--) {
                            drawn.add(shapes.get(random.nextInt(shapes.size())));
                        }
                        play(drawn, random.nextBoolean());
                    }
                });
    }
}
