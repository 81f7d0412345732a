package dev.ropewalk.actors.internal;

import dev.ropewalk.fibers.CordMessage;

import org.jspecify.annotations.Nullable;

/** A message from another thread on its way to an actor. */
final class Delivery extends CordMessage {
    private final ActorCell<?> cell;
    private final Object item;

    /** Null if its sender knows the actor. */
    private final @Nullable String router;

    Delivery(ActorCell<?> cell, Object item, @Nullable String router) {
        this.cell = cell;
        this.item = item;
        this.router = router;
    }

    @Override
    public void onCord() {
        cell.accept(item, router);
    }

    @Override
    public void onClosed() {
        cell.lost(item, router);
    }
}
