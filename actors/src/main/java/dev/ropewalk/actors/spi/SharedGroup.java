package dev.ropewalk.actors.spi;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.routing.GroupCell;
import dev.ropewalk.actors.routing.Group;

import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * A group that several processes have: for builders of targets. Each of them tells the others of
 * its own members, and enters theirs here. From any thread; the calls of one thread take effect in
 * their order, on the cord that owns the group.
 *
 * @param <M> the type of the messages that the members take
 */
public final class SharedGroup<M> {
    private final GroupCell<M> group;

    private SharedGroup(GroupCell<M> group) {
        this.group = group;
    }

    /**
     * {@return the group, for those that share it}
     *
     * @param <M> the type of the messages that the members take
     * @param group of this process
     */
    public static <M> SharedGroup<M> of(Group<M> group) {
        return new SharedGroup<>((GroupCell<M>) Objects.requireNonNull(group, "group"));
    }

    /** {@return the group} */
    public Group<M> group() {
        return group;
    }

    /**
     * Begins: a hash router gives each key to the same member in all processes from now on, and
     * refuses keys whose hash is of one process.
     *
     * @param node the name of this process
     * @param listener is told of the members of this process that join and leave
     */
    public void begin(String node, GroupListener<M> listener) {
        group.share(Objects.requireNonNull(node, "node"), listener);
    }

    /**
     * Ends what {@link #begin} has begun: the listener is told no more.
     *
     * @param listener of the beginning
     */
    public void end(GroupListener<M> listener) {
        group.unshare(listener);
    }

    /**
     * An actor of another process.
     *
     * @param <M> the type of the messages that it takes
     * @param actor the actor
     * @param node the name of its process
     * @param path of the actor there
     */
    public record Foreign<M>(ActorRef<M> actor, String node, String path) {}

    /**
     * Actors of other processes are members; those that are already are left alone.
     *
     * @param actors the actors
     */
    public void enter(Collection<Foreign<M>> actors) {
        group.enter(actors);
    }

    /**
     * Actors of other processes are members no more; those that are none are left alone.
     *
     * @param actors the actors
     */
    public void exclude(Collection<ActorRef<M>> actors) {
        group.exclude(actors);
    }

    /**
     * Runs code on the cord that owns the group, when the earlier calls of this thread have taken
     * effect. At once if that cord is this thread's, or has ended.
     *
     * @param code must not wait
     */
    public void then(Runnable code) {
        group.then(code);
    }

    /** {@return the members of this process} On the cord that owns the group. */
    public List<ActorRef<M>> members() {
        return group.locals();
    }

    /** {@return a name of the cord that owns the group: those of one cord are equal} */
    public Object owner() {
        return group.owner();
    }

    @Override
    public String toString() {
        return group.toString();
    }
}
