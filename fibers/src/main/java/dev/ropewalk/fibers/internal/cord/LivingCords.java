package dev.ropewalk.fibers.internal.cord;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;

/** The cords of the process. A cord that never ran and was forgotten is in it no longer. */
public final class LivingCords {
    private static final Set<CordImpl> ALL =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private LivingCords() {}

    static void add(CordImpl cord) {
        ALL.add(cord);
    }

    static void remove(CordImpl cord) {
        ALL.remove(cord);
    }

    /** By name. */
    public static List<CordImpl> all() {
        List<CordImpl> living;
        synchronized (ALL) {
            living = List.copyOf(ALL);
        }
        return living.stream().sorted(Comparator.comparing(CordImpl::name)).toList();
    }
}
