package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ChannelClosedException;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.StackKind;

import java.util.concurrent.Flow;

/** A publisher of one port, for one subscriber, on virtual threads. */
public final class SinglePortPublisherTck extends PublisherTck {
    @Override
    CordOptions options() {
        return super.options().withStacks(StackKind.VIRTUAL_THREAD);
    }

    @Override
    public Flow.Publisher<Integer> createFlowPublisher(long elements) {
        Channel<Integer> channel = Channel.rendezvous();
        cord().execute(() -> sendAll(channel, elements));
        return Flows.publisher(cord(), channel);
    }

    private static void sendAll(Channel<Integer> channel, long elements) {
        try {
            for (long i = 0; i < elements; i++) {
                channel.send((int) i);
            }
            channel.close();
        } catch (ChannelClosedException cancelled) {
            // The subscriber has cancelled it.
        }
    }
}
