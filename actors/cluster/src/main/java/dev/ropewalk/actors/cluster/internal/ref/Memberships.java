package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.ref.Groups.Shared;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.SharedGroup;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The groups that two nodes share, in one session: the names that each has told the other, and the
 * members of the other node, which leave with the session. Confined to the session's cord, but for
 * the words of the members here, which leave from the cords that own the groups.
 *
 * <p>A group belongs to a cord, which need not be the session's. So {@link #then} lets the news of
 * an end wait until all rosters are without the actor: whoever hears of the end of a member finds
 * it in no group any more, as within one process.
 */
final class Memberships {
    /** So many groups of another node. */
    private static final int MAX_GROUPS = 100_000;

    /** So many members of all groups of another node. */
    private static final int MAX_MEMBERS = 1_000_000;

    private static final int MAX_NAME = 1_024;

    private static final Log LOG = Logs.logger(Memberships.class);

    private final Home home;
    private final Conversation of;
    private final Addresses addresses;

    /** The names that this node has told. */
    private final Set<String> told = new HashSet<>();

    /** The groups of the other node, and what their members take. */
    private final Map<String, String> theirs = new HashMap<>();

    /** Those that both have. */
    private final Map<String, Members<?>> shared = new HashMap<>();

    /** A group of each cord whose groups have had members of the other node. */
    private final Map<Object, SharedGroup<?>> owners = new LinkedHashMap<>();

    /** Members of the other node, over all groups. */
    private int members;

    private boolean isOver;

    /** The members of the other node in one group, by their numbers. */
    private static final class Members<M> {
        final Shared<M> of;
        final Map<Long, ActorRef<M>> all = new LinkedHashMap<>();

        Members(Shared<M> of) {
            this.of = of;
        }

        @SuppressWarnings("unchecked") // the other node says that its group is of the same type
        int enter(List<RemoteTarget<?>> joined) {
            List<SharedGroup.Foreign<M>> entered = new ArrayList<>();
            for (RemoteTarget<?> member : joined) {
                ActorRef<M> actor = (ActorRef<M>) member.ref();
                if (all.putIfAbsent(member.number(), actor) == null) {
                    String path = member.parentPath() + "/" + actor.name();
                    entered.add(new SharedGroup.Foreign<>(actor, member.peer().id().name(), path));
                }
            }
            of.group().enter(entered);
            return entered.size();
        }

        boolean exclude(long number) {
            ActorRef<M> actor = all.remove(number);
            if (actor != null) {
                of.group().exclude(List.of(actor));
            }
            return actor != null;
        }

        void excludeAll() {
            of.group().exclude(List.copyOf(all.values()));
            all.clear();
        }
    }

    Memberships(Home home, Conversation of, Addresses addresses) {
        this.home = home;
        this.of = of;
        this.addresses = addresses;
    }

    // ---------------------------------------------------------------- this node's

    /** The session has begun, or this node shares one more. */
    void tell() {
        for (Shared<?> each : home.groups().all()) {
            if (!isOver && told.add(each.name())) {
                of.sendAtOnce(
                        frame -> {
                            frame.begin(FrameType.SHARES);
                            Text.write(frame.out(), each.name());
                            Text.write(frame.out(), each.type());
                            return frame;
                        });
                share(each);
            }
        }
    }

    /** If both have it. */
    private void share(Shared<?> group) {
        String type = theirs.get(group.name());
        if (type == null || !told.contains(group.name())) {
            return;
        }
        if (!type.equals(group.type())) {
            LOG.warn(
                    "group {} is one of {} at {}, and of {} here: they do not share it; give one of"
                            + " the two another name",
                    group.name(),
                    type,
                    of.peer(),
                    group.type());
            return;
        }
        shared.put(group.name(), new Members<>(group));
        group.begin(of);
    }

    /** On the cord of the group. */
    void joined(String group, List<? extends ActorRef<?>> actors) {
        of.sendAtOnce(
                frame -> {
                    frame.begin(FrameType.JOINED);
                    Text.write(frame.out(), group);
                    frame.number(actors.size());
                    actors.forEach(each -> addresses.write(frame.out(), each));
                    return frame;
                });
    }

    /** On the cord of the group. */
    void left(String group, long number) {
        of.sendAtOnce(
                frame -> {
                    frame.begin(FrameType.LEFT);
                    Text.write(frame.out(), group);
                    return frame.signed(number);
                });
    }

    // ---------------------------------------------------------------- those of the other node

    /** It shares a group. */
    void shares(WireInput from) {
        String name = Text.readSome(from);
        String type = Text.readSome(from);
        if (name.length() > MAX_NAME || type.length() > MAX_NAME) {
            throw new KryoException("the name of a group is longer than " + MAX_NAME);
        }
        if (theirs.putIfAbsent(name, type) != null) {
            throw new KryoException("it shares the group " + name + " twice");
        }
        if (theirs.size() > MAX_GROUPS) {
            throw new KryoException("it shares more than " + MAX_GROUPS + " groups");
        }
        Shared<?> group = home.groups().named(name);
        if (group != null) {
            share(group);
        }
    }

    void joined(WireInput from) {
        Members<?> group = shared(from);
        int count = from.readSize(4);
        List<RemoteTarget<?>> joined = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (addresses.read(from) instanceof ActorRef<?> actor
                    && actor.target() instanceof RemoteTarget<?> member
                    && member.peer().id().equals(of.peer().id())) {
                joined.add(member);
            } else {
                throw new KryoException("a node names only its own members of a group");
            }
        }
        if (members + count > MAX_MEMBERS) {
            throw new KryoException("its groups have more than " + MAX_MEMBERS + " members");
        }
        owners.putIfAbsent(group.of.group().owner(), group.of.group());
        members += group.enter(joined);
    }

    void left(WireInput from) {
        Members<?> group = shared(from);
        long number = from.readVarLong(false);
        if (group.exclude(number)) {
            members--;
        }
        of.sizes().forget(number);
    }

    private Members<?> shared(WireInput from) {
        String name = Text.readSome(from);
        Members<?> group = shared.get(name);
        if (group == null) {
            throw new KryoException("there is no shared group " + name);
        }
        return group;
    }

    /** How many members of the other node are in groups here; a hint elsewhere than on the cord. */
    int size() {
        return members;
    }

    /** Runs code when the groups show what the other node has said of their members. */
    void then(Runnable code) {
        then(List.copyOf(owners.values()), 0, code);
    }

    private static void then(List<SharedGroup<?>> owners, int first, Runnable code) {
        if (first == owners.size()) {
            code.run();
        } else {
            owners.get(first).then(() -> then(owners, first + 1, code));
        }
    }

    /** The session has ended. */
    void over() {
        isOver = true;
        for (Members<?> each : shared.values()) {
            each.of.end(of);
            each.excludeAll();
        }
        shared.clear();
        members = 0;
    }
}
