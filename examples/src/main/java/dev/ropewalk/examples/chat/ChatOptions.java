package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.Behavior;

import io.netty.buffer.ByteBufAllocator;

import java.util.function.UnaryOperator;

/**
 * How the chat is made.
 *
 * @param history so many messages a room keeps for those that join later
 * @param maxBehind so many messages a member may have unread besides the history, before it is
 *     dismissed
 * @param maxRooms so many rooms there may be
 * @param encoder makes the bytes of messages
 * @param faults goes around the behavior of each room; tests let rooms crash there
 */
record ChatOptions(
        int history,
        int maxBehind,
        int maxRooms,
        Encoder encoder,
        UnaryOperator<Behavior<Room.Message>> faults) {
    /** The history that is kept, unless another length is asked for. */
    static final int DEFAULT_HISTORY = 100;

    static ChatOptions defaults() {
        return new ChatOptions(
                DEFAULT_HISTORY,
                256,
                1_000,
                (format, line) -> format.encode(ByteBufAllocator.DEFAULT, line),
                UnaryOperator.identity());
    }

    ChatOptions withHistory(int messages) {
        return new ChatOptions(messages, maxBehind, maxRooms, encoder, faults);
    }

    ChatOptions withMaxBehind(int messages) {
        return new ChatOptions(history, messages, maxRooms, encoder, faults);
    }

    ChatOptions withMaxRooms(int rooms) {
        return new ChatOptions(history, maxBehind, rooms, encoder, faults);
    }

    ChatOptions withEncoder(Encoder other) {
        return new ChatOptions(history, maxBehind, maxRooms, other, faults);
    }

    ChatOptions withFaults(UnaryOperator<Behavior<Room.Message>> others) {
        return new ChatOptions(history, maxBehind, maxRooms, encoder, others);
    }
}
