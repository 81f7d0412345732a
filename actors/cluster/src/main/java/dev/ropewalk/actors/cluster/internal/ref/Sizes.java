package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.Calls;
import dev.ropewalk.actors.spi.Load;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many messages actors have, between two nodes, for routers that choose the one with the
 * fewest. A router's node asks once for an actor; from then on the numbers ride on the
 * acknowledgements of the actor's node, each with how many messages of this session to that actor
 * it counts: so what is on its way is known too.
 *
 * <p>Nothing is counted, and nothing sent, while no router asks. The part that asks is for any
 * thread, the part that is asked is confined to the session's cord.
 *
 * <p>Messages that leave while an actor is first asked for may be counted by one of the two nodes
 * alone. Whenever all that was sent is acknowledged, none is on its way, and the counts are made
 * equal.
 */
final class Sizes {
    /** How late a number may be, also if little is sent. */
    private static final Duration PERIOD = Duration.ofMillis(50);

    private static final int GONE = 0;

    /** An actor that cannot be reached: any other is chosen before it. */
    static final int UNREACHABLE = Integer.MAX_VALUE - 1;

    /** Numbers in one acknowledgement; others wait for the next one. */
    private static final int MAX_TOLD = 1_000;

    /** A router: it has no mailbox, and counts as one of the emptiest. */
    private static final Load EMPTY =
            new Load() {
                @Override
                public int size() {
                    return 0;
                }

                @Override
                public void told() {
                    // Nothing has changed.
                }
            };

    private final Home home;
    private final Conversation of;

    // ---- for any thread

    /** Actors of the other node. */
    private final Map<Long, Known> loads = new ConcurrentHashMap<>();

    private volatile boolean isOver;

    // ---- confined to the cord

    /** Actors here. */
    private final Map<Long, Served> served = new HashMap<>();

    private @Nullable Alarm alarm;

    /** An actor of the other node, as all senders of this node know it. */
    private static final class Known {
        /** Messages that have left. */
        final AtomicLong sent = new AtomicLong();

        /** Null if the actor is over. */
        volatile @Nullable Report last = new Report(0, 0);

        int size() {
            Report now = last;
            if (now == null) {
                return UNREACHABLE;
            }
            long all = now.size + Math.max(0, sent.get() - now.taken);
            return (int) Math.min(all, UNREACHABLE);
        }

        void nothingIsOnItsWay() {
            Report now = last;
            if (now != null) {
                sent.set(now.taken);
            }
        }
    }

    /** The word of the actor's node: how many it has, and how many have come from here. */
    private record Report(int size, long taken) {}

    /** An actor here that the other node asks for. */
    private static final class Served {
        final Load load;
        long taken;
        Report told = new Report(0, 0);

        Served(Load load) {
            this.load = load;
        }
    }

    Sizes(Home home, Conversation of) {
        this.home = home;
        this.of = of;
    }

    // ---------------------------------------------------------------- of the other node's actors

    /** How many messages it has; from the first call on it is kept up to date. */
    int size(long number) {
        if (isOver) {
            return UNREACHABLE;
        }
        Known known = loads.get(number);
        if (known == null) {
            known = loads.computeIfAbsent(number, this::asked);
        }
        return known.size();
    }

    /** How many actors of the other node are asked for. */
    int size() {
        return loads.size();
    }

    private Known asked(long number) {
        of.sendAtOnce(frame -> frame.begin(FrameType.COUNT).signed(number));
        return new Known();
    }

    /** A message has left. */
    void sent(long number) {
        if (!loads.isEmpty()) {
            Known known = loads.get(number);
            if (known != null) {
                known.sent.incrementAndGet();
            }
        }
    }

    /** The actor is over, and no group has it any more. */
    void forget(long number) {
        loads.remove(number);
    }

    /** Behind the number of an acknowledgement, which may be of all that was sent. */
    void read(WireInput from, boolean isAll) {
        int count = from.readSize(3);
        for (int i = 0; i < count; i++) {
            long number = from.readVarLong(false);
            int size = from.readVarInt(true);
            long taken = from.readVarLong(true);
            if (size < 0 || taken < 0) {
                throw new KryoException("an actor has size=" + size + ", taken=" + taken);
            }
            Known known = loads.get(number);
            if (known != null) {
                known.last = size == GONE ? null : new Report(size - 1, taken);
            }
        }
        if (isAll && !loads.isEmpty()) {
            loads.values().forEach(Known::nothingIsOnItsWay);
        }
    }

    // ---------------------------------------------------------------- of the actors here

    /** The other node asks. */
    void wanted(WireInput from) {
        long number = from.readVarLong(false);
        ActorRef<?> actor = home.exports().actor(number);
        Load load = actor == null ? null : Calls.loadOf(actor.target());
        served.putIfAbsent(number, new Served(load == null ? EMPTY : load));
        if (alarm == null && !isOver) {
            alarm = Alarm.after(Waits.nanos(PERIOD), this::due);
        }
    }

    /** A message has come, readable or not. */
    void taken(long number) {
        if (!served.isEmpty()) {
            Served actor = served.get(number);
            if (actor != null) {
                actor.taken++;
            }
        }
    }

    /** It is in the actor's hands. */
    void delivered(long number) {
        if (!served.isEmpty()) {
            Served actor = served.get(number);
            if (actor != null) {
                actor.load.told();
            }
        }
    }

    private void due() {
        alarm = null;
        if (!isOver && !served.isEmpty()) {
            alarm = Alarm.after(Waits.nanos(PERIOD), this::due);
            if (served.entrySet().stream()
                    .anyMatch(each -> isNew(each.getKey(), each.getValue()))) {
                of.session().tellTaken();
            }
        }
    }

    private boolean isNew(long number, Served actor) {
        return !actor.told.equals(now(actor)) || home.exports().actor(number) == null;
    }

    private static Report now(Served actor) {
        return new Report(actor.load.size(), actor.taken);
    }

    /** Those that have changed, behind the number of an acknowledgement. */
    void write(Output to) {
        if (served.isEmpty()) {
            to.writeVarInt(0, true);
            return;
        }
        Map<Long, Served> changed = new HashMap<>();
        served.forEach(
                (number, actor) -> {
                    if (changed.size() < MAX_TOLD && isNew(number, actor)) {
                        changed.put(number, actor);
                    }
                });
        to.writeVarInt(changed.size(), true);
        changed.forEach((number, actor) -> write(to, number, actor));
    }

    private void write(Output to, long number, Served actor) {
        actor.told = now(actor);
        boolean isGone = home.exports().actor(number) == null;
        to.writeVarLong(number, false);
        to.writeVarInt(isGone ? GONE : actor.told.size + 1, true);
        to.writeVarLong(actor.told.taken, true);
        if (isGone) {
            served.remove(number);
        }
    }

    /** The session has ended. */
    void over() {
        isOver = true;
        if (alarm != null) {
            alarm.cancel();
        }
        served.clear();
    }
}
