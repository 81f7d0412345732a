package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.KryoBufferOverflowException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.NotSendableException;

import org.jspecify.annotations.Nullable;

/**
 * Messages to bytes and back, by one Kryo. For one thread at a time. After a failure it takes a new
 * Kryo, because a failed one may keep a part of what it was doing.
 */
public final class KryoCodec {
    /** How deep a message is nested at most; Kryo counts values, and a collection is one. */
    public static final int MAX_DEPTH = 64;

    private final TypeTable types;

    /** Null after a failure. */
    private @Nullable Engine engine;

    /** A Kryo, and what of it is set anew for each message. */
    private record Engine(
            Kryo kryo, TypeResolver resolver, Builtin.RecipientSerializer recipients) {}

    public KryoCodec(TypeTable types) {
        this.types = types;
    }

    private Engine engine() {
        if (engine == null) {
            engine = newEngine();
        }
        return engine;
    }

    private Engine newEngine() {
        TypeResolver resolver = new TypeResolver();
        Builtin.RecipientSerializer recipients = new Builtin.RecipientSerializer();
        Kryo kryo = new Kryo(resolver, null);
        kryo.setRegistrationRequired(true);
        kryo.setMaxDepth(MAX_DEPTH);
        kryo.setAutoReset(true);
        Builtin.register(kryo, recipients);
        for (int i = 0; i < types.types.size(); i++) {
            WireType each = types.types.get(i);
            kryo.register(each.type(), (Serializer<?>) each.serializer(), Builtin.END + i);
        }
        return new Engine(kryo, resolver, recipients);
    }

    /**
     * Writes a message behind what is there.
     *
     * @throws NotSendableException if it cannot be sent; the bytes are of no use then
     */
    public void write(Output to, Object message, Recipients addresses) {
        Engine used = engine();
        boolean isDone = false;
        try {
            used.recipients.addresses = addresses;
            used.kryo.writeClassAndObject(to, message);
            used.recipients.addresses = null;
            isDone = true;
        } catch (KryoBufferOverflowException full) {
            throw tooLarge(message, to.getMaxCapacity(), full);
        } catch (RuntimeException | StackOverflowError failure) {
            throw notSendable(message, "cannot be sent: " + failure.getMessage(), failure);
        } finally {
            if (!isDone) {
                engine = null;
            }
        }
    }

    /** Of a message that has more bytes than that. */
    public static NotSendableException tooLarge(
            Object message, int bytes, @Nullable Throwable cause) {
        return notSendable(message, "is larger than " + bytes + " bytes", cause);
    }

    private static NotSendableException notSendable(
            Object message, String why, @Nullable Throwable cause) {
        return new NotSendableException(
                "a message of " + message.getClass().getName() + " " + why, cause);
    }

    /**
     * Reads a message, which must use up all bytes.
     *
     * @throws KryoException if the bytes are none
     * @throws RefusedTypeException if the programs of the two nodes differ in a type
     */
    public Object read(WireInput from, PeerTypes peer, Recipients addresses) {
        Engine used = engine();
        boolean isDone = false;
        try {
            used.resolver.peer = peer;
            used.recipients.addresses = addresses;
            Object message = used.kryo.readClassAndObject(from);
            used.resolver.peer = null;
            used.recipients.addresses = null;
            if (message == null) {
                throw new KryoException("a message is null");
            }
            if (from.left() > 0) {
                throw new KryoException(
                        from.left() + " bytes are left behind " + message.getClass().getName());
            }
            isDone = true;
            return message;
        } catch (KryoException broken) {
            throw broken;
        } catch (RuntimeException | StackOverflowError broken) {
            throw new KryoException("the bytes of a message are damaged", broken);
        } finally {
            if (!isDone) {
                engine = null;
            }
        }
    }
}
