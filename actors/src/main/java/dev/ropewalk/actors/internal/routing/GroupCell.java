package dev.ropewalk.actors.internal.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.internal.observe.DeadLetters;
import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.spi.GroupListener;
import dev.ropewalk.actors.spi.SharedGroup;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A group. Each join and leave goes first to the actor's cord and from there to the owner's, as the
 * actor's end does: so all that happens to one member has one order, and what comes from there
 * after an end finds it ended.
 *
 * <pre>
 *   member, on its actor's cord:  (none) -> IN               join
 *                                 IN -> LEAVING              leave; a join makes another entry
 *                                 IN, LEAVING -> (none)      the owner knows, or the actor is over
 *   the same, on the owner's:     (none) -> IN -> (none)     by a message from there, in that order
 * </pre>
 *
 * <p>The owner replaces the roster and tells the listeners in one step, so a listener's snapshot
 * and the changes after it are the members. The roster is read by any thread.
 *
 * <p>Actors of other processes are members by the word of what shares the group with those: on the
 * owner's cord, without a word of the actor. That hears of the members of this process alone.
 *
 * <p>Not known: from which size on the copy of the roster at each join is what a group costs.
 *
 * <p>Rejected: a compare-and-set on the roster by each cord. It would hold at once everywhere, but
 * listeners would hear of two changes in two orders.
 */
public final class GroupCell<M> extends Group<M> {
    private final String name;
    private final Cord owner;
    private final DeadLetters deadLetters;

    private volatile Roster<M> roster = Roster.empty();

    /** Its system is over: nobody joins any more. */
    private volatile boolean isOver;

    // ------------------------------------------------ of the owner's cord

    private final Map<ActorRef<M>, Member<M>> members = new LinkedHashMap<>();

    /** Begins the places of members of this process; null while no other process has the group. */
    private @Nullable String home;

    private final Set<GroupListener<M>> listeners = new LinkedHashSet<>();

    /** They hear of members of this process alone. */
    private final Set<GroupListener<M>> sharers = new LinkedHashSet<>();

    /** They wait for a first member. */
    private final Set<WaitCell> waiting = new LinkedHashSet<>();

    public GroupCell(String name, Cord owner, DeadLetters deadLetters) {
        this.name = Objects.requireNonNull(name, "name");
        this.owner = owner;
        this.deadLetters = deadLetters;
    }

    // ---------------------------------------------------------------- for programs

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<ActorRef<M>> members() {
        return roster.actors();
    }

    @Override
    public boolean join(ActorRef<M> actor) {
        Routee<M> cell = cell(actor);
        Waits.switchpoint();
        WaitCell answer = new WaitCell();
        cell.onCord(() -> join(cell, actor, answer::give));
        return Boolean.TRUE.equals(await(answer, "to join " + this));
    }

    @Override
    public void leave(ActorRef<M> actor) {
        Routee<M> cell = cell(actor);
        Waits.switchpoint();
        WaitCell answer = new WaitCell();
        cell.onCord(
                () -> {
                    Runnable left = cell.leaveGroup(this);
                    onOwner(
                            () -> {
                                if (left != null) {
                                    remove(actor);
                                    cell.onCord(left);
                                }
                                answer.give(true);
                            },
                            () -> answer.give(true)); // nobody is in it any more
                });
        await(answer, "to leave " + this);
    }

    private Object await(WaitCell answer, String reason) {
        Object result = answer.await(reason);
        if (result instanceof RuntimeException failure) {
            throw failure;
        }
        return Objects.requireNonNull(result);
    }

    private Routee<M> cell(ActorRef<M> actor) {
        Routee<M> local = Routee.of(Objects.requireNonNull(actor, "actor"));
        if (local != null) {
            return local;
        }
        throw new IllegalArgumentException(
                actor + " is no actor of this process and cannot be in " + this);
    }

    // ---------------------------------------------------------------- on the actor's cord

    /**
     * Makes the actor a member; never waits. On its cord.
     *
     * @param answer gets true when it is a member, false if it has ended, or an exception
     */
    public void join(Routee<M> cell, ActorRef<M> actor, Consumer<Object> answer) {
        Membership membership = then -> onOwner(() -> ended(actor, then), then);
        Boolean isNew = cell.enterGroup(this, membership);
        if (isNew == null) {
            answer.accept(false);
            return;
        }
        onOwner(
                () -> {
                    if (isNew) {
                        add(actor);
                    }
                    answer.accept(true);
                },
                () ->
                        answer.accept(
                                new IllegalStateException(
                                        actor
                                                + " cannot join "
                                                + this
                                                + ": "
                                                + owner
                                                + " has ended")));
    }

    private void ended(ActorRef<M> actor, Runnable then) {
        remove(actor);
        then.run();
    }

    // ---------------------------------------------------------------- on the owner's cord

    private void add(ActorRef<M> actor) {
        members.put(actor, here(actor));
        added(List.of(actor));
        List.copyOf(sharers).forEach(each -> each.joined(actor));
    }

    private Member<M> here(ActorRef<M> actor) {
        return new Member<>(actor, Member.place(home == null ? "" : home, actor.path(), actor));
    }

    private void added(List<ActorRef<M>> actors) {
        if (actors.isEmpty()) {
            return;
        }
        publish();
        for (GroupListener<M> each : List.copyOf(listeners)) {
            actors.forEach(each::joined);
        }
        List<WaitCell> first = List.copyOf(waiting);
        waiting.clear();
        first.forEach(each -> each.give(true));
    }

    private void remove(ActorRef<M> actor) {
        removeMembers(List.of(actor));
        List.copyOf(sharers).forEach(each -> each.left(actor));
    }

    private void removeMembers(Collection<ActorRef<M>> actors) {
        List<ActorRef<M>> left = new ArrayList<>(actors);
        left.removeIf(each -> members.remove(each) == null);
        if (left.isEmpty()) {
            return;
        }
        publish();
        for (GroupListener<M> each : List.copyOf(listeners)) {
            left.forEach(each::left);
        }
    }

    private void publish() {
        roster = new Roster<>(new ArrayList<>(members.values()), home != null);
    }

    /** Never waits for anything but the owner. A switchpoint. */
    public List<ActorRef<M>> listen(GroupListener<M> listener) {
        Waits.switchpoint();
        WaitCell answer = new WaitCell();
        onOwner(
                () -> {
                    listeners.add(listener);
                    answer.give(roster.actors());
                },
                () ->
                        answer.give(
                                new IllegalStateException(
                                        this + " cannot be watched: " + owner + " has ended")));
        boolean isHeard = false;
        try {
            @SuppressWarnings("unchecked") // given above
            List<ActorRef<M>> snapshot = (List<ActorRef<M>>) await(answer, "a watch of " + this);
            isHeard = true;
            return snapshot;
        } finally {
            if (!isHeard) {
                unlisten(listener);
            }
        }
    }

    /** From any thread. */
    public void unlisten(GroupListener<M> listener) {
        onOwner(() -> listeners.remove(listener), () -> {});
    }

    /** Until all joins and leaves are done that were asked for before. A switchpoint. */
    public void sync() {
        WaitCell answer = new WaitCell();
        onOwner(() -> answer.give(true), () -> answer.give(true));
        answer.await("the changes of " + this);
    }

    // ---------------------------------------------------------------- members elsewhere

    /**
     * Other processes have the group from now on; from any thread.
     *
     * @param node of this process, the same name for all of them
     * @param sharer is told of the members of this process that join and leave
     */
    public void share(String node, GroupListener<M> sharer) {
        onOwner(
                () -> {
                    home = node + '/';
                    members.replaceAll(
                            (actor, member) -> member.cell() == null ? member : here(actor));
                    publish();
                    sharers.add(sharer);
                },
                () -> {});
    }

    /** The members of this process; on the owner's cord. */
    public List<ActorRef<M>> locals() {
        return members.values().stream()
                .filter(each -> each.cell() != null)
                .map(Member::actor)
                .toList();
    }

    /** The sharer is told no more; from any thread. */
    public void unshare(GroupListener<M> sharer) {
        onOwner(() -> sharers.remove(sharer), () -> {});
    }

    /** Actors of other processes are members; from any thread. */
    public void enter(Collection<SharedGroup.Foreign<M>> actors) {
        onOwner(
                () -> {
                    List<ActorRef<M>> joined = new ArrayList<>();
                    for (SharedGroup.Foreign<M> each : actors) {
                        String place = Member.place(each.node() + '/', each.path(), each.actor());
                        Member<M> member = new Member<>(each.actor(), place);
                        if (members.putIfAbsent(each.actor(), member) == null) {
                            joined.add(each.actor());
                        }
                    }
                    added(joined);
                },
                () -> {});
    }

    /** They are members no more; from any thread. */
    public void exclude(Collection<ActorRef<M>> actors) {
        onOwner(() -> removeMembers(actors), () -> {});
    }

    /** Behind all that was asked for before by this thread; from any thread. */
    public void then(Runnable code) {
        onOwner(code, code);
    }

    // ---------------------------------------------------------------- for routers

    public Roster<M> roster() {
        return roster;
    }

    DeadLetters deadLetters() {
        return deadLetters;
    }

    boolean isOver() {
        return isOver;
    }

    /** The system is over: those that wait for a member wait no longer. From any thread. */
    public void end() {
        isOver = true;
        onOwner(
                () -> {
                    waiting.forEach(each -> each.give(false));
                    waiting.clear();
                },
                () -> {});
    }

    /** False if the limit passed, or the system or the group's cord has ended. A switchpoint. */
    boolean awaitMember(long limitNanos) {
        WaitCell first = new WaitCell();
        onOwner(
                () -> {
                    if (isOver) {
                        first.give(false);
                    } else if (members.isEmpty()) {
                        waiting.add(first);
                    } else {
                        first.give(true);
                    }
                },
                () -> first.give(false));
        Object given = null;
        try {
            given = first.await("a member of " + this, limitNanos);
            return Boolean.TRUE.equals(given);
        } finally {
            if (!Boolean.TRUE.equals(given)) {
                onOwner(() -> waiting.remove(first), () -> {});
            }
        }
    }

    // ---------------------------------------------------------------- inside

    private void onOwner(Runnable task, Runnable ifClosed) {
        if (owner.isCurrent()) {
            task.run();
            return;
        }
        owner.post(
                new CordMessage() {
                    @Override
                    public void onCord() {
                        task.run();
                    }

                    @Override
                    public void onClosed() {
                        ifClosed.run();
                    }
                });
    }

    public Cord owner() {
        return owner;
    }

    /** How many listen, and wait for a first member; on the owner's cord. */
    public int interested() {
        return listeners.size() + waiting.size();
    }

    /** On the owner's cord. */
    public void checkInvariants() {
        if (!List.copyOf(members.keySet()).equals(roster.actors())) {
            throw new IllegalStateException(
                    this + ": members=" + members.keySet() + " != roster=" + roster.actors());
        }
        if (!waiting.isEmpty() && !members.isEmpty()) {
            throw new IllegalStateException(
                    this + ": " + waiting.size() + " wait for a member, but there is one");
        }
    }

    @Override
    public String toString() {
        return "group " + name;
    }
}
