package dev.ropewalk.actors.internal;

import dev.ropewalk.fibers.CordMessage;

/** Something to do on an actor's cord, or anywhere once that has ended. */
final class CellTask extends CordMessage {
    private final Runnable task;

    CellTask(Runnable task) {
        this.task = task;
    }

    @Override
    public void onCord() {
        task.run();
    }

    @Override
    public void onClosed() {
        task.run(); // nobody else touches the cell now, and its messages must be reported
    }
}
