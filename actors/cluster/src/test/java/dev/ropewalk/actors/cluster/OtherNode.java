package dev.ropewalk.actors.cluster;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.testing.TestCords;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The place of the actors of a test: a node beside the one of the test, in one virtual run. Each
 * address that the test has leads over a session, also where an actor uses it.
 *
 * <p>Messages of these tests hold code. A record is sent by its components, so the addresses in it
 * become those of the other node; what is no record and nothing that nodes know is sent by a
 * number, and is the same object on both sides.
 */
final class OtherNode implements World.Way {
    private static final Duration SETTLED = Duration.ofMillis(20);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Cord home;
    private final ActorSystem here;
    private final Node near;
    private @Nullable Consumer<DeadLetter> letters;
    private @Nullable WaitCell end;
    private @Nullable Fiber<?> main;
    private @Nullable ActorRef<Wanted> directory;

    /** Asks for the address of an actor there. */
    record Wanted(Object actor, Recipient<ActorRef<?>> replyTo) {}

    /** Not a record: it arrives as it is. */
    private static final class Handed {
        private final ActorRef<?> actor;

        Handed(ActorRef<?> actor) {
            this.actor = actor;
        }
    }

    private OtherNode(Cord home) {
        this.home = home;
        this.here = ActorSystem.start(Tree.oneForOne("here"), this::report);
        this.near = Node.start(here, options("here", 7_001, 7_002));
    }

    /** Runs a test with those seeds. */
    static World.Elsewhere of(long... seeds) {
        return code -> {
            for (long seed : seeds) {
                TestCords.run(2, seed, seed % 2 == 0, cords -> run(cords, code));
            }
        };
    }

    private static void run(List<Cord> cords, World.Elsewhere.Code code) throws Exception {
        code.run(cords.getLast(), new OtherNode(cords.getLast()));
    }

    private static NodeOptions options(String name, int port, int other) {
        Parcels parcels = new Parcels();
        return NodeOptions.named(name)
                .withAddress("127.0.0.1", port)
                .withDiscovery(Discovery.of("127.0.0.1:" + other))
                .withProtocol(
                        Protocol.of(Wanted.class).with(Object.class, () -> new InParcels(parcels)));
    }

    @Override
    public ActorSystem open(Supplier<ActorSystem> start, Consumer<DeadLetter> reported) {
        letters = reported;
        WaitCell started = new WaitCell();
        main = home.spin("there", () -> main(start, started));
        ActorSystem there = (ActorSystem) Objects.requireNonNull(started.await("the other node"));
        if (!near.awaitPeers(1, SECOND)) {
            throw new AssertionError("the nodes have not met");
        }
        directory = near.at("there").find("directory", Wanted.class);
        return there;
    }

    private void main(Supplier<ActorSystem> start, WaitCell started) {
        ActorSystem there = start.get();
        try (Node _ = Node.start(there, options("there", 7_002, 7_001))) {
            there.start("directory", Actor.<Wanted>handler(() -> OtherNode::found));
            WaitCell over = new WaitCell(); // of the fiber that waits
            end = over;
            started.give(there);
            over.await("the end of the test");
        }
    }

    private void report(DeadLetter letter) {
        Objects.requireNonNull(letters).accept(letter);
    }

    private static Behavior<Wanted> found(Wanted wanted) {
        wanted.replyTo.tell(((Handed) wanted.actor).actor);
        return Behavior.same();
    }

    @Override
    @SuppressWarnings("unchecked") // it is the address of the same actor
    public <M> ActorRef<M> address(ActorRef<M> actor) {
        ActorRef<?> seen =
                Objects.requireNonNull(directory)
                        .ask(replyTo -> new Wanted(new Handed(actor), replyTo));
        if (seen.target() == actor.target()) {
            throw new AssertionError(seen + " is the address on its own node");
        }
        return (ActorRef<M>) seen;
    }

    @Override
    public void settle() {
        Fiber.sleep(SETTLED);
    }

    @Override
    public void close() {
        Objects.requireNonNull(end).give(true);
        Objects.requireNonNull(main).await();
        near.close();
        here.close();
    }

    /** Things on their way by a number. */
    private static final class Parcels {
        private static final List<Object> ALL = Collections.synchronizedList(new ArrayList<>());

        int numberOf(Object thing) {
            synchronized (ALL) {
                ALL.add(thing);
                return ALL.size() - 1;
            }
        }

        Object get(int number) {
            return ALL.get(number);
        }
    }

    /** See the class above. */
    private static final class InParcels extends Serializer<Object> {
        private final Parcels parcels;

        InParcels(Parcels parcels) {
            this.parcels = parcels;
        }

        @Override
        public void write(Kryo kryo, Output to, Object value) {
            boolean isRecord = value instanceof Record;
            to.writeBoolean(isRecord);
            to.writeVarInt(parcels.numberOf(isRecord ? value.getClass() : value), true);
            if (isRecord) {
                for (RecordComponent each : value.getClass().getRecordComponents()) {
                    kryo.writeClassAndObject(to, valueOf(value, each));
                }
            }
        }

        private static @Nullable Object valueOf(Object value, RecordComponent component) {
            try {
                component.getAccessor().setAccessible(true);
                return component.getAccessor().invoke(value);
            } catch (ReflectiveOperationException broken) {
                throw new KryoException(broken);
            }
        }

        @Override
        public Object read(Kryo kryo, Input from, Class<? extends Object> type) {
            boolean isRecord = from.readBoolean();
            Object found = parcels.get(from.readVarInt(true));
            return isRecord ? readRecord(kryo, from, (Class<?>) found) : found;
        }

        private static Object readRecord(Kryo kryo, Input from, Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            Object[] values = new Object[components.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = kryo.readClassAndObject(from);
            }
            try {
                Constructor<?> made =
                        type.getDeclaredConstructor(
                                Arrays.stream(components)
                                        .map(RecordComponent::getType)
                                        .toArray(Class<?>[]::new));
                made.setAccessible(true);
                return made.newInstance(values);
            } catch (ReflectiveOperationException broken) {
                throw new KryoException(broken);
            }
        }
    }
}
