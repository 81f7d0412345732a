package dev.ropewalk.actors.internal.supervision;

import java.util.Objects;

/** The rule for the name of an actor, a supervisor, a system, a pool or a group. */
public final class Names {
    private Names() {}

    /**
     * {@return the name}
     *
     * @param what it is the name of
     * @throws IllegalArgumentException if it has a {@code /} or nothing that can be read
     */
    public static String checked(String what, String name) {
        Objects.requireNonNull(name, "name");
        if (name.isBlank() || name.indexOf('/') >= 0) {
            throw new IllegalArgumentException(
                    "name=\""
                            + name
                            + "\" of "
                            + what
                            + (name.isBlank() ? " is blank" : " has a /")
                            + "; give it a name without a /, which parts the names of a path, and"
                            + " with something to read; an actor may also be spun without a name");
        }
        return name;
    }
}
