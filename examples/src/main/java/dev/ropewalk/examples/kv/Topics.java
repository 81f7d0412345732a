package dev.ropewalk.examples.kv;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.broadcast.Broadcast;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What is published, by the names that clients chose: a broadcast each, as long as it has a
 * subscriber. For all cords.
 */
final class Topics {
    /** What a slow subscriber may be behind; it misses the oldest then. */
    static final int MAX_BEHIND = 1_024;

    private record Topic(Broadcast<byte[]> broadcast, int subscribers) {}

    private final ConcurrentMap<String, Topic> topics = new ConcurrentHashMap<>();

    /** To be left by {@link #leave}. */
    ReceivePort<byte[]> subscribe(String name) {
        Topic topic =
                topics.compute(
                        name,
                        (_, old) ->
                                old == null
                                        ? new Topic(Broadcast.make(), 1)
                                        : new Topic(old.broadcast(), old.subscribers() + 1));
        return topic.broadcast().subscribe(ChannelOptions.sliding(MAX_BEHIND));
    }

    void leave(String name, ReceivePort<byte[]> port) {
        port.cancel();
        topics.computeIfPresent(
                name,
                (_, old) ->
                        old.subscribers() == 1
                                ? null
                                : new Topic(old.broadcast(), old.subscribers() - 1));
    }

    /** How many get it. */
    int publish(String name, byte[] message) {
        Topic topic = topics.get(name);
        if (topic == null) {
            return 0;
        }
        topic.broadcast().trySend(message);
        return topic.subscribers();
    }

    int count() {
        return topics.size();
    }
}
