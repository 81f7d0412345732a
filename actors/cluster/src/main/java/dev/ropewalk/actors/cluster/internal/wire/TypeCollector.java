package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Serializer;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Recipient;

import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Finds the types of a protocol: those that are named, what their sealed interfaces permit, and
 * what their components say. A component that can hold nothing that can be sent is an error here,
 * and not when the first message has it.
 */
final class TypeCollector {
    private final Map<Class<?>, String> names;
    private final Map<Class<?>, WireType> found = new LinkedHashMap<>();

    TypeCollector(
            Map<Class<?>, String> names,
            Map<Class<?>, ? extends Supplier<? extends Serializer<?>>> serializers) {
        this.names = names;
        serializers.forEach(
                (type, maker) -> found.put(type, new WireType.OfProgram(name(type), type, maker)));
    }

    Map<Class<?>, WireType> found() {
        return found;
    }

    /**
     * A type that the program names.
     *
     * @throws IllegalArgumentException if it, or something that it is made of, cannot be sent
     */
    void add(Class<?> type) {
        if (isOpen(type)) {
            throw new IllegalArgumentException(
                    type.getName()
                            + " is open: any class may implement it; seal it, or name the records"
                            + " that are sent");
        }
        collect(type, "Protocol.of");
    }

    private String name(Class<?> type) {
        return names.getOrDefault(type, type.getName());
    }

    /** Empty for one whose values may be of several types. */
    private String nameOfDeclared(Class<?> type) {
        if (Builtin.knows(type)) {
            return ActorRef.class == type ? nameOfDeclared(Recipient.class) : type.getSimpleName();
        }
        boolean isOwn =
                type.isRecord()
                        || type.isEnum()
                        || found.get(type) instanceof WireType.OfProgram(_, _, _);
        return isOwn ? name(type) : "";
    }

    /** Any class may be of it. */
    static boolean isOpen(Class<?> type) {
        boolean isAbstract = type.isInterface() || Modifier.isAbstract(type.getModifiers());
        return !type.isPrimitive()
                && !type.isArray()
                && !type.isSealed()
                && !type.isEnum()
                && (isAbstract || type == Object.class)
                && !Builtin.knows(type);
    }

    private void collect(Class<?> type, String where) {
        if (found.containsKey(type) || Builtin.knows(type) || isOpen(type)) {
            return; // the values of an open one are looked at when they are sent
        }
        if (type.isRecord()) {
            Shape shape = Shape.of(type);
            List<Declared> declared =
                    shape.components.stream()
                            .map(each -> Declared.of(each.type(), this::nameOfDeclared))
                            .toList();
            found.put(type, new WireType.OfRecord(name(type), shape, declared));
            for (RecordComponent each : type.getRecordComponents()) {
                collect(each.getGenericType(), type.getSimpleName() + "." + each.getName());
            }
        } else if (type.isEnum()) {
            found.put(type, WireType.OfEnum.of(name(type), type));
        } else if (type.isSealed()) {
            for (Class<?> each : type.getPermittedSubclasses()) {
                collect(each, type.getSimpleName());
            }
        } else {
            throw new IllegalArgumentException(
                    where + " has " + type.getTypeName() + ", which cannot be sent" + remedy(type));
        }
    }

    private static String remedy(Class<?> type) {
        for (Class<?> each : Builtin.collections()) {
            if (each.isAssignableFrom(type)) {
                return "; it would arrive as another class, so declare it as "
                        + each.getSimpleName();
            }
        }
        return "; make it a record, or give a serializer with Protocol.with";
    }

    private void collect(Type type, String where) {
        switch (type) {
            case Class<?> plain -> collect(plain, where);
            case ParameterizedType generic -> {
                collect((Class<?>) generic.getRawType(), where);
                for (Type each : generic.getActualTypeArguments()) {
                    collect(each, where);
                }
            }
            case WildcardType wildcard -> {
                for (Type each : wildcard.getUpperBounds()) {
                    collect(each, where);
                }
            }
            case TypeVariable<?> variable -> {
                for (Type each : variable.getBounds()) {
                    if (each instanceof Class<?> bound) {
                        collect(bound, where); // others may name the variable itself
                    }
                }
            }
            default ->
                    throw new IllegalArgumentException(
                            where
                                    + " has "
                                    + type.getTypeName()
                                    + ", which cannot be sent; use a List");
        }
    }
}
