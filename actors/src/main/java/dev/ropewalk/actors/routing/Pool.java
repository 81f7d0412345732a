package dev.ropewalk.actors.routing;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.internal.PoolMembership;
import dev.ropewalk.actors.supervision.ChildSpec;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Tree;

import java.util.Objects;

/**
 * Several workers of one kind, as a part of a tree; immutable. {@link
 * dev.ropewalk.actors.ActorSystem#pool(String, int, Actor, Routing)} starts one below the root; to
 * have one elsewhere, put its {@link #tree} there, and get its address from {@link
 * dev.ropewalk.actors.ActorSystem#pool(Pool, Routing)}:
 *
 * {@snippet file="dev/ropewalk/actors/routing/RoutingSnippetsTest.java" region="pool-in-tree"}
 *
 * <p>A worker is among those that are chosen from when it is up, and stays there while it is
 * started again; one that ends for good is no longer chosen.
 *
 * @param <M> the type of the messages
 */
public final class Pool<M> {
    private final Tree tree;

    private Pool(Tree tree) {
        this.tree = tree;
    }

    /**
     * {@return a pool} Its supervisor allows as many restarts as supervisors of one actor do, times
     * the number of workers.
     *
     * @param <M> the type of the messages
     * @param id the name of the supervisor of its workers; that of one pool in a system
     * @param workers how many, named from 1 on
     * @param worker how each is made
     * @throws IllegalArgumentException if there is no worker, or the name cannot be a name
     */
    public static <M> Pool<M> of(String id, int workers, Actor<M> worker) {
        if (workers < 1) {
            throw new IllegalArgumentException(
                    "pool " + id + ": workers=" + workers + " < 1; nobody would do the work");
        }
        Actor<M> joining = PoolMembership.around(id, worker);
        ChildSpec<?>[] children = new ChildSpec<?>[workers];
        for (int i = 0; i < workers; i++) {
            children[i] = Tree.child(String.valueOf(i + 1), joining);
        }
        Supervision ofOne = Supervision.oneForOne().spread();
        Supervision ofAll =
                ofOne.intensity(Math.multiplyExact(workers, ofOne.intensity()), ofOne.period());
        return new Pool<>(Tree.of(id, ofAll, children));
    }

    /** {@return the supervisor of the workers, one for one, spread over the cords} */
    public Tree tree() {
        return tree;
    }

    /**
     * {@return the pool with other rules for its supervisor}
     *
     * @param rules how it works, with an intensity for all workers together; by {@link
     *     Supervision#spread} the workers are on all cords
     */
    public Pool<M> rules(Supervision rules) {
        return new Pool<>(tree.rules(Objects.requireNonNull(rules, "rules")));
    }

    @Override
    public String toString() {
        return "pool " + tree;
    }
}
