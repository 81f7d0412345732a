package dev.ropewalk.channels;

/**
 * How a channel stood at one moment. For dumps and people: by the time it is read it can be
 * different, so no program should decide by it.
 *
 * @param name the channel's name with its kind
 * @param elements how many are in the buffer
 * @param waitingSenders how many wait to send
 * @param waitingReceivers how many wait to receive
 * @param isClosed whether the channel is closed
 */
public record ChannelSnapshot(
        String name, int elements, int waitingSenders, int waitingReceivers, boolean isClosed) {}
