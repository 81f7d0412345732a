package dev.ropewalk.channels.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.broadcast.Broadcast;
import dev.ropewalk.channels.broadcast.BroadcastOptions;
import dev.ropewalk.fibers.CancelledException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The code of the page for those who know Akka's or Pekko's streams. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ComingFromStreamsSnippetsTest {
    private record Order(int number, boolean isOpen) {}

    private final List<Object> stored = new ArrayList<>();
    private final List<Object> polls = new ArrayList<>();

    private static int price(Order order) {
        Fiber.sleep(Duration.ofMillis(20L - order.number())); // a call of another service
        return 10 * order.number();
    }

    private void store(Object batch) {
        stored.add(batch);
    }

    private void poll(long number) {
        polls.add(number);
    }

    @Test
    void C5_first() {
        TestCord.run(
                () -> {
                    stored.clear();
                    List<Order> orders =
                            List.of(new Order(1, true), new Order(2, false), new Order(3, true));
                    // @start region="first"
                    // Source(orders).filter(_.isOpen).mapAsync(4)(price).grouped(10)
                    //     .runForeach(store)
                    Pipeline.from(orders)
                            .filter("open", order -> order.isOpen())
                            .mapParallel("price", 4, order -> price(order)) // may wait: no Future
                            .ordered()
                            .batch(10)
                            .forEach("store", batch -> store(batch))
                            .run(); // waits, and throws what failed
                    // @end
                    assertEquals(List.of(List.of(10, 30)), stored);
                });
    }

    @Test
    void C5_hub() {
        TestCord.run(
                () -> {
                    // @start region="hub"
                    Channel<String> chat = Channel.make(ChannelOptions.buffered(16)); // a MergeHub
                    Broadcast<String> room =
                            Broadcast.make(BroadcastOptions.create()); // a BroadcastHub
                    Fiber<?> hub =
                            Fiber.spin("hub", () -> Pipeline.from(chat).to("room", room).run());
                    ReceivePort<String> ann = room.subscribe(ChannelOptions.buffered(16));
                    chat.send("hello");
                    String heard = ann.receive();
                    chat.close(); // the run ends, and closes the room
                    // @end
                    assertEquals("hello", heard);
                    hub.await();
                    assertThrows(ChannelClosedException.class, ann::receive);
                });
    }

    @Test
    void C5_stop() {
        TestCord.run(
                () -> {
                    polls.clear();
                    // @start region="stop"
                    // A KillSwitch: cancel the run, from anywhere. To drain instead, close the
                    // channel that it reads.
                    PipelineRun<?> run =
                            Pipeline.ticks(Duration.ofSeconds(1)).forEach("poll", n -> poll(n));
                    Fiber<?> polling =
                            Fiber.spin(
                                    () -> {
                                        try {
                                            run.run();
                                        } catch (CancelledException stopped) {
                                            polls.add("stopped");
                                        }
                                    });
                    Fiber.sleep(Duration.ofMillis(2_500));
                    run.cancel();
                    // @end
                    polling.await();
                    assertEquals(List.of(1L, 2L, "stopped"), polls);
                });
    }
}
