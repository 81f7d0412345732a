package dev.ropewalk.examples.kv;

import java.util.ArrayList;
import java.util.List;

/** What makes changes undone, the last one first. */
final class Undo {
    private final List<Runnable> steps = new ArrayList<>();

    void add(Runnable step) {
        steps.add(step);
    }

    boolean isEmpty() {
        return steps.isEmpty();
    }

    void run() {
        for (int i = steps.size() - 1; i >= 0; i--) {
            steps.get(i).run();
        }
    }
}
