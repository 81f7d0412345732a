package dev.ropewalk.actors.cluster.internal.wire;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.stream.Stream;

/**
 * A record class: its components in their order, how each is read from an instance, and how an
 * instance is made. Immutable.
 */
final class Shape {
    final Class<?> type;
    final List<Component> components;

    /** Of an array with a value for each component. */
    private final MethodHandle constructor;

    /**
     * A component, and how it is read.
     *
     * @param check of a value that came
     * @param missing the value if the sender does not know the component
     */
    record Component(
            String name,
            Kind kind,
            Type type,
            ElementCheck check,
            @Nullable Object missing,
            MethodHandle accessor) {
        @Nullable Object of(Object instance) throws Throwable {
            return accessor.invokeExact(instance);
        }
    }

    private Shape(Class<?> type, List<Component> components, MethodHandle constructor) {
        this.type = type;
        this.components = components;
        this.constructor = constructor;
    }

    /**
     * The shape of a record class.
     *
     * @throws IllegalArgumentException if its module does not open it, or a {@link
     *     dev.ropewalk.actors.cluster.Default} of it is none
     */
    static Shape of(Class<?> type) {
        RecordComponent[] parts = type.getRecordComponents();
        Class<?>[] types = Stream.of(parts).map(RecordComponent::getType).toArray(Class[]::new);
        try {
            MethodHandles.Lookup lookup =
                    MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            List<Component> components =
                    Stream.of(parts).map(part -> component(lookup, part)).toList();
            MethodHandle constructor =
                    lookup.findConstructor(type, MethodType.methodType(void.class, types))
                            .asType(MethodType.genericMethodType(types.length))
                            .asSpreader(Object[].class, types.length);
            return new Shape(type, components, constructor);
        } catch (IllegalAccessException closed) {
            throw new IllegalArgumentException(
                    type.getName()
                            + " cannot be read: open its package to this module, or make it and"
                            + " its components public",
                    closed);
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Component component(MethodHandles.Lookup lookup, RecordComponent part) {
        try {
            MethodHandle accessor =
                    lookup.unreflect(part.getAccessor()).asType(MethodType.genericMethodType(1));
            return new Component(
                    part.getName(),
                    Kind.of(part.getType()),
                    part.getGenericType(),
                    ElementCheck.of(part.getGenericType()),
                    DefaultValue.of(part),
                    accessor);
        } catch (IllegalAccessException closed) {
            throw new IllegalArgumentException(part + " cannot be read", closed);
        }
    }

    /** -1 if there is none. */
    int placeOf(String name) {
        for (int i = 0; i < components.size(); i++) {
            if (components.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    Object make(@Nullable Object[] values) throws Throwable {
        return constructor.invokeExact(values);
    }

    @Override
    public String toString() {
        return type.getName() + components.stream().map(Component::name).toList();
    }
}
