package dev.ropewalk.actors.cluster;

import com.esotericsoftware.kryo.Serializer;

import dev.ropewalk.actors.cluster.internal.wire.TypeTable;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The types of the messages that a node exchanges with others. Immutable; that all of it can be
 * sent is checked when the node starts.
 *
 * {@snippet file="dev/ropewalk/actors/cluster/ClusterSnippetsTest.java" region="protocol"}
 *
 * <p>Name the sealed interfaces of your messages; their records, and the records and enums in those
 * components, come with them. A message may hold primitives, text, {@code byte[]}, {@code int[]},
 * {@code long[]}, {@code double[]}, numbers of {@code java.math}, {@code UUID}, times of {@code
 * java.time} without zones by name other than in {@code ZonedDateTime}, {@code Optional}, {@code
 * List}, {@code Set}, {@code Map}, addresses ({@link dev.ropewalk.actors.Recipient}, {@link
 * dev.ropewalk.actors.ActorRef}), {@code Throwable}, and what the protocol names. Collections
 * arrive unmodifiable; of a throwable arrives a {@link RemoteFailure}. Nothing else is sent, and no
 * class is loaded because a name of it came from another node.
 *
 * <p>Two nodes need not have the same protocol, so that programs can be exchanged one after the
 * other. Types are compared by their names when nodes meet, and records by the names of their
 * components: one that only the sender has is dropped, and one that only the receiver has is its
 * {@link Default}, or zero, empty or null. Any other difference refuses that type when it comes, by
 * name, and no other: a component of another type, also between the angle brackets, and a value
 * that its declared type does not take.
 */
public final class Protocol {
    private final Values values;

    /** Null until it is asked for. */
    private volatile @Nullable TypeTable table;

    private Protocol(Values values) {
        this.values = values;
    }

    /**
     * {@return a protocol of those types, and of what they are made of}
     *
     * @param types records, enums, and sealed interfaces of such
     */
    public static Protocol of(Class<?>... types) {
        return new Protocol(new Values()).and(types);
    }

    /**
     * {@return this protocol, and those types too}
     *
     * @param types records, enums, and sealed interfaces of such
     */
    public Protocol and(Class<?>... types) {
        Collection<Class<?>> more = List.of(types);
        return with(copy -> copy.types.addAll(more));
    }

    /**
     * {@return this protocol, where a type has another name than that of its class} Classes may be
     * renamed then, and differ on two nodes.
     *
     * @param type a record or enum
     * @param name its name on the wire
     */
    public Protocol named(Class<?> type, String name) {
        Objects.requireNonNull(name, "name");
        return with(
                copy -> {
                    copy.types.add(type);
                    copy.names.put(type, name);
                });
    }

    /**
     * {@return this protocol, with a serializer for a class that is neither a record nor an enum}
     * It serves for classes below that one too, unless they are in the protocol themselves: give an
     * interface if the program does not know the classes.
     *
     * @param <T> the class
     * @param type the class
     * @param serializer makes serializers, one for each thread; what they write, they must be able
     *     to read in each version of the program
     */
    public <T> Protocol with(Class<T> type, Supplier<? extends Serializer<T>> serializer) {
        Objects.requireNonNull(serializer, "serializer");
        return with(copy -> copy.serializers.put(Objects.requireNonNull(type, "type"), serializer));
    }

    private Protocol with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new Protocol(copy);
    }

    /**
     * The table of all that it names, and of what that is made of.
     *
     * @throws IllegalArgumentException if something of it cannot be sent, or two types have one
     *     name
     */
    TypeTable table() {
        TypeTable made = table;
        if (made == null) {
            made = TypeTable.of(values.types, values.names, values.serializers);
            table = made;
        }
        return made;
    }

    /**
     * Refuses messages that could not go to another node. Those of an open type are looked at when
     * they are sent.
     *
     * @throws IllegalArgumentException if the protocol has not all of the type
     */
    void checkHas(Class<?> messages, Object user) {
        String missing;
        try {
            missing = table().missing(messages, values.names, values.serializers);
        } catch (IllegalArgumentException unfit) {
            throw new IllegalArgumentException(
                    user
                            + " takes "
                            + messages.getName()
                            + ", and not all of it could go to another node: "
                            + unfit.getMessage(),
                    unfit);
        }
        if (missing != null) {
            throw new IllegalArgumentException(
                    user
                            + " takes "
                            + messages.getName()
                            + ", and the protocol of the node has no "
                            + missing
                            + ": its messages could not go to another node; name the type with"
                            + " NodeOptions.withProtocol");
        }
    }

    /** Changed only while it is a copy that no protocol has yet. */
    private static final class Values {
        final Set<Class<?>> types = new LinkedHashSet<>();
        final Map<Class<?>, String> names = new LinkedHashMap<>();
        final Map<Class<?>, Supplier<? extends Serializer<?>>> serializers = new LinkedHashMap<>();

        Values copy() {
            Values copy = new Values();
            copy.types.addAll(types);
            copy.names.putAll(names);
            copy.serializers.putAll(serializers);
            return copy;
        }
    }
}
