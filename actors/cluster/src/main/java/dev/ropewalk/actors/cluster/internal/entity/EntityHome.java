package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
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

/**
 * The entities of one kind in one process: which cord a key belongs to, and the things that they
 * share. For any thread.
 */
public final class EntityHome<M> {
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
    private final List<Residents<M>> residents = new ArrayList<>();

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
    }

    /** The same for each cord, because one may keep something there. */
    @FunctionalInterface
    public interface ByCord<M> {
        Definitions<M> on(Cord cord, Keeper keeper);
    }

    /**
     * The home of a kind.
     *
     * @param system whose actors they are
     * @param above of the supervisor that starts them
     * @param kind its name
     * @param messages the type that it takes, if it is durable; otherwise null
     * @param idle how long one without messages runs
     * @param byCord how they are made
     */
    public EntityHome(
            ActorSystem system,
            Supervisor above,
            String kind,
            @Nullable MessageTypes messages,
            Duration idle,
            ByCord<M> byCord) {
        this.messages = messages;
        this.system = system;
        this.kind = kind;
        this.path = system.name() + "/" + above.name() + "/" + kind;
        for (Cord cord : system.cords()) {
            residents.add(new Residents<>(this, cord, idle, byCord));
        }
        this.supervisor = above.supervise(kind, RULES); // last, because the rest may fail
    }

    /** Null if it is not durable. */
    @Nullable MessageTypes messages() {
        return messages;
    }

    ActorSystem system() {
        return system;
    }

    Supervisor supervisor() {
        return supervisor;
    }

    public String kind() {
        return kind;
    }

    /** Of the supervisor that starts them. */
    public String path() {
        return path;
    }

    public ActorRef<M> ref(String key) {
        return new EntityTarget<>(this, key).ref();
    }

    /** How many run now. */
    public int size() {
        return residents.stream().mapToInt(Residents::size).sum();
    }

    Residents<M> residentsOf(String key) {
        int cords = residents.size();
        return residents.get(cords == 1 ? 0 : Shards.of(key) % cords);
    }

    /** The entity has something to do: it is started for that. From any thread. */
    public void wake(String key) {
        residentsOf(key).wake(key);
    }

    /** On how many cords it is. */
    public int cords() {
        return residents.size();
    }

    /**
     * Ends all, each behind the messages that it has. Waits for nothing.
     *
     * @param gone runs once for each cord, when it has none any more
     */
    public void close(Runnable gone) {
        residents.forEach(each -> each.close(gone));
    }

    // ---------------------------------------------------------------- what cannot be told

    String nameOf(String key) {
        return path + "/" + EntityNames.name(key);
    }

    /** A message, or a {@link Question}. */
    void refuse(String key, Object item, DeadLetter.Reason reason, @Nullable Throwable cause) {
        if (item instanceof Letter) {
            return; // it comes again
        }
        Object message = item;
        if (item instanceof Question<?, ?>(EntityAsk<?> ask, Object asked)) {
            message = asked;
            ask.failed(cause == null ? text(reason) : cause.getMessage(), cause);
        }
        system.report(new DeadLetter(message, nameOf(key), reason, cause));
    }

    private static String text(DeadLetter.Reason reason) {
        return reason == DeadLetter.Reason.ENDED ? "its entities have been closed" : "" + reason;
    }

    void tellBroken(String key, Throwable cause) {
        LOG.warn("{} did not start", nameOf(key), cause);
    }

    /** After each test; on a cord of the system that nothing else uses meanwhile. */
    public void checkInvariants() {
        residents.forEach(Residents::checkInvariants);
    }
}
