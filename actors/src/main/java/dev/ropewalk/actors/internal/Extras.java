package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.spi.DownListener;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What few actors have, beside the fields of their cell; confined to the actor's cord.
 *
 * @param <M> the type of the messages
 */
final class Extras<M> {
    /** Those that are to be told of the end, and whether of each incarnation's. */
    private final Map<DownListener, Boolean> watchers = new LinkedHashMap<>();

    /** Made by other actors while no incarnation ran: the next one gets them. */
    private final List<LinkEnd> waitingLinks = new ArrayList<>();

    /** Of the state, between two incarnations. */
    @Nullable Belongings<M> kept;

    void watch(DownListener watcher, boolean ofEach) {
        watchers.put(watcher, ofEach);
    }

    void unwatch(DownListener watcher) {
        watchers.remove(watcher);
    }

    /** An incarnation is over. */
    void tellOfIncarnation(Down down) {
        if (watchers.containsValue(true)) {
            new LinkedHashMap<>(watchers)
                    .forEach(
                            (watcher, ofEach) -> {
                                if (ofEach) {
                                    watcher.down(down);
                                }
                            });
        }
    }

    /** The actor is over; those that were told of each incarnation have heard of its last. */
    void tellOfEnd(Down down) {
        Map<DownListener, Boolean> all = new LinkedHashMap<>(watchers);
        watchers.clear();
        all.forEach(
                (watcher, ofEach) -> {
                    if (!ofEach) {
                        watcher.down(down);
                    }
                });
    }

    void addWaiting(LinkEnd end) {
        waitingLinks.add(end);
    }

    void removeWaiting(LinkEnd end) {
        waitingLinks.remove(end);
    }

    List<LinkEnd> takeWaiting() {
        List<LinkEnd> taken = List.copyOf(waitingLinks);
        waitingLinks.clear();
        return taken;
    }

    int watchers() {
        return watchers.size();
    }
}
