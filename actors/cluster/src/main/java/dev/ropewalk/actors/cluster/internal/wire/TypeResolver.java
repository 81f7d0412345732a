package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.ClassResolver;
import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The classes of one Kryo, and their numbers: written by this node's numbers, read by those of the
 * node that has sent the message. No class is ever looked up by a name from the wire.
 */
@SuppressWarnings("rawtypes") // of the interface of Kryo
final class TypeResolver implements ClassResolver {
    /** Numbers are written one higher. */
    private static final int NULL = 0;

    /** By their numbers. */
    private final List<@Nullable Registration> builtin = new ArrayList<>();

    private final List<Registration> ofProgram = new ArrayList<>();

    /** Also of classes for which another one stands in the bytes. */
    private final Map<Class<?>, Registration> byClass = new HashMap<>();

    /** Of the sender of the message in hand; null while one is written. */
    @Nullable PeerTypes peer;

    // Of the last value written: values of one type come one after the other.
    private @Nullable Class<?> lastClass;
    private @Nullable Registration last;

    @Override
    public void setKryo(Kryo kryo) {
        // It is not asked for anything.
    }

    @Override
    public Registration register(Registration registration) {
        int number = registration.getId();
        if (number < Builtin.END) {
            while (builtin.size() <= number) {
                builtin.add(null);
            }
            builtin.set(number, registration);
        } else {
            ofProgram.add(registration);
        }
        byClass.put(registration.getType(), registration);
        Class<?> boxed = boxed(registration.getType());
        if (boxed != registration.getType()) {
            byClass.put(boxed, registration);
        }
        lastClass = null;
        return registration;
    }

    private static Class<?> boxed(Class<?> type) {
        return java.lang.invoke.MethodType.methodType(type).wrap().returnType();
    }

    @Override
    public Registration registerImplicit(Class type) {
        throw new KryoException(type.getName() + " is not registered");
    }

    /** Kryo asks before it registers anything, and no number is given twice. */
    @Override
    public @Nullable Registration unregister(int number) {
        return null;
    }

    /** Kryo's own, while it is made, and those of a program's serializers. */
    @Override
    public @Nullable Registration getRegistration(Class type) {
        return registrationOf((Class<?>) type);
    }

    @Override
    public @Nullable Registration getRegistration(int number) {
        return number >= 0 && number < builtin.size() ? builtin.get(number) : null;
    }

    private @Nullable Registration registrationOf(Class<?> type) {
        Registration found = byClass.get(type);
        if (found != null) {
            return found;
        }
        Class<?> wanted = Builtin.standIn(type);
        Class<?> above = type.getSuperclass();
        if (wanted == null && above != null && above.isEnum()) {
            wanted = above; // a constant with a body of its own
        }
        found = wanted == null ? ofProgramAbove(type) : byClass.get(wanted);
        if (found != null) {
            byClass.put(type, found);
        }
        return found;
    }

    /** The nearest class or interface above that has a serializer of the program's. */
    private @Nullable Registration ofProgramAbove(Class<?> type) {
        Registration nearest = null;
        for (Registration each : ofProgram) {
            Class<?> above = each.getType();
            if (above.isAssignableFrom(type)
                    && (nearest == null
                            || ((Class<?>) nearest.getType()).isAssignableFrom(above))) {
                nearest = each;
            }
        }
        return nearest;
    }

    @Override
    public @Nullable Registration writeClass(Output to, @Nullable Class type) {
        if (type == null) {
            to.writeVarInt(NULL, true);
            return null;
        }
        Registration found = type == lastClass ? last : registrationOf((Class<?>) type);
        if (found == null) {
            throw new UnknownTypeException((Class<?>) type);
        }
        lastClass = type;
        last = found;
        to.writeVarInt(found.getId() + 1, true);
        return found;
    }

    @Override
    public @Nullable Registration readClass(Input from) {
        int number = from.readVarInt(true) - 1;
        if (number == NULL - 1) {
            return null;
        }
        if (number >= Builtin.END && peer != null) {
            return peer.registration(number);
        }
        Registration found = getRegistration(number);
        if (found == null) {
            throw new KryoException("there is no type of the number " + number);
        }
        return found;
    }

    @Override
    public void reset() {
        // Nothing lasts for one message only.
    }
}
