package dev.ropewalk.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;

import java.lang.management.ManagementFactory;

/** The one place here that asks the machine for time. */
public final class Stopwatch {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final long beginCpuNs = SYSTEM.getProcessCpuTime();

    /** Read last: the other reading is a call of the system. */
    private final long beginNs = System.nanoTime();

    /** {@return this moment, for those that time very many} */
    static long nowNs() {
        return System.nanoTime();
    }

    /** {@return the time since it was made, in nanoseconds} */
    public long elapsedNs() {
        return System.nanoTime() - beginNs;
    }

    /** {@return the processor time of all threads of this process since it was made} */
    long cpuNs() {
        return SYSTEM.getProcessCpuTime() - beginCpuNs;
    }
}
