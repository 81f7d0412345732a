package dev.ropewalk.channels.broadcast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Errors;
import dev.ropewalk.channels.ReceivePort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;

/** Rule C5: elements by key. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TopicTest {
    @Test
    void C5_onlyThoseOfTheKeyGetIt() {
        Topic<String, Integer> topic = Topic.make();
        topic.send("a", 0);
        ReceivePort<Integer> a = topic.subscribe("a", ChannelOptions.unlimited());
        ReceivePort<Integer> alsoA = topic.subscribe("a", ChannelOptions.unlimited());
        ReceivePort<Integer> b = topic.subscribe("b", ChannelOptions.unlimited());
        topic.send("a", 1);
        topic.send("b", 2);
        topic.send("c", 3);
        assertEquals(List.of(1), a.drain());
        assertEquals(List.of(1), alsoA.drain());
        assertEquals(List.of(2), b.drain());
        assertEquals("topic of 2 keys, each a shared broadcast", topic.toString());
    }

    @Test
    void C5_replayIsByKeyAndForgottenWithIt() {
        Topic<String, Integer> topic = Topic.make(BroadcastOptions.create().withReplay(1));
        topic.send("a", 1);
        topic.send("a", 2);
        ReceivePort<Integer> first = topic.subscribe("a", ChannelOptions.unlimited());
        assertEquals(List.of(2), first.drain());
        topic.forget("a");
        topic.forget("a");
        assertTrue(first.isClosed());
        ReceivePort<Integer> second = topic.subscribe("a", ChannelOptions.unlimited());
        assertEquals(List.of(), second.drain());
        topic.close();
        assertThrows(ChannelClosedException.class, second::receive);
    }

    @Test
    @SuppressWarnings("NullAway") // passes what callers without checks might pass
    void C5_mistakesAreErrors() {
        IllegalArgumentException local =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Topic.make(BroadcastOptions.create().onThisCord()));
        Errors.assertMentions(local, "leave onThisCord() out");
        Topic<String, Integer> topic = Topic.make();
        assertThrows(NullPointerException.class, () -> topic.send(null, 1));
        assertThrows(NullPointerException.class, () -> topic.send("a", null));
        assertThrows(
                NullPointerException.class,
                () -> topic.subscribe(null, ChannelOptions.unlimited()));
    }
}
