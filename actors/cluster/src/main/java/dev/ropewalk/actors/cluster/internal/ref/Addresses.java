package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.internal.session.Hello;
import dev.ropewalk.actors.cluster.internal.session.NodeId;
import dev.ropewalk.actors.cluster.internal.wire.Recipients;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.Calls;

/**
 * Addresses in the messages of one session: of an actor of the sender, of the receiver or of a
 * third node, of an ask that the message belongs to, and of what else takes messages at the sender.
 * An address that comes home is the one that was there.
 */
final class Addresses implements Recipients {
    private static final byte SENDERS = 0;
    private static final byte RECEIVERS = 1;
    private static final byte THIRD = 2;
    private static final byte ASK = 3;
    private static final byte OTHER = 4;
    private static final byte ENTITY = 5;

    private final Home home;
    private final Conversation of;
    private final OtherRecipients others;

    Addresses(Home home, Conversation of) {
        this.home = home;
        this.of = of;
        this.others = new OtherRecipients();
    }

    OtherRecipients others() {
        return others;
    }

    // ---------------------------------------------------------------- writing, on any thread

    /** For the question of an ask: the ask's own address is known with it, and nowhere else. */
    Recipients ofQuestion(RemoteAsk<?> ask) {
        return new Recipients() {
            @Override
            public void write(Output to, Recipient<?> recipient) {
                if (Calls.askBehind(recipient) == ask.address()) {
                    to.writeByte(ASK);
                } else {
                    Addresses.this.write(to, recipient);
                }
            }

            @Override
            public Recipient<?> read(WireInput from) {
                return Addresses.this.read(from);
            }
        };
    }

    /** For the same question, where it is read. */
    Recipients ofQuestion(AskReply<?> reply) {
        return new Recipients() {
            @Override
            public void write(Output to, Recipient<?> recipient) {
                Addresses.this.write(to, recipient);
            }

            @Override
            public Recipient<?> read(WireInput from) {
                byte sort = from.readByte();
                return sort == ASK ? reply : Addresses.this.read(sort, from);
            }
        };
    }

    @Override
    public void write(Output to, Recipient<?> recipient) {
        if (recipient instanceof ActorRef<?> actor) {
            write(to, actor);
        } else {
            to.writeByte(OTHER);
            to.writeVarLong(others.numberOf(recipient), true);
        }
    }

    private void write(Output to, ActorRef<?> actor) {
        EntityName entity = home.entities().nameOf(actor);
        if (entity != null) {
            to.writeByte(ENTITY);
            entity.write(to);
            return;
        }
        if (!(actor.target() instanceof RemoteTarget<?> remote)) {
            to.writeByte(SENDERS);
            to.writeVarLong(home.exports().numberOf(actor), false);
            writePath(to, parentOf(actor), actor.name());
            to.writeByte(RemoteTarget.Rule.of(actor.target()).code());
            return;
        }
        Peer owner = remote.peer();
        if (owner.id().equals(of.peer().id())) {
            to.writeByte(RECEIVERS);
            to.writeVarLong(remote.number(), false);
            writePath(to, remote.parentPath(), actor.name());
        } else {
            to.writeByte(THIRD);
            Text.write(to, owner.id().name());
            to.writeLong(owner.id().incarnation());
            Text.write(to, owner.host());
            to.writeVarInt(owner.port(), true);
            to.writeVarLong(remote.number(), false);
            writePath(to, remote.parentPath(), actor.name());
            to.writeByte(remote.rule().code());
        }
    }

    private static String parentOf(ActorRef<?> actor) {
        String path = actor.path();
        return path.substring(0, path.length() - actor.name().length() - 1);
    }

    private static void writePath(Output to, String parentPath, String name) {
        Text.write(to, parentPath);
        Text.write(to, name);
    }

    // ---------------------------------------------------------------- reading, on the cord

    @Override
    public Recipient<?> read(WireInput from) {
        return read(from.readByte(), from);
    }

    private Recipient<?> read(byte sort, WireInput from) {
        return switch (sort) {
            case SENDERS -> remote(of.peer(), from.readVarLong(false), from);
            case RECEIVERS -> own(from.readVarLong(false), from);
            case THIRD -> third(from);
            case ENTITY -> home.entities().address(entityName(from));
            case OTHER -> new OtherRecipient<>(home, of, from.readVarLong(true));
            default -> throw new KryoException("there is no address of the sort " + sort + " here");
        };
    }

    static EntityName entityName(WireInput from) {
        return new EntityName(Text.readSome(from), Text.readSome(from));
    }

    private ActorRef<?> remote(Peer owner, long number, WireInput from) {
        return new RemoteTarget<>(
                        home,
                        owner,
                        number,
                        Text.readSome(from),
                        Text.readSome(from),
                        RemoteTarget.Rule.read(from.readByte()))
                .ref();
    }

    /** Of this node: if the actor is over, an address that leads nowhere. */
    private ActorRef<?> own(long number, WireInput from) {
        String parentPath = Text.readSome(from);
        String name = Text.readSome(from);
        ActorRef<?> actor = home.exports().actor(number);
        return actor != null ? actor : GoneTarget.address(home, parentPath, name, number);
    }

    private ActorRef<?> third(WireInput from) {
        NodeId id = new NodeId(Text.readSome(from), from.readLong());
        String host = Text.readSome(from);
        int port = Hello.readPort(from);
        long number = from.readVarLong(false);
        if (id.equals(home.self())) {
            ActorRef<?> own = own(number, from);
            from.readByte();
            return own;
        }
        return remote(home.peers().peer(id, host, port), number, from);
    }
}
