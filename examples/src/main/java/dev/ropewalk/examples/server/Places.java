package dev.ropewalk.examples.server;

import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.io.ConnectionException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A listener on each of several cords, all of one port, over which the kernel spreads the clients.
 * For plain threads.
 */
public final class Places implements ServerProgram.Server {
    /** How long clients may go on after the end has begun. */
    private static final Duration DRAIN_LIMIT = Duration.ofMillis(500);

    /** Listens on one cord; for the fibers of that. */
    public interface Listening {
        /** The port. */
        int port();

        /** Serves until it is drained. */
        void serve();

        /** Accepts nobody any more, and lets those that are there finish. */
        void drain(Duration limit);

        /** With numbers of its own. */
        default ObserverOptions shownBy(ObserverOptions observer) {
            return observer;
        }
    }

    /** Begins to listen. */
    @FunctionalInterface
    public interface Starter {
        /** On a cord. */
        Listening listen(int port);
    }

    private record Place(Cord cord, Listening listening) {}

    private final List<Place> places = new ArrayList<>();

    /** Closed with it. */
    private final List<Cord> ownCords = new ArrayList<>();

    private Places() {}

    /**
     * Listens on each of these cords, which are the caller's to close.
     *
     * @param port 0 takes a free one, the same for all
     * @throws ConnectionException if one cannot
     * @throws FiberFailedException if something else fails
     */
    public static Places on(List<Cord> cords, int port, Starter starter) {
        Places made = new Places();
        made.listen(cords, port, starter);
        return made;
    }

    /**
     * Listens on cords of its own.
     *
     * @param port 0 takes a free one, the same for all
     * @throws ConnectionException if one cannot
     * @throws FiberFailedException if something else fails
     */
    public static Places onOwnCords(String name, int number, int port, Starter starter) {
        Places made = new Places();
        for (int i = 0; i < number; i++) {
            made.ownCords.add(Cord.start(name + "-" + i));
        }
        made.listen(made.ownCords, port, starter);
        return made;
    }

    private void listen(List<Cord> cords, int port, Starter starter) {
        boolean isUp = false;
        try {
            int common = port;
            for (Cord each : cords) {
                common = listen(each, common, starter);
            }
            isUp = true;
        } finally {
            if (!isUp) {
                close();
            }
        }
    }

    private int listen(Cord cord, int port, Starter starter) {
        CompletableFuture<Listening> begun = new CompletableFuture<>();
        Fiber<?> serving =
                cord.spin(
                        "listener",
                        () -> {
                            Listening listening;
                            try {
                                listening = starter.listen(port);
                            } catch (ConnectionException refused) {
                                begun.completeExceptionally(refused);
                                return; // whoever starts it is told, and the log is not
                            }
                            begun.complete(listening);
                            listening.serve();
                        });
        serving.onEnd(_ -> begun.cancel(false));
        Listening listening;
        try {
            listening = begun.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof ConnectionException refused) {
                throw refused;
            }
            throw failed;
        } catch (CancellationException notBegun) {
            serving.await(); // throws why
            throw new IllegalStateException("it served for no time");
        }
        places.add(new Place(cord, listening));
        return listening.port();
    }

    @Override
    public int port() {
        return places.getFirst().listening().port();
    }

    @Override
    public ObserverOptions shownBy(ObserverOptions observer) {
        ObserverOptions all = observer;
        for (Place each : places) {
            all = each.listening().shownBy(all);
        }
        return all;
    }

    /** Lets clients finish for a moment. */
    @Override
    public void close() {
        for (Place each : places) {
            each.cord().spin("drain", () -> each.listening().drain(DRAIN_LIMIT)).await();
        }
        places.clear();
        ownCords.forEach(Cord::close);
        ownCords.clear();
    }
}
