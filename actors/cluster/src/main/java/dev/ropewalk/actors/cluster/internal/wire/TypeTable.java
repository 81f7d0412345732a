package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Output;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The types of a node's {@link dev.ropewalk.actors.cluster.Protocol}, in the order of their names:
 * the place is the number that stands in the bytes, behind the {@link Builtin} ones. Immutable.
 */
public final class TypeTable {
    final List<WireType> types;

    private final Map<String, WireType> byName = new TreeMap<>();

    private TypeTable(Collection<WireType> all) {
        for (WireType each : all) {
            WireType other = byName.put(each.name(), each);
            if (other != null) {
                throw new IllegalArgumentException(
                        "two types have the name "
                                + each.name()
                                + ": "
                                + other.type().getName()
                                + " and "
                                + each.type().getName()
                                + "; give one of them another name with Protocol.named or"
                                + " EntityKind.named");
            }
        }
        this.types = List.copyOf(byName.values());
    }

    /**
     * The table of a protocol.
     *
     * @param types those that the program names
     * @param names those that are not called by their classes' names
     * @param serializers of those that are neither records nor enums
     * @throws IllegalArgumentException if one of them cannot be sent, or two have one name
     */
    public static TypeTable of(
            Collection<Class<?>> types,
            Map<Class<?>, String> names,
            Map<Class<?>, ? extends Supplier<? extends Serializer<?>>> serializers) {
        TypeCollector collector = new TypeCollector(names, serializers);
        types.forEach(collector::add);
        return new TypeTable(collector.found().values());
    }

    /**
     * {@return the name of a type that values of a class bring with them, and that is not here;
     * null if there is none, or the class is open}
     *
     * @param names as of {@link #of}
     * @param serializers as of {@link #of}
     * @throws IllegalArgumentException if something of it cannot be sent
     */
    public @Nullable String missing(
            Class<?> of,
            Map<Class<?>, String> names,
            Map<Class<?>, ? extends Supplier<? extends Serializer<?>>> serializers) {
        if (TypeCollector.isOpen(of)) {
            return null;
        }
        return of(List.of(of), names, serializers).byName.keySet().stream()
                .filter(each -> !byName.containsKey(each))
                .findFirst()
                .orElse(null);
    }

    /** {@return whether it has a type of that name} */
    public boolean has(String name) {
        return byName.containsKey(name);
    }

    @Nullable WireType named(String name) {
        return byName.get(name);
    }

    /**
     * Another node must be able to read the description.
     *
     * @param room of the frame in which it is sent
     * @throws IllegalArgumentException if it does not fit
     */
    public void checkFits(int room) {
        Output measured = new Output(1_024, -1);
        describe(measured);
        if (measured.position() > room) {
            throw new IllegalArgumentException(
                    "a description of the "
                            + types.size()
                            + " types of the protocol takes "
                            + measured.position()
                            + " bytes > "
                            + room
                            + "; give all nodes a larger NodeOptions.withMaxMessage, or the types"
                            + " shorter names");
        }
    }

    /** Tells the other node what this one sends. */
    public void describe(Output to) {
        to.writeVarInt(types.size(), true);
        for (WireType each : types) {
            Text.write(to, each.name());
            each.describe(to);
        }
    }
}
