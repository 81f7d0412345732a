package dev.ropewalk.actors.cluster.internal.wire;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether a value is of its declared type, also inside of collections, which the JVM would not
 * check before the program takes an element. Immutable.
 *
 * @param type of the value
 * @param elements those of its elements; of a map its keys and its values; empty if all fit
 */
record ElementCheck(Class<?> type, List<ElementCheck> elements) {
    static ElementCheck of(Type type) {
        return switch (type) {
            case Class<?> plain -> new ElementCheck(boxed(plain), List.of());
            case ParameterizedType generic -> {
                Class<?> raw = (Class<?>) generic.getRawType();
                yield new ElementCheck(raw, hasElements(raw) ? all(generic) : List.of());
            }
            case WildcardType wildcard -> of(wildcard.getUpperBounds()[0]);
            case TypeVariable<?> variable ->
                    variable.getBounds()[0] instanceof Class<?> bound
                            ? of(bound)
                            : new ElementCheck(Object.class, List.of()); // may name itself
            default -> new ElementCheck(Object.class, List.of());
        };
    }

    private static Class<?> boxed(Class<?> type) {
        return java.lang.invoke.MethodType.methodType(type).wrap().returnType();
    }

    private static boolean hasElements(Class<?> type) {
        return type == Optional.class || Builtin.collections().contains(type);
    }

    private static List<ElementCheck> all(ParameterizedType generic) {
        List<ElementCheck> all =
                List.of(generic.getActualTypeArguments()).stream().map(ElementCheck::of).toList();
        return all.stream().allMatch(ElementCheck::isOpen) ? List.of() : all;
    }

    private boolean isOpen() {
        return type == Object.class;
    }

    /**
     * Looks at a value and at all inside of it.
     *
     * @return what does not fit; null if all does
     */
    @Nullable String misfit(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (!type.isInstance(value)) {
            return "a value of type "
                    + value.getClass().getName()
                    + ", where "
                    + type.getName()
                    + " is declared";
        }
        return elements.isEmpty() ? null : misfitOfElements(value);
    }

    private @Nullable String misfitOfElements(Object value) {
        return switch (value) {
            case Collection<?> all -> misfitOfAll(all, elements.getFirst());
            case Map<?, ?> map -> {
                String found = misfitOfAll(map.keySet(), elements.getFirst());
                yield found == null ? misfitOfAll(map.values(), elements.getLast()) : found;
            }
            case Optional<?> some -> elements.getFirst().misfit(some.orElse(null));
            default -> null;
        };
    }

    private static @Nullable String misfitOfAll(Collection<?> values, ElementCheck check) {
        for (Object each : values) {
            String found = check.misfit(each);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
