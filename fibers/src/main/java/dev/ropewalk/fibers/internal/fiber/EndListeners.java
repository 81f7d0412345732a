package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.Fiber;

import java.util.ArrayList;
import java.util.List;

/** The listeners of a fiber that has several, told in the order in which they came. */
final class EndListeners implements EndListener {
    private final List<EndListener> all = new ArrayList<>();

    EndListeners(EndListener first, EndListener second) {
        all.add(first);
        all.add(second);
    }

    void add(EndListener listener) {
        all.add(listener);
    }

    void remove(EndListener listener) {
        all.remove(listener);
    }

    /** Those of programs. */
    void removeHooks() {
        all.removeIf(each -> each instanceof FiberEndHook);
    }

    int size() {
        return all.size();
    }

    @Override
    public boolean ended(Fiber<?> fiber) {
        boolean taken = false;
        for (EndListener each : all) {
            taken |= each.ended(fiber);
        }
        return taken;
    }
}
