package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.internal.session.NodeId;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.spi.GroupListener;
import dev.ropewalk.actors.spi.SharedGroup;

import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.HashMap;
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
    /** Members in one frame. */
    private static final int MAX_AT_ONCE = 200;

    private final ActorSystem system;
    private final NodeId self;
    private final Exports exports;

    /** Changed by one thread at a time, which has its monitor. */
    private final Map<String, Shared<?>> all = new ConcurrentHashMap<>();

    /** Guarded by the same. */
    private boolean isOver;

    Groups(ActorSystem system, NodeId self, Exports exports) {
        this.system = system;
        this.self = self;
        this.exports = exports;
    }

    /** One of them, and the sessions whose nodes share it. */
    static final class Shared<M> implements GroupListener<M> {
        private final Class<M> type;
        private final SharedGroup<M> group;
        private final Exports exports;

        // ---- confined to the cord that owns the group

        private final Set<Conversation> sharers = new LinkedHashSet<>();

        /** The numbers by which other nodes know the members here. */
        private final Map<ActorRef<M>, Long> numbers = new HashMap<>();

        Shared(Class<M> type, SharedGroup<M> group, Exports exports) {
            this.type = type;
            this.group = group;
            this.exports = exports;
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
                        List<ActorRef<M>> members = group.members();
                        members.forEach(this::numberOf);
                        for (int from = 0; from < members.size(); from += MAX_AT_ONCE) {
                            int end = Math.min(members.size(), from + MAX_AT_ONCE);
                            with.memberships().joined(name(), members.subList(from, end));
                        }
                    });
        }

        private void numberOf(ActorRef<M> actor) {
            numbers.put(actor, exports.numberOf(actor));
        }

        /** Its session has ended. */
        void end(Conversation with) {
            group.then(() -> sharers.remove(with));
        }

        @Override
        public void joined(ActorRef<M> actor) {
            if (!sharers.isEmpty()) {
                numberOf(actor);
                List.copyOf(sharers)
                        .forEach(each -> each.memberships().joined(name(), List.of(actor)));
            }
        }

        @Override
        public void left(ActorRef<M> actor) {
            Long number = numbers.remove(actor);
            if (number != null) {
                List.copyOf(sharers).forEach(each -> each.memberships().left(name(), number));
            }
        }
    }

    /**
     * Shares the system's group of the name; the caller has the sessions told. When the node has
     * left, it is the system's alone.
     *
     * @throws IllegalArgumentException if it is one of another type, or the name is none
     */
    public <M> Group<M> share(String name, Class<M> type) {
        Group<M> group = system.group(name, type);
        synchronized (all) {
            if (!isOver && !all.containsKey(name)) {
                Shared<M> made = new Shared<>(type, SharedGroup.of(group), exports);
                made.group.begin(self.name(), made);
                all.put(name, made);
            }
        }
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
        synchronized (all) {
            isOver = true;
            all.values().forEach(Groups::end);
            all.clear();
        }
    }

    private static <M> void end(Shared<M> shared) {
        shared.group.end(shared);
    }
}
