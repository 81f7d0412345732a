package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/**
 * The names of classes under which actors are counted. A lambda counts as the class that it stands
 * in. An actor whose state or behavior is no class of the program counts as the class that defined
 * it. No code of the program is called.
 */
final class TypeNames {
    private static final String LAMBDA = "$$Lambda";

    /** Their lambdas stand in front of the program's. */
    private static final Set<String> WRAPPERS =
            Set.of(
                    Actor.class.getName(),
                    "dev.ropewalk.actors.server.Server", // which stands on this package
                    Definition.class.getName());

    private static final ClassValue<String> NAMES =
            new ClassValue<>() {
                @Override
                protected String computeValue(Class<?> type) {
                    String name = type.getName();
                    int lambda = name.indexOf(LAMBDA);
                    return lambda < 0 ? name : name.substring(0, lambda);
                }
            };

    private TypeNames() {}

    /**
     * The name of an actor's class.
     *
     * @param state from {@link Seen#userState}; null if there is none
     */
    static String of(Definition<?> definition, @Nullable Object state) {
        String own = state == null ? null : ofProgram(state);
        if (own == null && definition.factory != null) {
            own = ofProgram(definition.factory);
        }
        if (own == null && definition.body != null) {
            own = ofProgram(definition.body);
        }
        return own == null ? "actor" : own;
    }

    /** Null if it says nothing: a number, a text, or a wrapper of the library. */
    private static @Nullable String ofProgram(Object object) {
        String name = NAMES.get(object.getClass());
        return name.startsWith("java.") || WRAPPERS.contains(name) ? null : name;
    }
}
