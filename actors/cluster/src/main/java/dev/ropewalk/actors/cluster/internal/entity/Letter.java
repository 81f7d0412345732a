package dev.ropewalk.actors.cluster.internal.entity;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.internal.entity.Ledger.Outgoing;
import dev.ropewalk.actors.cluster.internal.ref.Resent;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

/** A word of the library to the actor of a durable entity, beside the messages of the program. */
sealed interface Letter extends Resent {
    byte DELIVERY = 0;
    byte CONFIRMED = 1;
    byte FORGET = 2;
    byte LOOK = 3;

    /**
     * Writes it for another node.
     *
     * @throws IllegalStateException if it is one to the entity itself
     */
    default void write(Output to) {
        switch (this) {
            case Delivery(Peer from, Outgoing message, long epoch) -> {
                write(to, DELIVERY, from, message.number());
                to.writeVarLong(epoch, true);
                to.writeVarInt(message.message().length, true);
                to.writeBytes(message.message());
            }
            case Confirmed(Peer by, long number) -> write(to, CONFIRMED, by, number);
            case Forget(Peer from, long number, long epoch) -> {
                write(to, FORGET, from, number);
                to.writeVarLong(epoch, true);
            }
            case Look() -> to.writeByte(LOOK);
            case Tick(), Due() -> throw new IllegalStateException(this + " is for the same actor");
        }
    }

    private static void write(Output to, byte sort, Peer peer, long number) {
        to.writeByte(sort);
        Text.write(to, peer.kind());
        Text.write(to, peer.key());
        to.writeVarLong(number, true);
    }

    /** Reads one of another node. */
    static Letter read(WireInput from) {
        byte sort = from.readByte();
        if (sort == LOOK) {
            return new Look();
        }
        Peer peer = new Peer(Text.readSome(from), Text.readSome(from));
        long number = from.readVarLong(true);
        return switch (sort) {
            case DELIVERY -> {
                long epoch = from.readVarLong(true);
                byte[] message = from.readBytes(from.readSize(1));
                yield new Delivery(peer, new Outgoing(number, peer, message), epoch);
            }
            case CONFIRMED -> new Confirmed(peer, number);
            case FORGET -> new Forget(peer, number, from.readVarLong(true));
            default -> throw new KryoException("there is no letter of the sort " + sort);
        };
    }

    /**
     * An entity, by its address.
     *
     * @param kind its kind, of the same host
     * @param key its key
     */
    record Peer(String kind, String key) {
        @Override
        public String toString() {
            return kind + "/" + key;
        }
    }

    /**
     * A message that its sender has stored, and tells until it is confirmed.
     *
     * @param from its sender
     * @param message in bytes, with a number greater than that of each one stored before
     * @param epoch of the sender's owner, when it told it
     */
    record Delivery(Peer from, Outgoing message, long epoch) implements Letter {
        long number() {
            return message.number();
        }
    }

    /**
     * The message with that number, and all before it, count for the receiver.
     *
     * @param by the receiver
     * @param number of the message
     */
    record Confirmed(Peer by, long number) implements Letter {}

    /**
     * The sender has none of the messages up to that number any more, so none will come again: not
     * from the owner that it has now, nor from a later one. Those that an earlier owner has told
     * may be on their way still.
     *
     * @param from the sender
     * @param number of the last one
     * @param epoch of the sender's owner
     */
    record Forget(Peer from, long number, long epoch) implements Letter {}

    /** The value is read again: a write of the owner before may have come meanwhile. */
    record Look() implements Letter {}

    /** Something is due: a reminder, messages that nobody has confirmed, or a write. */
    record Tick() implements Letter {}

    /** A reminder is due; its failure is not one of the tick. */
    record Due() implements Letter {}
}
