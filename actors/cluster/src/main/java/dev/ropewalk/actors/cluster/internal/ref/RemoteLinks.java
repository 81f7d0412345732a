package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.LinkPeer;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The links between actors of two nodes. A link has a number, given by the node whose actor has
 * made it, and each node has an entry with its own end of it. The entry goes with the first word of
 * either end; the other node's word that crosses it finds none. For any thread; the lock also keeps
 * the words of a link in order.
 */
final class RemoteLinks {
    /** Of a link with an actor that could not be reached. */
    private static final LinkPeer NONE =
            new LinkPeer() {
                @Override
                public void unlinked() {
                    // It was none.
                }

                @Override
                public void ended(ExitReason reason) {
                    // It was none.
                }
            };

    private static final int MAX_LINKS = 1_000_000;

    private final Home home;
    private final Conversation of;
    private final Addresses addresses;

    // ---- guarded by this object's monitor

    private final Map<Key, Far> all = new HashMap<>();
    private long last;
    private boolean isOver;

    private record Key(long number, boolean isOurs) {}

    /** The end at an actor of the other node. */
    private final class Far implements LinkPeer {
        final Key key;

        /** At the actor here; null until that has been told. */
        private @Nullable LinkPeer near;

        Far(Key key, @Nullable LinkPeer near) {
            this.key = key;
            this.near = near;
        }

        @Override
        public void unlinked() {
            tell(this, null);
        }

        @Override
        public void ended(ExitReason reason) {
            tell(this, reason);
        }
    }

    RemoteLinks(Home home, Conversation of, Addresses addresses) {
        this.home = home;
        this.of = of;
        this.addresses = addresses;
    }

    // ---------------------------------------------------------------- by actors here

    LinkPeer link(RemoteTarget<?> to, ActorRef<?> actor, LinkPeer end) {
        synchronized (this) {
            if (!isOver) {
                last++;
                Far made = new Far(new Key(last, true), end);
                of.sendAtOnce(
                        frame -> {
                            frame.begin(FrameType.LINK).signed(to.number()).number(made.key.number);
                            addresses.write(frame.out(), actor);
                            return frame;
                        });
                all.put(made.key, made);
                return made;
            }
        }
        return none(end, new ExitReason.Unreachable(of.peer().id().name()));
    }

    /** To an actor that cannot be linked to: the link ends at once. */
    static LinkPeer none(LinkPeer end, ExitReason reason) {
        end.ended(reason);
        return NONE;
    }

    /** Of an end here, once. */
    private void tell(Far far, @Nullable ExitReason reason) {
        synchronized (this) {
            if (all.remove(far.key, far)) {
                of.sendAtOnce(
                        frame -> {
                            frame.begin(reason == null ? FrameType.UNLINK : FrameType.LINK_END)
                                    .number(far.key.number)
                                    .flag(far.key.isOurs);
                            if (reason != null) {
                                Reasons.write(frame.out(), reason);
                            }
                            return frame;
                        });
            }
        }
    }

    // ---------------------------------------------------------------- words of the other node

    /** An actor there has linked to one here. On the cord. */
    void linked(WireInput from) {
        ActorRef<?> actor = home.exports().actor(from.readVarLong(false));
        Far far = new Far(new Key(from.readVarLong(true), false), null);
        if (!(addresses.read(from) instanceof ActorRef<?> other)
                || !(other.target() instanceof RemoteTarget<?> owner)
                || !owner.peer().id().equals(of.peer().id())) {
            throw new KryoException("a node links only its own actors");
        }
        synchronized (this) {
            if (all.size() >= MAX_LINKS || all.putIfAbsent(far.key, far) != null) {
                throw new KryoException(
                        "there is a link number="
                                + far.key.number
                                + ", or there are more than "
                                + MAX_LINKS);
            }
        }
        LinkPeer near = actor == null ? null : Calls.linked(actor.target(), other, far);
        if (near == null) {
            far.ended(new ExitReason.NoActor());
        } else {
            far.near = near;
        }
    }

    /** On the cord. */
    void unlinked(WireInput from) {
        LinkPeer near = taken(from);
        if (near != null) {
            near.unlinked();
        }
    }

    /** On the cord. */
    void ended(WireInput from) {
        LinkPeer near = taken(from);
        ExitReason reason = Reasons.read(from);
        if (near != null) {
            near.ended(reason);
        }
    }

    private @Nullable LinkPeer taken(WireInput from) {
        Key key = new Key(from.readVarLong(true), !from.readBoolean());
        synchronized (this) {
            Far found = all.remove(key);
            return found == null ? null : found.near;
        }
    }

    synchronized int size() {
        return all.size();
    }

    /** The session has ended: all links with it, for the same reason. */
    void over(ExitReason reason) {
        List<Far> left;
        synchronized (this) {
            isOver = true;
            left = new ArrayList<>(all.values());
            all.clear();
        }
        for (Far each : left) {
            if (each.near != null) {
                each.near.ended(reason);
            }
        }
    }
}
