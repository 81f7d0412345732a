package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.MailboxFullException;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.entity.EntityException;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.Questions.Found;
import dev.ropewalk.actors.cluster.internal.session.Session.Sent;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * The ways of one node to the entities of a kind, wherever they run: one for each shard, made when
 * it is first used. The kind need not be open here. For any thread.
 */
final class KindRoute<M> implements Route<M> {
    private static final Duration FIND_LIMIT = Duration.ofSeconds(5);

    private final NodeEntities node;
    private final String kind;
    private final AtomicReferenceArray<@Nullable Way<M>> ways =
            new AtomicReferenceArray<>(Shards.COUNT);

    /** Null while the kind is not open here. */
    private volatile @Nullable EntityHome<M> home;

    private volatile boolean hasBegun;

    KindRoute(NodeEntities node, String kind) {
        this.node = node;
        this.kind = kind;
    }

    @Nullable EntityException unusable() {
        return node.unusable();
    }

    WayTiming timing() {
        return node.timing();
    }

    boolean isOf(NodeEntities other) {
        return node == other;
    }

    @Nullable EntityHome<M> home() {
        return home;
    }

    void open(EntityHome<M> opened) {
        home = opened;
    }

    /** The home knows by now which shards are here. */
    void begins() {
        hasBegun = true;
    }

    /** Whether it takes messages of other nodes. */
    boolean hasBegun() {
        return hasBegun;
    }

    @Override
    public String kind() {
        return kind;
    }

    @Override
    public String path() {
        return node.path() + "/" + kind;
    }

    @Override
    public ActorSystem system() {
        return node.system();
    }

    // ---------------------------------------------------------------- messages

    @Override
    public void tell(EntityTarget<M> to, Object item) {
        boolean isLetter = item instanceof Letter; // comes again if there is no room
        boolean mayWait = !isLetter && Conversation.mayWait();
        if (mayWait) {
            Waits.switchpoint();
        }
        if (way(to.shard()).send(to, item, mayWait) != Sent.FULL || isLetter) {
            return;
        }
        if (!Calls.isInActor()) {
            throw full(to, item);
        }
        refuse(to.key(), item, DeadLetter.Reason.REFUSED, null);
    }

    private static MailboxFullException full(EntityTarget<?> to, Object message) {
        return new MailboxFullException(
                "the queue to the node of "
                        + to
                        + " is full; the message was not sent: "
                        + Lines.of(message));
    }

    @Override
    public TellResult tryTell(EntityTarget<M> to, Object item) {
        return way(to.shard()).send(to, item, false) == Sent.FULL
                ? TellResult.FULL
                : TellResult.ACCEPTED;
    }

    @Override
    public void ask(EntityTarget<M> to, Question<M, ?> question, boolean mayWait) {
        boolean waits = mayWait && Conversation.mayWait();
        if (way(to.shard()).send(to, question, waits) == Sent.FULL) {
            question.ask().failed("there is no room", full(to, question.message()));
        }
    }

    private Way<M> way(int shard) {
        Way<M> found = ways.get(shard);
        return found == null ? newWay(shard) : found;
    }

    private Way<M> newWay(int shard) {
        Way<M> made = new Way<>(this, shard);
        Way<M> first = ways.compareAndExchange(shard, null, made);
        if (first != null) {
            return first;
        }
        if (node.isClosed() || unusable() != null) { // which has closed those before
            made.close();
        }
        return made;
    }

    // ---------------------------------------------------------------- the actor that runs now

    @Override
    public void with(
            EntityTarget<M> to, Consumer<? super @Nullable ActorRef<?>> code, Runnable whenOver) {
        node.later(
                () -> {
                    EntityHome<M> here = home;
                    switch (place(to.shard())) {
                        case Way.Place.Here _ when here != null -> here.with(to, code, whenOver);
                        case Way.Place.There(Conversation with) ->
                                node.cord()
                                        .spin(
                                                "finds " + to,
                                                () -> withRemote(with, to, code, whenOver));
                        case null, default -> whenOver.run();
                    }
                },
                whenOver);
    }

    private void withRemote(
            Conversation with,
            EntityTarget<M> to,
            Consumer<? super @Nullable ActorRef<?>> code,
            Runnable whenOver) {
        String path = node.name() + "/" + kind + "/" + EntityNames.name(to.key());
        switch (with.questions().find(path, Waits.nanos(FIND_LIMIT))) {
            case Found.Actor(ActorRef<?> actor) -> code.accept(actor);
            case Found.Nobody() -> code.accept(null);
            case Found.Actor _, Found.Unreachable(), Found.Late() -> whenOver.run();
        }
    }

    @Override
    public void end(EntityTarget<M> to, Consumer<ActorRef<?>> how) {
        later(
                () -> {
                    EntityHome<M> here = home;
                    if (here != null && place(to.shard()) instanceof Way.Place.Here) {
                        here.end(to, how);
                    } else {
                        with(
                                to,
                                actor -> {
                                    if (actor != null) {
                                        how.accept(actor);
                                    }
                                },
                                () -> {});
                    }
                });
    }

    // ---------------------------------------------------------------- for the ways

    /** On the node's cord, behind all that it was told before. */
    void later(Runnable code) {
        node.later(code, () -> {});
    }

    Way.@Nullable Place place(int shard) {
        Way.Place place = node.place(shard);
        return place instanceof Way.Place.Here && home == null ? null : place;
    }

    private EntityHome<M> here() {
        EntityHome<M> here = home;
        if (here == null) {
            throw new IllegalStateException("kind " + kind + " is not open here");
        }
        return here;
    }

    boolean isOnCordOf(int shard) {
        EntityHome<M> here = home;
        return here != null && here.residentsOf(shard).isOnCord();
    }

    @Nullable String context() {
        return node.contexts().current();
    }

    /** Over the inbox of the cord, also from that cord. */
    void postHere(EntityTarget<?> to, Object item, Runnable arrived) {
        here().residentsOf(to.shard()).post(to.shard(), to.key(), item, arrived);
    }

    void sendHere(EntityTarget<?> to, Object item) {
        here().sendHere(to, item);
    }

    void fenceHere(int shard, Runnable passed) {
        here().fence(shard, passed);
    }

    void fence(Conversation with, Way<M> way) {
        node.fence(with, way);
    }

    // ---------------------------------------------------------------- for the node

    /** This process does not have the shard. From any thread. */
    void returned(int shard, String key, Object item) {
        way(shard).returned(node.self(), new EntityTarget<>(this, key), item);
    }

    /** Another node does not have it. On the cord. */
    void bounced(Conversation by, EntityTarget<M> to, Object item) {
        way(to.shard()).returned(by.peer().id().name(), to, item);
    }

    /** How many messages wait. */
    int waiting() {
        int sum = 0;
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            Way<M> way = ways.get(shard);
            sum += way == null ? 0 : way.waiting();
        }
        return sum;
    }

    void look(int shard) {
        Way<M> way = ways.get(shard);
        if (way != null) {
            way.look();
        }
    }

    void each(Consumer<Way<M>> code) {
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            Way<M> way = ways.get(shard);
            if (way != null) {
                code.accept(way);
            }
        }
    }

    NodeDump.Kind dump() {
        EntityHome<M> here = home;
        return new NodeDump.Kind(kind, here == null ? 0 : here.size(), waiting());
    }

    @Override
    public String toString() {
        return "entities " + kind + " of " + node;
    }
}
