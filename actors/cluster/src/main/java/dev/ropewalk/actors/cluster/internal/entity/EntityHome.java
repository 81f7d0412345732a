package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.supervision.BackOff;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The entities of one kind in one process: which cord a key belongs to, and the things that they
 * share. For any thread.
 */
public final class EntityHome<M> implements Route<M> {
    private static final Log LOG = Logs.logger(EntityHome.class);

    /**
     * As often as need be: one entity that fails must not end the others. The longest pause is far
     * below the time between two ticks, so that one whose reminder fails works in between.
     */
    private static final Supervision RULES =
            Supervision.dynamic()
                    .intensity(Integer.MAX_VALUE, Duration.ofMillis(1))
                    .backOff(
                            BackOff.doubling(Duration.ofMillis(100), Duration.ofSeconds(2))
                                    .withJitter(0.2));

    private final ActorSystem system;
    private final String kind;
    private final @Nullable MessageTypes messages;
    private final Supervisor supervisor;
    private final String path;
    private final Ownership ownership;
    private final Running running;
    private final List<Residents<M>> residents = new ArrayList<>();

    /** Of the addresses that are given out; this one where all entities are here. */
    private final Route<M> route;

    /** Starts those that have something to do, of a shard that is taken; null if none has. */
    private volatile @Nullable ActorRef<Integer> wakes;

    /** How the actor of a key is made, on its cord. */
    @FunctionalInterface
    public interface Definitions<M> {
        Actor<M> of(String key);
    }

    /** The entities of a cord, as one of their actors sees them. On the cord. */
    public interface Keeper {
        /** It ends behind the messages that it has; what comes then starts the next one. */
        void stop(String key);

        /**
         * It is told {@link Letter.Tick} after a while, and is started for it. Takes the place of
         * the last such call for the key.
         */
        void tick(String key, long afterNs);

        /** Takes that back. */
        void noTick(String key);

        /** Whether it has a state, and so is one that is remembered, if its kind is. */
        void hasState(String key, boolean hasState);

        /** Whether a write of its value is under way, of which the next owner may see nothing. */
        void writes(String key, boolean isUnderWay);
    }

    /** The same for each cord, because one may keep something there. */
    @FunctionalInterface
    public interface ByCord<M> {
        Definitions<M> on(Cord cord, Keeper keeper);
    }

    /**
     * The home of a kind.
     *
     * @param place where it stands
     * @param route of its addresses; null if all entities are here
     * @param kind its name
     * @param messages the type that it takes, if it is durable; otherwise null
     * @param running how long one without messages runs
     * @param byCord how they are made
     */
    public EntityHome(
            Place place,
            @Nullable Route<M> route,
            String kind,
            @Nullable MessageTypes messages,
            Running running,
            ByCord<M> byCord) {
        this.messages = messages;
        this.running = running;
        this.system = place.system();
        this.kind = kind;
        this.path = place.path() + "/" + kind;
        this.ownership = place.ownership();
        this.route = route == null ? this : route;
        for (Cord cord : system.cords()) {
            residents.add(new Residents<>(this, cord, running.idle(), byCord));
        }
        this.supervisor = place.above().supervise(kind, RULES); // last, because the rest may fail
    }

    /**
     * Where the kinds of a host stand.
     *
     * @param system whose actors they are
     * @param above of the supervisors that start them
     * @param ownership of the shards
     */
    public record Place(ActorSystem system, Supervisor above, Ownership ownership) {
        /** Of the supervisor. */
        String path() {
            return system.name() + "/" + above.name();
        }
    }

    /** Null if it is not durable. */
    @Nullable MessageTypes messages() {
        return messages;
    }

    @Override
    public ActorSystem system() {
        return system;
    }

    /** Whether those that have a state are started without a message. */
    boolean isRemembered() {
        return running.isRemembered();
    }

    Ownership ownership() {
        return ownership;
    }

    /** Of its addresses. */
    Route<M> route() {
        return route;
    }

    Supervisor supervisor() {
        return supervisor;
    }

    @Override
    public String kind() {
        return kind;
    }

    /** Of the supervisor that starts them. */
    @Override
    public String path() {
        return path;
    }

    public ActorRef<M> ref(String key) {
        return new EntityTarget<>(route, key).ref();
    }

    /** The address of an entity that runs here; others do not get it. */
    ActorRef<M> local(String key) {
        return new EntityTarget<>(this, key).ref();
    }

    /** How many run now. */
    public int size() {
        return residents.stream().mapToInt(Residents::size).sum();
    }

    Residents<M> residentsOf(int shard) {
        int cords = residents.size();
        return residents.get(cords == 1 ? 0 : shard % cords);
    }

    /** The entity has something to do: it is started for that. From any thread. */
    public void wake(String key) {
        int shard = Shards.of(key);
        residentsOf(shard).wake(shard, key);
    }

    // ---------------------------------------------------------------- the entities of this process

    @Override
    public void tell(EntityTarget<M> to, Object item) {
        boolean isForeign = ownership.isShared(); // others of this node come by its ways
        Object sent = inContext(item, null);
        residentsOf(to.shard()).send(to.shard(), to.key(), sent, isForeign);
    }

    /** By a way of this node. */
    void sendHere(EntityTarget<?> to, Object item) {
        residentsOf(to.shard()).send(to.shard(), to.key(), item, false);
    }

    @Override
    public TellResult tryTell(EntityTarget<M> to, Object item) {
        tell(to, item);
        return TellResult.ACCEPTED;
    }

    @Override
    public void ask(EntityTarget<M> to, Question<M, ?> question, boolean mayWait) {
        tell(to, question);
    }

    @Override
    public void with(
            EntityTarget<M> to, Consumer<? super @Nullable ActorRef<?>> code, Runnable whenOver) {
        residentsOf(to.shard()).with(to.shard(), to.key(), code, whenOver);
    }

    @Override
    public void end(EntityTarget<M> to, Consumer<ActorRef<?>> how) {
        residentsOf(to.shard()).end(to.shard(), to.key(), how);
    }

    // ---------------------------------------------------------------- shards that come and go

    /** An item came when the shard had gone, or before it was here. On its cord. */
    void returned(int shard, String key, Object item, boolean isForeign) {
        if (item instanceof Letter) {
            return; // it comes again, and must not come behind later ones
        }
        // Later ones of another node's senders may go to the next owner before it would.
        if (route instanceof KindRoute<M> shared && !isForeign) {
            shared.returned(shard, key, item);
        } else {
            refuse(
                    key,
                    item,
                    DeadLetter.Reason.MOVING,
                    new EntityException(
                            nameOf(key) + " goes to another node, and the message came too late"));
        }
    }

    /**
     * The owner that the key has now looks at its value again: a write of the owner before may have
     * come meanwhile, with a message to deliver. On a cord.
     */
    void wakeNextOwner(String key) {
        if (route instanceof KindRoute<M> shared) {
            shared.tell(new EntityTarget<>(shared, key), new Letter.Look());
        }
    }

    void wakes(ActorRef<Integer> started) {
        wakes = started;
    }

    /** The shard is here from now on. */
    void take(int shard) {
        residentsOf(shard).take(shard);
        ActorRef<Integer> started = wakes;
        if (started != null) {
            started.tell(shard);
        }
    }

    /**
     * Its entities end, each behind the messages that it has.
     *
     * @param gone runs when none is left
     */
    void giveAway(int shard, Runnable gone) {
        residentsOf(shard).giveAway(shard, gone);
    }

    /**
     * Its entities end now, because another node may have the shard.
     *
     * @param gone runs when none is left
     */
    void lose(int shard, Consumer<ActorRef<?>> how, Runnable gone) {
        residentsOf(shard).lose(shard, how, gone);
    }

    /** A word of another entity, which came to this process. */
    void letter(String key, Letter letter) {
        int shard = Shards.of(key);
        residentsOf(shard).send(shard, key, letter, true);
    }

    /** The key has an actor whenever its shard is here. */
    public void keep(String key) {
        residentsOf(Shards.of(key)).keep(key);
    }

    /** Runs when all has passed that was sent to the shard before. */
    void fence(int shard, Runnable passed) {
        residentsOf(shard).fence(shard, passed);
    }

    /**
     * Ends all, each behind the messages that it has. Waits for nothing.
     *
     * @param gone runs when there is none any more
     */
    public void close(Runnable gone) {
        Countdown cords = new Countdown(gone);
        residents.forEach(each -> each.close(cords.part()));
        cords.begin();
    }

    // ---------------------------------------------------------------- what cannot be told

    void tellBroken(String key, Throwable cause) {
        LOG.warn("{} did not start", nameOf(key), cause);
    }

    /** After each test; on a cord of the system that nothing else uses meanwhile. */
    public void checkInvariants() {
        residents.forEach(Residents::checkInvariants);
    }
}
