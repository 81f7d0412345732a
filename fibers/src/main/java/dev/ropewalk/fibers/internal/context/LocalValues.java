package dev.ropewalk.fibers.internal.context;

import dev.ropewalk.fibers.FiberLocal;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The values of a fiber's {@link FiberLocal}s. Not changed once made, so that a parent and its
 * children share what is handed down; a change makes new ones, which remember the old beginning.
 * Few variables are expected: they are searched from the front.
 *
 * <p>Confined to the fiber's cord.
 */
public final class LocalValues {
    private final LocalKey<?>[] keys;
    private final @Nullable Object[] values;

    /** These are what a fiber began with, and inheritable all of them. */
    private final boolean isBeginning;

    /** The values that the fiber began with, if these have changed since. */
    private final @Nullable LocalValues beginning;

    /** The values that its children begin with, once there was a child. */
    private @Nullable LocalValues handedDown;

    private LocalValues(
            LocalKey<?>[] keys,
            @Nullable Object[] values,
            boolean isBeginning,
            @Nullable LocalValues beginning) {
        this.keys = keys;
        this.values = values;
        this.isBeginning = isBeginning;
        this.beginning = beginning;
    }

    // ---------------------------------------------------------------- one variable

    public int find(LocalKey<?> key) {
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] == key) {
                return i;
            }
        }
        return -1;
    }

    public @Nullable Object at(int place) {
        return values[place];
    }

    static LocalValues with(@Nullable LocalValues before, LocalKey<?> key, @Nullable Object value) {
        if (before == null) {
            return new LocalValues(
                    new LocalKey<?>[] {key}, new @Nullable Object[] {value}, false, null);
        }
        int place = before.find(key);
        LocalKey<?>[] keys = before.keys;
        @Nullable Object[] values;
        if (place >= 0) {
            values = before.values.clone();
        } else {
            place = keys.length;
            keys = Arrays.copyOf(keys, place + 1);
            values = Arrays.copyOf(before.values, place + 1);
            keys[place] = key;
        }
        values[place] = value;
        return new LocalValues(keys, values, false, begunWith(before));
    }

    LocalValues without(LocalKey<?> key) {
        int place = find(key);
        if (place < 0) {
            return this;
        }
        int last = keys.length - 1;
        LocalKey<?>[] fewerKeys = Arrays.copyOf(keys, last);
        @Nullable Object[] fewerValues = Arrays.copyOf(values, last);
        if (place < last) {
            fewerKeys[place] = keys[last];
            fewerValues[place] = values[last];
        }
        return new LocalValues(fewerKeys, fewerValues, false, begunWith(this));
    }

    // ---------------------------------------------------------------- handing down

    /** The values that a fiber with these values began with. */
    public static @Nullable LocalValues begunWith(@Nullable LocalValues now) {
        return now == null || now.isBeginning ? now : now.beginning;
    }

    /**
     * The values that a fiber begins with if it is spun now. A plain thread spins below a fiber of
     * another thread, whose values are not its business.
     */
    public static @Nullable LocalValues inheritedFrom(@Nullable FiberImpl<?> parent) {
        if (parent == null) {
            return null;
        }
        SwitchHooks.beforeSpin(parent);
        LocalValues theirs = parent.locals;
        return theirs == null || !parent.cord.isCurrent() ? null : theirs.handDown();
    }

    @Nullable LocalValues handDown() {
        if (isBeginning) {
            return this;
        }
        if (handedDown == null) {
            handedDown = inheritable();
        }
        return handedDown;
    }

    private @Nullable LocalValues inheritable() {
        LocalKey<?>[] some = new LocalKey<?>[keys.length];
        @Nullable Object[] theirs = new @Nullable Object[keys.length];
        int count = 0;
        for (int i = 0; i < keys.length; i++) {
            if (keys[i].isInheritable()) {
                some[count] = keys[i];
                theirs[count] = values[i];
                count++;
            }
        }
        return count == 0
                ? null
                : new LocalValues(
                        Arrays.copyOf(some, count), Arrays.copyOf(theirs, count), true, null);
    }
}
