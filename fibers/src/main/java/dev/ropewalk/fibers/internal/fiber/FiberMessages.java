package dev.ropewalk.fibers.internal.fiber;

import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.internal.cord.WaitInPlace;
import dev.ropewalk.fibers.internal.stack.StackRoom;

import org.jspecify.annotations.Nullable;

/** Requests of other cords and threads to a fiber, as messages to its cord (rule F8). */
public final class FiberMessages {
    private FiberMessages() {}

    public static CordMessage of(Runnable onCord, Runnable onClosed) {
        return new CordMessage() {
            @Override
            public void onCord() {
                onCord.run();
            }

            @Override
            public void onClosed() {
                onClosed.run();
            }
        };
    }

    public static CordMessage quiet(Runnable task) {
        return new Quiet(task);
    }

    static CordMessage schedule(FiberImpl<?> fiber, @Nullable Object value) {
        return new Schedule(fiber, value);
    }

    /**
     * For the running fiber, which is about to suspend: waits a moment for another cord to schedule
     * it, and takes that message, which no other comes before; false if it has to leave its stack.
     * One whose last switch failed half way is mended first, and a handler's turn is to be short.
     */
    static boolean awaitSchedule(FiberImpl<?> fiber) {
        if (fiber.rawState() != FiberImpl.RUNNING || fiber.handler != null) {
            return false;
        }
        WaitInPlace inPlace = fiber.cord.mount.inPlace;
        if (!(inPlace.awaitMessage() instanceof Schedule next) || next.fiber != fiber) {
            return false;
        }
        StackRoom.check(); // a message that was half taken would be lost
        inPlace.takeMessage();
        return fiber.scheduleHere(next.value);
    }

    static CordMessage raise(FiberImpl<?> fiber, Throwable failure) {
        return new Quiet(() -> fiber.raiseHere(failure));
    }

    static CordMessage abandon(FiberImpl<?> fiber, String why) {
        return new Quiet(() -> Abandonment.abandon(fiber, why));
    }

    static CordMessage childEnded(
            FiberImpl<?> parent, FiberImpl<?> child, @Nullable FiberFailedException untaken) {
        return new CordMessage() {
            @Override
            public void onCord() {
                Family.childEnded(parent, child, untaken);
            }

            @Override
            public void onClosed() {
                if (untaken != null) {
                    child.cord().reportUntaken(child, untaken);
                }
            }
        };
    }

    static CordMessage removeListener(FiberImpl<?> fiber, EndListener listener) {
        return new Quiet(() -> fiber.removeListener(listener));
    }

    static CordMessage addListener(FiberImpl<?> fiber, EndListener listener) {
        return new CordMessage() {
            @Override
            public void onCord() {
                if (fiber.outcome() == null) {
                    fiber.addListener(listener);
                } else {
                    FiberAwait.tellEnd(fiber, listener);
                }
            }

            @Override
            public void onClosed() {
                FiberAwait.tellEnd(fiber, listener);
            }
        };
    }

    /**
     * Has the uncaught handler told of a failure that comes to light as another fiber ends. The
     * cord tells it later, even if it has just ended, because now that fiber is half dead.
     */
    public static void reportLater(FiberImpl<?> fiber, Throwable failure) {
        fiber.cord.send(
                new CordMessage() {
                    @Override
                    public void onCord() {
                        fiber.cord.reportUncaught(fiber, failure);
                    }

                    @Override
                    public void onClosed() {
                        onCord();
                    }
                });
    }

    /** The old parent lets go of a child that was given to another one, and passes it on. */
    static CordMessage letGo(FiberImpl<?> oldParent, FiberImpl<?> child, FiberImpl<?> newParent) {
        return new CordMessage() {
            @Override
            public void onCord() {
                Adoption.letGo(oldParent, child, newParent);
            }

            @Override
            public void onClosed() {
                newParent.sendNow(takeIn(newParent, child));
            }
        };
    }

    static CordMessage takeIn(FiberImpl<?> newParent, FiberImpl<?> child) {
        return new CordMessage() {
            @Override
            public void onCord() {
                Adoption.takeIn(newParent, child);
            }

            @Override
            public void onClosed() {
                child.terminate();
                child.detach();
                Adoption.arrive(child);
            }
        };
    }

    /** Starts a fiber that another cord or thread spun. */
    public static CordMessage start(FiberImpl<?> fiber, boolean enterIntoParent) {
        return new CordMessage() {
            @Override
            public void onCord() {
                fiber.cord().roster.start(fiber, enterIntoParent);
            }

            @Override
            public void onClosed() {
                Ending.refuseStart(
                        fiber,
                        new CordClosedException(
                                fiber + " was not started: " + fiber.cord() + " has ended"));
            }
        };
    }

    /** The most frequent one, so it is one object rather than two. */
    private static final class Schedule extends CordMessage {
        private final FiberImpl<?> fiber;
        private final @Nullable Object value;

        Schedule(FiberImpl<?> fiber, @Nullable Object value) {
            this.fiber = fiber;
            this.value = value;
        }

        @Override
        public void onCord() {
            fiber.scheduleHere(value);
        }

        @Override
        public void onClosed() {
            // The fiber is dead with its cord.
        }
    }

    /** A message that has nothing left to do once the fiber's cord has ended. */
    private static final class Quiet extends CordMessage {
        private final Runnable task;

        Quiet(Runnable task) {
            this.task = task;
        }

        @Override
        public void onCord() {
            task.run();
        }

        @Override
        public void onClosed() {
            // The fiber is dead with its cord: schedule, raise and the like have no effect.
        }
    }
}
