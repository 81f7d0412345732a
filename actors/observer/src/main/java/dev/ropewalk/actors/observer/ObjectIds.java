package dev.ropewalk.actors.observer;

import java.util.Map;
import java.util.WeakHashMap;

/**
 * Numbers for cords, systems and schedulers, because two of them may have one name, and a name may
 * be shown otherwise than it is. Each keeps its number while it lives. Confined to the observer's
 * cord.
 */
final class ObjectIds {
    private final Map<Object, Long> ids = new WeakHashMap<>();
    private long last;

    long of(Object seen) {
        return ids.computeIfAbsent(seen, _ -> ++last);
    }
}
