package dev.ropewalk.channels;

/** What channels show to nobody: how many stand in their waiting queues. */
final class Inside {
    private Inside() {}

    static int waiting(Channel<?> channel) {
        ChannelSnapshot now = channel.snapshot();
        return now.waitingSenders() + now.waitingReceivers();
    }
}
