package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.entity.Letter.Peer;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The way of stored messages between the entities of a host: their bytes, by the kinds that take
 * them, and the addresses of those. Confined to a cord.
 */
final class Mail {
    private final Function<String, @Nullable EntityHome<?>> homes;
    private final EntityAddresses addresses;

    /** By the name of the kind. */
    private final Map<String, StateCodec<Object>> codecs = new HashMap<>();

    Mail(Function<String, @Nullable EntityHome<?>> homes, EntityAddresses addresses) {
        this.homes = homes;
        this.addresses = addresses;
    }

    /**
     * The entity of an address.
     *
     * @throws IllegalArgumentException if it is no durable entity of this host
     */
    Peer peer(ActorRef<?> to) {
        if (to.target() instanceof EntityTarget<?> entity && takes(entity)) {
            return new Peer(entity.kind(), entity.key());
        }
        throw new IllegalArgumentException(
                "nothing is delivered to "
                        + to
                        + ", because it is no durable entity of this host; tell it");
    }

    private boolean takes(EntityTarget<?> entity) {
        EntityHome<?> home = homes.apply(entity.kind());
        return home != null && home.messages() != null && entity.isIn(home);
    }

    /** The address of an entity; null if its kind is not open. */
    @Nullable ActorRef<?> ref(Peer peer) {
        EntityHome<?> home = homes.apply(peer.kind());
        return home == null ? null : home.ref(peer.key());
    }

    /**
     * A message as it is stored. A switchpoint.
     *
     * @throws dev.ropewalk.actors.cluster.NotSendableException if it has something that cannot be
     *     stored
     */
    byte[] write(Peer to, Object message) {
        StateCodec<Object> codec = codec(to);
        byte[] bytes = codec.write(message);
        codec.ensureDescribed();
        return bytes;
    }

    /** A stored message. A switchpoint. */
    Object read(Peer to, byte[] message) {
        return codec(to).read("a message to " + to, message);
    }

    private StateCodec<Object> codec(Peer to) {
        return codecs.computeIfAbsent(to.kind(), this::newCodec);
    }

    private StateCodec<Object> newCodec(String kind) {
        EntityHome<?> home = homes.apply(kind);
        MessageTypes messages = home == null ? null : home.messages();
        if (messages == null) {
            throw new IllegalStateException(
                    "kind " + kind + " is not open, or takes no deliveries");
        }
        return messages.codec(addresses);
    }
}
