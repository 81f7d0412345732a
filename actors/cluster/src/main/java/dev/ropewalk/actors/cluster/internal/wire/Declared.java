package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.Recipient;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The type of a component as its record declares it, by names that both nodes know: those of the
 * wire. An interface, a type variable and the like are open, and fit all: then the values decide
 * ({@link ElementCheck}). As arguments of the program's own generic records they fit each other
 * only, because nothing looks into those.
 *
 * @param name empty if it is open
 * @param arguments between the angle brackets
 */
record Declared(String name, List<Declared> arguments) {
    /** Those whose elements are looked at, and those that have none. */
    private static final Set<String> OPEN_INSIDE =
            Stream.of(List.class, Set.class, Map.class, Optional.class, Recipient.class)
                    .map(Class::getSimpleName)
                    .collect(Collectors.toUnmodifiableSet());

    private static final Declared OPEN = new Declared("", List.of());

    /** The bytes of the smallest one. */
    private static final int MIN_BYTES = 2;

    /** In a description of another node; a program's own code does not come near it. */
    private static final int MAX_DEPTH = 64;

    /**
     * The type as it stands in the code.
     *
     * @param names the name of a type of the protocol; empty for others
     */
    static Declared of(Type type, Function<Class<?>, String> names) {
        return switch (type) {
            case Class<?> plain -> new Declared(names.apply(plain), List.of());
            case ParameterizedType generic -> {
                String name = names.apply((Class<?>) generic.getRawType());
                yield name.isEmpty()
                        ? OPEN
                        : new Declared(
                                name,
                                Stream.of(generic.getActualTypeArguments())
                                        .map(each -> of(each, names))
                                        .toList());
            }
            default -> OPEN;
        };
    }

    void write(Output to) {
        Text.write(to, name);
        to.writeVarInt(arguments.size(), true);
        for (Declared each : arguments) {
            each.write(to);
        }
    }

    static Declared read(WireInput from) {
        return read(from, 0);
    }

    private static Declared read(WireInput from, int depth) {
        if (depth > MAX_DEPTH) {
            throw new KryoException("a type is nested deeper than " + MAX_DEPTH);
        }
        String name = Text.readSome(from);
        int count = from.readSize(MIN_BYTES);
        List<Declared> arguments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            arguments.add(read(from, depth + 1));
        }
        return new Declared(name, List.copyOf(arguments));
    }

    /** Whether values of one may be values of the other; open parts may. */
    boolean fits(Declared other) {
        if (name.isEmpty() || other.name.isEmpty()) {
            return true;
        }
        if (!name.equals(other.name)) {
            return false;
        }
        int count = Math.min(arguments.size(), other.arguments.size()); // a raw type has none
        for (int i = 0; i < count; i++) {
            Declared mine = arguments.get(i);
            Declared others = other.arguments.get(i);
            boolean isOneOpen = mine.name.isEmpty() != others.name.isEmpty();
            if (!mine.fits(others) || (isOneOpen && !OPEN_INSIDE.contains(name))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        String shown = name.isEmpty() ? "?" : name;
        return arguments.isEmpty()
                ? shown
                : arguments.stream()
                        .map(Declared::toString)
                        .collect(Collectors.joining(", ", shown + "<", ">"));
    }
}
