package dev.ropewalk.actors.cluster.internal.entity;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.wire.Recipients;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/** Addresses in stored states: those of entities, by kind and key. No other one lasts. */
public final class EntityAddresses implements Recipients {
    /** The home of a kind, by its name; null if there is none. */
    private final Function<String, @Nullable EntityHome<?>> homes;

    public EntityAddresses(Function<String, @Nullable EntityHome<?>> homes) {
        this.homes = homes;
    }

    @Override
    public void write(Output to, Recipient<?> recipient) {
        if (recipient instanceof ActorRef<?> actor
                && actor.target() instanceof EntityTarget<?> entity
                && entity.isIn(homes.apply(entity.kind()))) {
            Text.write(to, entity.kind());
            Text.write(to, entity.key());
            return;
        }
        throw new IllegalArgumentException(
                "a state cannot keep "
                        + recipient
                        + ": only the address of an entity of the same host outlasts the process");
    }

    @Override
    public Recipient<?> read(WireInput from) {
        String kind = Text.readSome(from);
        String key = Text.readSome(from);
        EntityHome<?> home = homes.apply(kind);
        if (home == null) {
            throw new KryoException(
                    "the state has the address of an entity of the kind "
                            + kind
                            + ", which is not open here");
        }
        return home.ref(key);
    }
}
