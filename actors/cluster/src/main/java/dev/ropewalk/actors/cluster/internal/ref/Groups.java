package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.internal.session.NodeId;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.spi.GroupListener;
import dev.ropewalk.actors.spi.SharedGroup;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The groups that this node shares with others. Each node is the only authority on its own members:
 * it tells them to the nodes that share the group, in the order in which they change, and to each
 * session anew. Kept for the node; a session's part is {@link Memberships}. For any thread, if
 * nothing else is said.
 */
public final class Groups {
    private final ActorSystem system;
    private final NodeId self;
    private final Map<String, Shared<?>> all = new ConcurrentHashMap<>();

    Groups(ActorSystem system, NodeId self) {
        this.system = system;
        this.self = self;
    }

    /** One of them, and the sessions whose nodes share it. */
    static final class Shared<M> implements GroupListener<M> {
        private final Class<M> type;
        private final SharedGroup<M> group;

        /** Confined to the cord that owns the group. */
        private final Set<Conversation> sharers = new LinkedHashSet<>();

        Shared(Class<M> type, SharedGroup<M> group) {
            this.type = type;
            this.group = group;
        }

        String name() {
            return group.group().name();
        }

        String type() {
            return type.getName();
        }

        SharedGroup<M> group() {
            return group;
        }

        /** The other node of the session has it too, and hears of the members from now on. */
        void begin(Conversation with) {
            group.then(
                    () -> {
                        sharers.add(with);
                        group.members().forEach(each -> with.memberships().joined(name(), each));
                    });
        }

        /** Its session has ended. */
        void end(Conversation with) {
            group.then(() -> sharers.remove(with));
        }

        @Override
        public void joined(ActorRef<M> actor) {
            List.copyOf(sharers).forEach(each -> each.memberships().joined(name(), actor));
        }

        @Override
        public void left(ActorRef<M> actor) {
            List.copyOf(sharers).forEach(each -> each.memberships().left(name(), actor));
        }
    }

    /**
     * Shares the system's group of the name; the caller has the sessions told.
     *
     * @throws IllegalArgumentException if it is one of another type, or the name is none
     */
    public <M> Group<M> share(String name, Class<M> type) {
        Group<M> group = system.group(name, type);
        all.computeIfAbsent(
                name,
                _ -> {
                    Shared<M> made = new Shared<>(type, SharedGroup.of(group));
                    made.group.begin(self.name(), made);
                    return made;
                });
        return group;
    }

    Collection<Shared<?>> all() {
        return all.values();
    }

    @Nullable Shared<?> named(String name) {
        return all.get(name);
    }

    /** The node has left. */
    public void over() {
        all.values().forEach(Groups::end);
        all.clear();
    }

    private static <M> void end(Shared<M> shared) {
        shared.group.end(shared);
    }
}
