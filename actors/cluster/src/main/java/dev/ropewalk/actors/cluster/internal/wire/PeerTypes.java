package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/**
 * The types that another node sends, as it described them, each beside the one of the same name
 * here. They are compared one by one, and one that does not fit is refused when it comes, not
 * before: nodes of two versions of a program exchange what both know.
 *
 * <pre>
 *   a component that only the sender has     is read and dropped
 *   a component that only this node has      is its default: zero or empty, or null
 *   a component of another type, or a record that is an enum there    refuses the type
 *   a value of another type, where the type declares an interface     refuses the message
 *   a constant that is not here              refuses the message that has it
 * </pre>
 */
public final class PeerTypes {
    /** So many for a type that is described; a record of the JVM has 255 components at most. */
    private static final int MAX_PARTS = 4_096;

    /** By their numbers there, less {@link Builtin#END}. */
    private final List<Entry> entries;

    /** A type that can be read, or why it cannot. */
    private record Entry(String name, @Nullable Registration registration, String refusal) {}

    private PeerTypes(List<Entry> entries) {
        this.entries = entries;
    }

    /**
     * Reads what {@link TypeTable#describe} has written.
     *
     * @throws KryoException if that is no description
     */
    public static PeerTypes read(WireInput from, TypeTable own) {
        return read(from, own, (_, _) -> true);
    }

    /**
     * Reads what an older or a newer program has stored. A stored value is written again as a
     * whole, so a component that this program does not know refuses its type, unless it may be
     * dropped.
     *
     * @param mayDrop of the name of a record and that of its component
     * @throws KryoException if that is no description
     */
    public static PeerTypes readStored(
            WireInput from, TypeTable own, BiPredicate<String, String> mayDrop) {
        return read(from, own, mayDrop);
    }

    private static PeerTypes read(
            WireInput from, TypeTable own, BiPredicate<String, String> mayDrop) {
        int count = from.readSize(2);
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(readEntry(from, own, Builtin.END + i, mayDrop));
        }
        return new PeerTypes(entries);
    }

    private static Entry readEntry(
            WireInput from, TypeTable own, int number, BiPredicate<String, String> mayDrop) {
        String name = Text.readSome(from);
        char sort = (char) from.readByte();
        WireType here = own.named(name);
        Reader reader =
                switch (sort) {
                    case WireType.OfRecord.SORT -> record(from, here, mayDrop);
                    case WireType.OfEnum.SORT -> constants(from, here);
                    case WireType.OfProgram.SORT -> program(here);
                    default -> throw new KryoException("there is no sort of types '" + sort + "'");
                };
        if (here == null) {
            return new Entry(name, null, "this program does not have it");
        }
        Serializer<?> serializer = reader.serializer;
        return serializer == null
                ? new Entry(name, null, reader.refusal)
                : new Entry(name, new Registration(here.type(), serializer, number), "");
    }

    /** How the bytes of a type are read, or why they are not. */
    private record Reader(@Nullable Serializer<?> serializer, String refusal) {
        static Reader refused(String why) {
            return new Reader(null, why);
        }
    }

    private static Reader record(
            WireInput from, @Nullable WireType here, BiPredicate<String, String> mayDrop) {
        int count = partCount(from);
        List<Part> parts = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < count; i++) {
            Part part = Part.read(from);
            if (!seen.add(part.name)) {
                throw new KryoException("two components have the name " + part.name);
            }
            parts.add(part);
        }
        return here instanceof WireType.OfRecord known
                ? record(known, parts, mayDrop)
                : Reader.refused("it is a record there, and none here");
    }

    /** A component, as the other node declares it; without a type if its kind says it all. */
    private record Part(String name, Kind kind, @Nullable Declared type) {
        static Part read(WireInput from) {
            String name = Text.readSome(from);
            Kind kind = Kind.of((char) from.readByte());
            return new Part(name, kind, kind == Kind.OBJECT ? Declared.read(from) : null);
        }

        /** Why it cannot be read as that one; null if it can. */
        @Nullable String misfit(Kind hereKind, Declared here) {
            boolean isOfKind = kind == hereKind;
            if (isOfKind && (type == null || type.fits(here))) {
                return null;
            }
            String there = type == null ? kind.javaName() : type.toString();
            return "its component " + name + " is " + there + " there, and " + here + " here";
        }
    }

    private static Reader record(
            WireType.OfRecord here, List<Part> parts, BiPredicate<String, String> mayDrop) {
        int[] places = new int[parts.size()];
        for (int i = 0; i < places.length; i++) {
            Part part = parts.get(i);
            places[i] = here.shape().placeOf(part.name);
            if (places[i] >= 0) {
                String misfit =
                        part.misfit(
                                here.shape().components.get(places[i]).kind(),
                                here.declared().get(places[i]));
                if (misfit != null) {
                    return Reader.refused(misfit);
                }
            } else if (!mayDrop.test(here.name(), part.name)) {
                return Reader.refused("its component " + part.name + " is not here, and may count");
            }
        }
        Kind[] kinds = parts.stream().map(Part::kind).toArray(Kind[]::new);
        return new Reader(new RecordSerializer(here.name(), here.shape(), kinds, places), "");
    }

    private static Reader constants(WireInput from, @Nullable WireType here) {
        int count = partCount(from);
        List<String> names = new ArrayList<>();
        List<@Nullable Enum<?>> constants = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String name = Text.readSome(from);
            names.add(name);
            constants.add(here instanceof WireType.OfEnum known ? known.named(name) : null);
        }
        return here instanceof WireType.OfEnum(String name, Class<?> _, List<Enum<?>> _)
                ? new Reader(new EnumSerializer(name, names, constants), "")
                : Reader.refused("it is an enum there, and none here");
    }

    private static Reader program(@Nullable WireType here) {
        return here instanceof WireType.OfProgram known
                ? new Reader(known.serializer(), "")
                : Reader.refused("it has a serializer of its own there, and none here");
    }

    private static int partCount(WireInput from) {
        int count = from.readSize(1);
        if (count > MAX_PARTS) {
            throw new KryoException("parts=" + count + " > " + MAX_PARTS);
        }
        return count;
    }

    /** The registration that reads the type of that number. */
    Registration registration(int number) {
        int place = number - Builtin.END;
        if (place < 0 || place >= entries.size()) {
            throw new KryoException("there is no type of the number " + number);
        }
        Entry entry = entries.get(place);
        Registration found = entry.registration;
        if (found == null) {
            throw new RefusedTypeException(entry.name, entry.refusal);
        }
        return found;
    }

    /** {@return each type that is refused, and why} */
    public List<String> refused() {
        List<String> all = new ArrayList<>();
        eachRefused((name, why) -> all.add(name + ": " + why));
        return all;
    }

    /** Tells each type that is refused, and why. */
    public void eachRefused(BiConsumer<String, String> taker) {
        for (Entry each : entries) {
            if (each.registration == null) {
                taker.accept(each.name, each.refusal);
            }
        }
    }
}
