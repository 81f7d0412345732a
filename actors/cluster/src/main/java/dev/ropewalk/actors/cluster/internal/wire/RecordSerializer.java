package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.internal.wire.Shape.Component;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Records, a component after the other, without names: a session has compared those once ({@link
 * PeerTypes}). It writes in the order of this node, and reads in that of the other one.
 */
final class RecordSerializer extends Serializer<Object> {
    private final String name;
    private final Shape shape;

    /** How each component stands in the bytes, in their order. */
    private final Kind[] kinds;

    /** Its place in the record here; -1 if it is unknown here and skipped. */
    private final int[] places;

    /** The values of components that are not in the bytes. */
    private final @Nullable Object[] missing;

    /** Of this version of the program. */
    RecordSerializer(String name, Shape shape) {
        this(
                name,
                shape,
                shape.components.stream().map(Component::kind).toArray(Kind[]::new),
                places(shape.components.size()));
    }

    /** Of the version of another node. */
    RecordSerializer(String name, Shape shape, Kind[] kinds, int[] places) {
        super(false, true);
        this.name = name;
        this.shape = shape;
        this.kinds = kinds;
        this.places = places;
        List<Component> components = shape.components;
        this.missing = new Object[components.size()];
        for (int i = 0; i < missing.length; i++) {
            missing[i] = components.get(i).missing();
        }
    }

    private static int[] places(int count) {
        int[] all = new int[count];
        for (int i = 0; i < count; i++) {
            all[i] = i;
        }
        return all;
    }

    @Override
    public void write(Kryo kryo, Output to, Object instance) {
        for (Component each : shape.components) {
            each.kind().write(kryo, to, valueOf(each, instance));
        }
    }

    private @Nullable Object valueOf(Component component, Object instance) {
        try {
            return component.of(instance);
        } catch (Throwable broken) {
            throw new KryoException(
                    "the accessor " + name + "." + component.name() + "() failed", broken);
        }
    }

    private void check(Component component, @Nullable Object value) {
        String misfit = component.kind() == Kind.OBJECT ? component.check().misfit(value) : null;
        if (misfit != null) {
            throw new RefusedTypeException(
                    name, "its component " + component.name() + " has " + misfit);
        }
    }

    @Override
    public Object read(Kryo kryo, Input from, Class<?> type) {
        WireInput input = (WireInput) from;
        @Nullable Object[] values = missing.clone();
        for (int i = 0; i < kinds.length; i++) {
            Object value = kinds[i].read(kryo, input);
            if (places[i] >= 0) {
                check(shape.components.get(places[i]), value);
                values[places[i]] = value;
            }
        }
        try {
            return shape.make(values);
        } catch (Throwable broken) {
            throw new RefusedTypeException(name, "its constructor refused the values: " + broken);
        }
    }
}
