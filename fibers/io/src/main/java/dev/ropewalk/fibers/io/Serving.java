package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Joiner;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.internal.Placement;
import dev.ropewalk.fibers.io.internal.SilenceLimit;
import dev.ropewalk.fibers.spi.ClosedException;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The fibers of a listener's clients: no fiber is missed, and a fiber that fails does not end the
 * others.
 *
 * <p>Confined to the fiber that serves, and its cord; a {@link Client} is its own fiber's until
 * that has ended.
 */
final class Serving implements Joiner<@Nullable Object, @Nullable Void> {
    private static final Log LOG = Logs.logger(TcpListener.class);

    private final TcpListener listener;
    private final Placement placement;
    private final Spin spin;

    /** It was logged that a client is refused, and no client has been served since. */
    private boolean isRefusalTold;

    /** By their fibers. */
    private final Map<Fiber<?>, Client> clients = new HashMap<>();

    private Serving(TcpListener listener, Placement placement, Spin spin) {
        this.listener = listener;
        this.placement = placement;
        this.spin = spin;
    }

    /** Of connections that have a stack each. */
    static Serving ofConnections(
            TcpListener listener, Placement placement, String name, Service service) {
        return new Serving(
                listener,
                placement,
                (scope, client) ->
                        scope.spinOn(client.place.cord, name, () -> client.run(service)));
    }

    /** Of connections that have a stack in their turns alone. */
    static <M> Serving ofMessages(
            TcpListener listener,
            Placement placement,
            String name,
            Function<? super TcpConnection, ? extends @Nullable MessageConnection<M>> opening,
            MessageService<M> service) {
        return new Serving(
                listener,
                placement,
                (scope, client) ->
                        scope.spinHandlerOn(
                                client.place.cord,
                                name,
                                new MessageTurns<>(client, opening, service)));
    }

    /** Spins the fiber of a client. */
    private interface Spin {
        Fiber<?> spin(Scope<@Nullable Object> scope, Client client);
    }

    /** A client with its connection. */
    static final class Client {
        final Arrival arrival;

        /** Its connection had ended before its fiber did. */
        boolean isGone;

        private final Placement.Place place;

        private Client(Arrival arrival, Placement.Place place) {
            this.arrival = arrival;
            this.place = place;
        }

        private void run(Service service) throws Exception {
            TcpConnection connection = arrival.openElsewhere();
            boolean isInOrder = false;
            try {
                service.serve(connection);
                isInOrder = true;
            } finally {
                isGone = !connection.isOpen();
                over(connection, isInOrder);
            }
        }

        /** Of all clients on its cord. */
        SilenceLimit silence(long limitNs) {
            return place.silence(limitNs);
        }

        /** The last step of its fiber. */
        void over(TcpConnection connection, boolean isInOrder) {
            if (isInOrder || connection.hasTlsFailed()) {
                // A client that TLS has refused was told that, and has got no data.
                connection.close();
            } else {
                connection.reset(); // the other side must not take what it has for all
            }
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
            refuse(arrival, "all cords that could serve it have ended");
            return;
        }
        Client client = new Client(arrival, place);
        try {
            clients.put(spin.spin(scope, client), client);
            isRefusalTold = false;
        } catch (TooManyFibersException | CordClosedException full) {
            place.left();
            refuse(arrival, place.cord + " has no place for its fiber: " + full.getMessage());
        }
    }

    /** Clients come as fast as they want: one line tells of all that are refused in a row. */
    private void refuse(Arrival arrival, String why) {
        if (!isRefusalTold) {
            isRefusalTold = true;
            LOG.warn("{} is refused, and so is who comes next: {}", arrival, why);
        }
        arrival.drop();
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
        if (failure != null && !(failure instanceof FiberTerminatedException)) {
            tell(client, failure);
        }
        return false;
    }

    /** Of a client that is ended together with the server. */
    @Override
    public boolean onLateFailure(Fiber<?> ended) {
        Client client = clients.get(ended);
        Throwable failure = ended.failure();
        if (client == null || failure == null) {
            return false;
        }
        tell(client, failure);
        return true;
    }

    private static void tell(Client client, Throwable failure) {
        if (isOfClient(client, failure)) {
            LOG.debug("{} is broken off by what the other side did", client.arrival, failure);
        } else {
            LOG.error("{} is broken off, because its fiber failed", client.arrival, failure);
        }
    }

    /** The one place that decides, so that clients cannot cause errors in the log from outside. */
    private static boolean isOfClient(Client client, Throwable failure) {
        TcpConnection connection = client.arrival.connection();
        return connection != null
                && (connection.hasCaused(failure) || (client.isGone && isEndOfAll(failure)));
    }

    /** Whether a fiber has only heard that something is over: this connection, or a channel. */
    private static boolean isEndOfAll(Throwable failure) {
        Throwable root = failure;
        for (int depth = 0; depth < ConnectionException.MAX_CAUSES; depth++) {
            Throwable cause = root.getCause();
            if (cause == null || root instanceof ConnectionClosedException) {
                break;
            }
            root = cause;
        }
        return root instanceof ClosedException || root instanceof ConnectionClosedException;
    }

    @Override
    public @Nullable Void result() {
        placement.checkInvariants();
        return null;
    }
}
