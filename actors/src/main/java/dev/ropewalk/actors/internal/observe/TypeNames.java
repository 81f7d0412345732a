package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.fibers.internal.dump.ClassNames;

import org.jspecify.annotations.Nullable;

import java.util.Set;

/**
 * The names of classes under which actors are counted and traced. A lambda counts as the class that
 * it stands in. An actor whose state or behavior is no class of the program counts as the class
 * that defined it. No code of the program is called.
 */
public final class TypeNames {
    /** Their lambdas stand in front of the program's. */
    private static final Set<String> WRAPPERS =
            Set.of(
                    Actor.class.getName(),
                    "dev.ropewalk.actors.server.Server", // both stand on this package
                    "dev.ropewalk.actors.internal.Definition");

    private TypeNames() {}

    /**
     * The name of an actor's class: of the first of these that says something.
     *
     * @param state as the program would call it; null if there is none
     * @param factory of its behaviors; null for a loop
     * @param body of a loop; null for a handler
     */
    public static String of(
            @Nullable Object state, @Nullable Object factory, @Nullable Object body) {
        String own = ofProgram(state);
        if (own == null) {
            own = ofProgram(factory);
        }
        if (own == null) {
            own = ofProgram(body);
        }
        return own == null ? "actor" : own;
    }

    /** Null if it says nothing: a number, a text, an array, or a wrapper of the library. */
    private static @Nullable String ofProgram(@Nullable Object object) {
        if (object == null || object.getClass().isArray()) {
            return null;
        }
        String name = ClassNames.of(object.getClass());
        return name.startsWith("java.") || WRAPPERS.contains(name) ? null : name;
    }
}
