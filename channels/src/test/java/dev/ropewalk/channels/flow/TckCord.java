package dev.ropewalk.channels.flow;

import dev.ropewalk.channels.Channel;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.spi.ClosedException;

/** A cord for the subscribers that the TCK tests, and a fiber there that takes what they get. */
final class TckCord {
    private TckCord() {}

    /** {@return a channel whose elements a fiber takes} */
    static Channel<Integer> drained(Cord cord) {
        Channel<Integer> channel = Channel.rendezvous();
        drain(cord, channel);
        return channel;
    }

    static void drain(Cord cord, ReceivePort<Integer> port) {
        cord.execute(
                () -> {
                    try {
                        for (; ; ) {
                            port.receive();
                        }
                    } catch (ClosedException end) {
                        // It is over.
                    }
                });
    }
}
