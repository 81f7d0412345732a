package dev.ropewalk.fibers;

import org.jspecify.annotations.Nullable;

/** What other cords and threads ask of a fiber, as messages to its cord (rule F8). */
final class FiberMessages {
    private FiberMessages() {}

    static CordMessage schedule(Fiber<?> fiber, @Nullable Object value) {
        return new Quiet(() -> fiber.scheduleHere(value));
    }

    static CordMessage raise(Fiber<?> fiber, Throwable failure) {
        return new Quiet(() -> fiber.raiseHere(failure));
    }

    static CordMessage abandon(Fiber<?> fiber, String why) {
        return new Quiet(() -> fiber.abandon(why));
    }

    static CordMessage childEnded(
            Fiber<?> parent, Fiber<?> child, @Nullable FiberFailedException untaken) {
        return new CordMessage() {
            @Override
            protected void onCord() {
                parent.childEnded(child, untaken);
            }

            @Override
            protected void onClosed() {
                if (untaken != null) {
                    child.cord().reportUntaken(child, untaken);
                }
            }
        };
    }

    static CordMessage removeAwaiter(Fiber<?> fiber, FiberLife.EndWaiter waiter) {
        return new Quiet(() -> fiber.removeAwaiter(waiter));
    }

    static CordMessage addAwaiter(Fiber<?> fiber, FiberLife.EndWaiter waiter) {
        return new CordMessage() {
            @Override
            protected void onCord() {
                if (fiber.outcome() == null) {
                    fiber.addAwaiter(waiter);
                } else {
                    waiter.give(fiber);
                }
            }

            @Override
            protected void onClosed() {
                waiter.give(fiber);
            }
        };
    }

    /** Starts a fiber that another cord or thread spun. */
    static CordMessage start(Fiber<?> fiber, boolean enterIntoParent) {
        return new CordMessage() {
            @Override
            protected void onCord() {
                fiber.cord().start(fiber, enterIntoParent);
            }

            @Override
            protected void onClosed() {
                fiber.refuseStart(fiber + " was not started: " + fiber.cord() + " has ended");
            }
        };
    }

    /** A message that has nothing left to do once the fiber's cord has ended. */
    private static final class Quiet extends CordMessage {
        private final Runnable task;

        Quiet(Runnable task) {
            this.task = task;
        }

        @Override
        protected void onCord() {
            task.run();
        }

        @Override
        protected void onClosed() {
            // The fiber is dead with its cord: schedule, raise and the like have no effect.
        }
    }
}
