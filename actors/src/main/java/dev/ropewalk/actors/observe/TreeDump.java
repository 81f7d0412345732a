package dev.ropewalk.actors.observe;

import java.util.List;

/** An actor or a supervisor of a {@link SystemDump}. */
public sealed interface TreeDump permits ActorDump, SupervisorDump {
    /** {@return the names from the system down to it} */
    String path();

    /** {@return what it supervises, or its own actors} */
    List<TreeDump> children();
}
