package dev.ropewalk.fibers;

import dev.ropewalk.fibers.internal.platform.Affinity;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;

/**
 * The thread of a cord; immutable, a part of {@link CordOptions}, which has methods to change it.
 */
public final class ThreadOptions {
    static final ThreadOptions DEFAULT = new ThreadOptions(new Values());

    private final Values values;

    private ThreadOptions(Values values) {
        if (values.stackSize < 0) {
            throw new IllegalArgumentException(
                    "stackSize=" + values.stackSize + " < 0; 0 means the default");
        }
        for (int cpu : values.cpus) {
            if (cpu < 0 || cpu >= Affinity.MAX_CPUS) {
                throw new IllegalArgumentException(
                        "cpu="
                                + cpu
                                + " of cpus="
                                + values.cpus
                                + " is none; they are numbered from 0, as in /proc/cpuinfo, to "
                                + (Affinity.MAX_CPUS - 1)
                                + " at most");
            }
        }
        this.values = values;
    }

    /**
     * {@return the size in bytes of the stack of a cord's own thread, 0 for the JVM's default; a
     * factory's threads have the size that the factory gives them}
     */
    public long stackSize() {
        return values.stackSize;
    }

    /** {@return the maker of the thread of {@link Cord#start}, null for a plain one} */
    public @Nullable ThreadFactory factory() {
        return values.factory;
    }

    /**
     * {@return the numbers of the CPUs that the thread may run on, in ascending order; empty for
     * the CPUs of the thread that makes it, which are all unless they were restricted}
     */
    public Set<Integer> cpus() {
        return values.cpus;
    }

    ThreadOptions withStackSize(long bytes) {
        return with(copy -> copy.stackSize = bytes);
    }

    ThreadOptions withFactory(@Nullable ThreadFactory factory) {
        return with(copy -> copy.factory = factory);
    }

    ThreadOptions withCpus(Set<Integer> cpus) {
        return with(copy -> copy.cpus = Collections.unmodifiableSortedSet(new TreeSet<>(cpus)));
    }

    private ThreadOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new ThreadOptions(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        long stackSize = 16L << 20;
        @Nullable ThreadFactory factory;
        Set<Integer> cpus = Set.of();

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
