package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.UUID;

/**
 * The hashes of keys that are the same in each process: of text, numbers, truth values, UUIDs,
 * bytes, constants of enums by their names, and records of these. The hash of other objects may
 * stand for their places in the memory of one process.
 *
 * <p>{@code hashCode} is taken where its documentation says how it is made: of text and of the
 * numbers of {@code java.lang}. An int and a long of one value have one hash. A record counts by
 * its components, also if its class has an {@code equals} of its own.
 */
final class Keys {
    static final String ALLOWED =
            "among actors of several nodes a key is text, a number, a boolean, a UUID, bytes, a"
                    + " constant of an enum, or a record of these, 16 deep at most, whose package"
                    + " is open to dev.ropewalk.actors";

    /** Records in records; one that has itself would never end. */
    private static final int MAX_DEPTH = 16;

    /** Of a record class: how each component is read; null if a module does not let it. */
    private static final ClassValue<MethodHandle @Nullable []> COMPONENTS =
            new ClassValue<>() {
                @Override
                protected MethodHandle @Nullable [] computeValue(Class<?> type) {
                    return components(type);
                }
            };

    private Keys() {}

    /** The same in each process; null if the key is of another type. */
    static @Nullable Integer hash(Object key) {
        return hash(key, 0);
    }

    /** In this process: by {@code hashCode}, or the content of bytes. */
    static int hashHere(Object key) {
        return key instanceof byte[] bytes ? Arrays.hashCode(bytes) : key.hashCode();
    }

    private static @Nullable Integer hash(@Nullable Object key, int depth) {
        return switch (key) {
            case null -> 0;
            case String text -> text.hashCode();
            case Integer number -> Long.hashCode(number);
            case Long number -> Long.hashCode(number);
            case UUID id ->
                    31 * Long.hashCode(id.getMostSignificantBits())
                            + Long.hashCode(id.getLeastSignificantBits());
            case Short number -> Long.hashCode(number);
            case Byte number -> Long.hashCode(number);
            case Character character -> Integer.valueOf(character);
            case Boolean truth -> Boolean.hashCode(truth);
            case Double number -> Double.hashCode(number);
            case Float number -> Float.hashCode(number);
            case BigInteger number -> Arrays.hashCode(number.toByteArray());
            case BigDecimal number ->
                    31 * Arrays.hashCode(number.unscaledValue().toByteArray()) + number.scale();
            case byte[] bytes -> Arrays.hashCode(bytes);
            case Enum<?> constant -> constant.name().hashCode();
            case Record record -> depth < MAX_DEPTH ? ofRecord(record, depth) : null;
            default -> null;
        };
    }

    private static @Nullable Integer ofRecord(Record record, int depth) {
        MethodHandle[] components = COMPONENTS.get(record.getClass());
        if (components == null) {
            return null;
        }
        int hash = 1;
        for (MethodHandle each : components) {
            Integer ofPart = hash(component(each, record), depth + 1);
            if (ofPart == null) {
                return null;
            }
            hash = 31 * hash + ofPart;
        }
        return hash;
    }

    private static @Nullable Object component(MethodHandle accessor, Record record) {
        try {
            return accessor.invokeExact((Object) record);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable checked) {
            throw new IllegalStateException(accessor + " failed", checked);
        }
    }

    private static MethodHandle @Nullable [] components(Class<?> type) {
        RecordComponent[] parts = type.getRecordComponents();
        MethodHandle[] all = new MethodHandle[parts.length];
        try {
            MethodHandles.Lookup lookup =
                    MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            for (int i = 0; i < all.length; i++) {
                all[i] =
                        lookup.unreflect(parts[i].getAccessor())
                                .asType(MethodType.genericMethodType(1));
            }
        } catch (IllegalAccessException closed) {
            return null;
        }
        return all;
    }
}
