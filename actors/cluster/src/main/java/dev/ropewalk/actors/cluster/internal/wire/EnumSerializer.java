package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Constants, by their places among those of the writer. */
final class EnumSerializer extends Serializer<Object> {
    private final String name;

    /** Of the writer's constants, by their places. */
    private final List<String> names;

    /** By their places; null where there is none of the name here. */
    private final List<@Nullable Enum<?>> constants;

    EnumSerializer(String name, List<String> names, List<? extends @Nullable Enum<?>> constants) {
        super(false, true);
        this.name = name;
        this.names = List.copyOf(names);
        this.constants = new ArrayList<>(constants);
    }

    @Override
    @SuppressWarnings("EnumOrdinal") // its meaning is told to the other node
    public void write(Kryo kryo, Output to, Object constant) {
        to.writeVarInt(((Enum<?>) constant).ordinal(), true);
    }

    @Override
    public Object read(Kryo kryo, Input from, Class<?> type) {
        int place = from.readVarInt(true);
        boolean isKnown = place >= 0 && place < names.size();
        Enum<?> constant = isKnown ? constants.get(place) : null;
        if (constant == null) {
            throw new RefusedTypeException(
                    name,
                    isKnown
                            ? "its constant " + names.get(place) + " is not here"
                            : "it has no constant of the place " + place);
        }
        return constant;
    }
}
