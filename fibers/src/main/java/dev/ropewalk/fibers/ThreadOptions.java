package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;

/**
 * The thread of a cord; immutable, a part of {@link CordOptions}, which has methods to change it.
 *
 * @param stackSize size in bytes of the stack of a cord's own thread, 0 for the JVM's default; a
 *     factory's threads have the size that the factory gives them
 * @param factory makes the thread of {@link Cord#start}, null for a plain one
 * @param cpus numbers of the CPUs that the thread may run on, in ascending order; empty for those
 *     of the thread that makes it, which are all unless somebody has restricted them
 */
public record ThreadOptions(long stackSize, @Nullable ThreadFactory factory, Set<Integer> cpus) {
    /** Checks the values. */
    public ThreadOptions {
        if (stackSize < 0) {
            throw new IllegalArgumentException(
                    "stackSize=" + stackSize + " < 0; 0 means the default");
        }
        Objects.requireNonNull(cpus, "cpus");
        for (int cpu : cpus) {
            if (cpu < 0 || cpu >= Affinity.MAX_CPUS) {
                throw new IllegalArgumentException(
                        "cpu="
                                + cpu
                                + " of cpus="
                                + cpus
                                + " is none; they are numbered from 0, as in /proc/cpuinfo, to "
                                + (Affinity.MAX_CPUS - 1)
                                + " at most");
            }
        }
        cpus = Collections.unmodifiableSortedSet(new TreeSet<>(cpus));
    }
}
