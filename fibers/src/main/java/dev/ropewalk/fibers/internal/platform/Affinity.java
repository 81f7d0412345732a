package dev.ropewalk.fibers.internal.platform;

import dev.ropewalk.fibers.internal.platform.JvmFlags.Tie;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The CPUs that the calling thread may run on: two calls of Linux, and errors that say what is
 * wrong.
 */
public final class Affinity {
    /** The largest number that a Linux kernel can be built for; a smaller mask is refused there. */
    public static final int MAX_CPUS = 8_192;

    private static final long MASK_BYTES = MAX_CPUS / Byte.SIZE;

    /** In a class of its own, because it is linked only where it is used. */
    private static final class Linux {
        static final StructLayout STATE = Linker.Option.captureStateLayout();
        static final VarHandle ERRNO =
                STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        static final MethodHandle SET = link("sched_setaffinity");
        static final MethodHandle GET = link("sched_getaffinity");

        private Linux() {}

        /** {@code int (pid_t, size_t, cpu_set_t *)}; process 0 is the calling thread. */
        @SuppressWarnings("restricted") // asked before, see checkSupported
        private static MethodHandle link(String function) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().findOrThrow(function),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.ADDRESS),
                    Linker.Option.captureCallState("errno"));
        }
    }

    private Affinity() {}

    /**
     * Throws if threads cannot be restricted here.
     *
     * @param who the owner of the thread, for the message
     */
    public static void checkSupported(String who, Set<Integer> cpus) {
        String system = System.getProperty("os.name", "");
        if (!system.equals("Linux")) {
            throw new UnsupportedOperationException(
                    who
                            + ": cpus="
                            + cpus
                            + " needs Linux, and this is "
                            + system
                            + "; leave withCpus out");
        }
        if (!Tie.NATIVE_CALLS.isThere()) {
            throw JvmFlags.lack(
                    who + " cannot have cpus=" + cpus, Tie.NATIVE_CALLS, "leave withCpus out");
        }
    }

    /** {@return the CPUs that this thread may run on} */
    public static BitSet current() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
            int errno = call(Linux.GET, arena, mask);
            if (errno != 0) {
                throw new IllegalStateException("sched_getaffinity failed, errno=" + errno);
            }
            return BitSet.valueOf(mask.toArray(ValueLayout.JAVA_LONG));
        }
    }

    /**
     * Restricts this thread to the CPUs; if it cannot have all of them, throws and leaves it
     * unrestricted.
     *
     * @param who the owner of the thread, for the message
     */
    public static void restrict(String who, Set<Integer> cpus) {
        BitSet wanted = new BitSet();
        cpus.forEach(wanted::set);
        int errno = set(wanted);
        // The kernel leaves those out that are not there, as long as one is.
        if (errno == 0 && current().equals(wanted)) {
            return;
        }
        BitSet all = new BitSet();
        all.set(0, MAX_CPUS);
        set(all);
        throw new IllegalArgumentException(
                who
                        + ": cpus="
                        + cpus
                        + " cannot be had (errno="
                        + errno
                        + "); available are "
                        + current().stream().boxed().collect(Collectors.toCollection(TreeSet::new))
                        + ", choose from these, or leave withCpus out");
    }

    /** Runs the code on these CPUs only; afterwards this thread has those again that it had. */
    public static void during(String who, Set<Integer> cpus, Runnable code) {
        BitSet before = current();
        try {
            restrict(who, cpus);
            code.run();
        } finally {
            set(before);
        }
    }

    /** 0, or the number of the error. */
    private static int set(BitSet cpus) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
            mask.copyFrom(MemorySegment.ofArray(cpus.toLongArray()));
            return call(Linux.SET, arena, mask);
        }
    }

    private static int call(MethodHandle function, Arena arena, MemorySegment mask) {
        MemorySegment state = arena.allocate(Linux.STATE);
        try {
            int result = (int) function.invokeExact(state, 0, MASK_BYTES, mask);
            return result == 0 ? 0 : (int) Linux.ERRNO.get(state, 0L);
        } catch (Throwable broken) {
            throw new IllegalStateException("the call of Linux could not be made", broken);
        }
    }
}
