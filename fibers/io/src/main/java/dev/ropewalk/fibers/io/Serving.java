package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Joiner;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * The fibers of a listener's clients: none is missed, and none that fails takes the others along.
 *
 * <p>Confined to the fiber that serves, and its cord; a {@link Client} is its own fiber's until
 * that has ended.
 */
final class Serving implements Joiner<@Nullable Object, @Nullable Void> {
    private static final Log LOG = Logs.logger(TcpListener.class);

    private final TcpListener listener;
    private final Placement placement;
    private final String name;
    private final Service service;

    /** By their fibers. */
    private final Map<Fiber<?>, Client> clients = new HashMap<>();

    Serving(TcpListener listener, Placement placement, String name, Service service) {
        this.listener = listener;
        this.placement = placement;
        this.name = name;
        this.service = service;
    }

    /** One connection. */
    private static final class Client {
        final Arrival arrival;
        final Placement.Place place;

        /** It was broken off before its fiber ended: what follows from that is no failure. */
        boolean isGone;

        /** It has ended what it sends; that this came too early is no failure either. */
        boolean isInputEnded;

        Client(Arrival arrival, Placement.Place place) {
            this.arrival = arrival;
            this.place = place;
        }
    }

    void run() {
        try {
            Scope.join(
                    this,
                    scope -> {
                        for (Arrival next = listener.next(); next != null; next = listener.next()) {
                            place(scope, next);
                        }
                    });
        } finally {
            clients.values().forEach(each -> dropUnopened(each.arrival)); // of a scope that failed
        }
    }

    /** The fiber was ended before it began, or its cord was. */
    private static void dropUnopened(Arrival arrival) {
        if (arrival.connection() == null) {
            arrival.drop();
        }
    }

    private void place(Scope<@Nullable Object> scope, Arrival arrival) {
        Placement.Place place = placement.take();
        if (place == null) {
            LOG.warn("{} is refused: all cords that could serve it have ended", arrival);
            arrival.drop();
            return;
        }
        Client client = new Client(arrival, place);
        try {
            clients.put(scope.spinOn(place.cord, name, () -> serve(client)), client);
        } catch (TooManyFibersException | CordClosedException full) {
            LOG.warn("{} is refused: {} has no place for its fiber", arrival, place.cord, full);
            place.left();
            arrival.drop();
        }
    }

    private void serve(Client client) throws Exception {
        TcpConnection connection = client.arrival.openElsewhere();
        boolean isInOrder = false;
        try {
            service.serve(connection);
            isInOrder = true;
        } finally {
            client.isGone = !connection.isOpen();
            client.isInputEnded = connection.isInputEnded();
            if (isInOrder) {
                connection.close();
            } else {
                connection.reset(); // the other side must not take what it has for all
            }
        }
    }

    @Override
    public boolean onEnd(Fiber<?> ended) {
        Client client = clients.remove(ended);
        if (client == null) {
            return false;
        }
        client.place.left();
        Arrival arrival = client.arrival;
        dropUnopened(arrival);
        Throwable failure = ended.failure();
        if (failure == null || failure instanceof FiberTerminatedException) {
            return false;
        }
        if (client.isGone || (client.isInputEnded && failure instanceof EndOfInputException)) {
            LOG.debug("{} has gone", arrival, failure);
        } else {
            LOG.error("{} is broken off, because its fiber failed", arrival, failure);
        }
        return false;
    }

    @Override
    public @Nullable Void result() {
        placement.checkInvariants();
        return null;
    }
}
